// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Every row of the CPU ladder, by the file that defines it. ladder.cpp puts them in order.
#pragma once

#include "backend/contract.hpp"

namespace tw::cpu {

extern const Kernel r1_naive_f32, r1_naive_f64, r1_naive_c64, r1_naive_c128;
extern const Kernel r2_coalesced_f32, r2_coalesced_f64, r2_coalesced_c64, r2_coalesced_c128;
extern const Kernel r3_tiled_16_c64, r3_tiled_16_c128;
extern const Kernel r3_tiled_16_f32, r3_tiled_32_f32, r3_tiled_16_f64, r3_tiled_32_f64;
extern const Kernel r4_register_tile_f32, r4_register_tile_f64;
extern const Kernel r5_register_block_f32, r5_register_block_f64;
extern const Kernel r6_vectorized_portable_f32, r6_vectorized_avx2_f32, r6_vectorized_avx512_f32;
extern const Kernel r6_vectorized_portable_f64, r6_vectorized_avx2_f64, r6_vectorized_avx512_f64;
extern const Kernel r6_vectorized_neon_f32, r6_vectorized_neon_f64;
extern const Kernel r7_hierarchical_portable_f32, r7_hierarchical_avx2_f32, r7_hierarchical_avx512_f32;
extern const Kernel r7_hierarchical_portable_f64, r7_hierarchical_avx2_f64, r7_hierarchical_avx512_f64;
extern const Kernel r7_hierarchical_avx512_apart_f32, r7_hierarchical_avx512_apart_f64;
extern const Kernel r7_hierarchical_neon_f32, r7_hierarchical_neon_f64;

extern const Kernel r7_hierarchical_wide_portable, r7_hierarchical_wide_avx2, r7_hierarchical_wide_avx512,
    r7_hierarchical_wide_neon;
extern const Kernel r4_register_tile_c64, r4_register_tile_c128, r5_register_block_c64, r5_register_block_c128;
extern const Kernel r6_vectorized_complex_portable_c64, r6_vectorized_complex_portable_c128;
extern const Kernel r6_vectorized_complex_avx2_c64, r6_vectorized_complex_avx2_c128;
extern const Kernel r6_vectorized_complex_avx512_c64, r6_vectorized_complex_avx512_c128;
extern const Kernel r6_vectorized_complex_neon_c64, r6_vectorized_complex_neon_c128;
extern const Kernel r7_hierarchical_complex_portable_c64, r7_hierarchical_complex_portable_c128;
extern const Kernel r7_hierarchical_complex_avx2_c64, r7_hierarchical_complex_avx2_c128;
extern const Kernel r7_hierarchical_complex_avx512_c64, r7_hierarchical_complex_avx512_c128;
extern const Kernel r7_hierarchical_complex_neon_c64, r7_hierarchical_complex_neon_c128;
extern const Kernel r8_matrix_unit_amx_f32, r8_matrix_unit_amx_bf16, r8_matrix_unit_amx_bf16_f32;
extern const Kernel r8_matrix_unit_emulated_f32, r8_matrix_unit_emulated_bf16, r8_matrix_unit_emulated_bf16_f32;
extern const Kernel r10_split_amx_bf16x3, r10_split_amx_bf16x6;
extern const Kernel r10_split_emulated_bf16x3, r10_split_emulated_bf16x6;
extern const Kernel r10_split_amx_int8x8, r10_split_vnni_int8x8, r10_split_avx2_int8x8;
extern const Kernel r10_split_amx_int8x6, r10_split_vnni_int8x6, r10_split_avx2_int8x6;
extern const Kernel r10_split_portable_int8x8, r10_split_emulated_int8x8;
extern const Kernel r10_split_portable_int8x6, r10_split_emulated_int8x6;
extern const Kernel r10_split_amx_sampled, r10_split_emulated_sampled;
extern const Kernel few_rows_portable_f32, few_rows_avx2_f32, few_rows_avx512_f32, few_rows_neon_f32;
extern const Kernel few_rows_portable_f64, few_rows_avx2_f64, few_rows_avx512_f64, few_rows_neon_f64;
extern const Kernel few_rows_complex_portable_c64, few_rows_complex_portable_c128;
extern const Kernel few_rows_complex_avx2_c64, few_rows_complex_avx2_c128;
extern const Kernel few_rows_complex_avx512_c64, few_rows_complex_avx512_c128;
extern const Kernel few_rows_complex_neon_c64, few_rows_complex_neon_c128;

}  // namespace tw::cpu
