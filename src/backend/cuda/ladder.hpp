// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Every row of the CUDA ladder, by the file that defines it. ladder.cpp puts them in order.
#pragma once

#include "backend/contract.hpp"

namespace tw::cuda {

extern const Kernel r1_naive_f32, r1_naive_f64, r1_naive_c64, r1_naive_c128;
extern const Kernel r2_coalesced_f32, r2_coalesced_f64, r2_coalesced_c64, r2_coalesced_c128;
extern const Kernel r3_tiled_f32, r3_tiled_f64, r3_tiled_c64, r3_tiled_c128;
extern const Kernel r4_register_tile_f32, r4_register_tile_c64;
extern const Kernel r5_register_block_f32, r5_register_block_c64;
extern const Kernel r6_vectorized_f32, r6_vectorized_c64;
extern const Kernel r7_hierarchical_f32, r7_hierarchical_complex_c64;
extern const Kernel r8_matrix_unit_f32, r8_matrix_unit_bf16, r8_matrix_unit_bf16_f32, r8_matrix_unit_f16,
    r8_matrix_unit_f16_f32;
extern const Kernel r8_mma_sync_bf16, r8_mma_sync_bf16_f32, r8_mma_sync_f16, r8_mma_sync_f16_f32;
extern const Kernel r8_dmma_f64, r8_dmma_complex_c128;
extern const Kernel r9_async_pipeline_f32, r9_async_pipeline_bf16, r9_async_pipeline_bf16_f32, r9_async_pipeline_f16,
    r9_async_pipeline_f16_f32;
extern const Kernel r10_split_fp16x3, r10_split_bf16x6, r10_split_fp16x1;
extern const Kernel r10_split_remainders_f64, r10_split_remainders_c64, r10_split_remainders_c128;
extern const Kernel few_rows_fma_async_f32;
extern const Kernel few_rows_fma_f32, few_rows_fma_bf16, few_rows_fma_bf16_f32, few_rows_fma_f16, few_rows_fma_f16_f32;
extern const Kernel few_rows_f32, few_rows_bf16, few_rows_bf16_f32, few_rows_f16, few_rows_f16_f32;
extern const Kernel few_rows_async_f32, few_rows_async_bf16, few_rows_async_bf16_f32, few_rows_async_f16,
    few_rows_async_f16_f32;
extern const Kernel few_rows_turned_bf16, few_rows_turned_bf16_f32, few_rows_turned_f16, few_rows_turned_f16_f32;
extern const Kernel few_rows_split_f32;
extern const Kernel few_tiles_sliced_f32;
extern const Kernel few_rows_wide_f64, few_rows_wide_c64, few_rows_wide_c128;
extern const Kernel few_tiles_f64, few_tiles_c64, few_tiles_c128, few_tiles_f32, few_tiles_tf32, few_tiles_bf16,
    few_tiles_bf16_f32, few_tiles_f16, few_tiles_f16_f32;

/// r8 for 16-bit operands that TMA can't fetch; the same bits as r9.
Status run_plainly(const Call& call) noexcept;

/// Tiles of 128 x 128 of C.
struct TileMap {
    const std::uint8_t* tiles = nullptr;  ///< 0: not this one
    int across = 0;
    const int* any = nullptr;  ///< *any is 0: none of them; null: all tiles, without a map
};
/// r8_dmma for some tiles, found on the device; C has no steps that run across.
Status run_dmma_where(const Call& call, const TileMap& only) noexcept;
/// The same for complex numbers.
Status run_dmma_complex_where(const Call& call, const TileMap& only) noexcept;
Status run_hierarchical_complex_where(const Call& call, const TileMap& only) noexcept;

}  // namespace tw::cuda
