// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// THE list of Metal kernels, by rung. To add one: write its .metal file, add its shapes and its row here.
#pragma once

#include "backend/metal/ladder.hpp"

namespace tw::metal {

/// The tiles of some shapes, as the contract wants them.
template <std::size_t count>
constexpr std::array<Tile, count> tiles_of(const std::array<Shape, count>& shapes) {
    std::array<Tile, count> tiles{};
    for (std::size_t i = 0; i < count; ++i) tiles[i] = shapes[i].tile;
    return tiles;
}

inline constexpr std::array<Shape, 1> r1_f32{{{{16, 16, 1}, "r1_naive_f32", 16, 16, 16, 16, true}}};
inline constexpr std::array<Shape, 1> r1_f16{{{{16, 16, 1}, "r1_naive_f16", 16, 16, 16, 16, true}}};
inline constexpr std::array<Shape, 1> r2_f32{{{{8, 32, 1}, "r2_coalesced_f32", 32, 8, 8, 32}}};
inline constexpr std::array<Shape, 1> r2_f16{{{{8, 32, 1}, "r2_coalesced_f16", 32, 8, 8, 32}}};
inline constexpr std::array<Shape, 2> r3_f32{
    {{{16, 16, 16}, "r3_tiled_16_f32", 16, 16, 16, 16}, {{32, 32, 32}, "r3_tiled_32_f32", 32, 32, 32, 32}}};
inline constexpr std::array<Shape, 2> r3_f16{
    {{{16, 16, 16}, "r3_tiled_16_f16", 16, 16, 16, 16}, {{32, 32, 32}, "r3_tiled_32_f16", 32, 32, 32, 32}}};
inline constexpr std::array<Shape, 1> r4_f32{{{{32, 32, 16}, "r4_register_tile_f32", 32, 8, 32, 32}}};
inline constexpr std::array<Shape, 1> r4_f16{{{{32, 32, 16}, "r4_register_tile_f16", 32, 8, 32, 32}}};
inline constexpr std::array<Shape, 1> r5_f32{{{{32, 32, 16}, "r5_register_block_f32", 8, 8, 32, 32}}};
inline constexpr std::array<Shape, 1> r5_f16{{{{32, 32, 16}, "r5_register_block_f16", 8, 8, 32, 32}}};
inline constexpr std::array<Shape, 1> r6_f32{{{{64, 64, 16}, "r6_vectorized_f32", 16, 16, 64, 64}}};
inline constexpr std::array<Shape, 1> r6_f16{{{{64, 64, 16}, "r6_vectorized_f16", 16, 16, 64, 64}}};
inline constexpr std::array<Shape, 1> r7_f32{{{{64, 64, 16}, "r7_hierarchical_f32", 128, 1, 64, 64}}};
inline constexpr std::array<Shape, 1> r7_f16{{{{64, 64, 16}, "r7_hierarchical_f16", 128, 1, 64, 64}}};
inline constexpr std::array<Shape, 1> r8_f32{{{{32, 32, 8}, "r8_matrix_unit_f32", 128, 1, 32, 32}}};
inline constexpr std::array<Shape, 1> r8_f16{{{{32, 32, 8}, "r8_matrix_unit_f16", 128, 1, 32, 32}}};
inline constexpr std::array<Shape, 3> r9a_f32{{{{64, 64, 16}, "r9_async_pipeline_4_2_2_f32", 128, 1, 64, 64},
                                               {{32, 32, 16}, "r9_async_pipeline_2_2_2_f32", 128, 1, 32, 32},
                                               {{64, 64, 32}, "r9_async_pipeline_4_2_4_f32", 128, 1, 64, 64}}};
inline constexpr std::array<Shape, 2> r9a_f16{{{{64, 64, 16}, "r9_async_pipeline_4_2_2_f16", 128, 1, 64, 64},
                                               {{32, 32, 32}, "r9_async_pipeline_2_2_4_f16", 128, 1, 32, 32}}};
inline constexpr std::array<Shape, 3> r9p_f32{{{{64, 64, 16}, "r9_plain_loads_4_2_2_f32", 128, 1, 64, 64},
                                               {{32, 32, 16}, "r9_plain_loads_2_2_2_f32", 128, 1, 32, 32},
                                               {{64, 64, 32}, "r9_plain_loads_4_2_4_f32", 128, 1, 64, 64}}};
inline constexpr std::array<Shape, 2> r9p_f16{{{{64, 64, 16}, "r9_plain_loads_4_2_2_f16", 128, 1, 64, 64},
                                               {{32, 32, 32}, "r9_plain_loads_2_2_4_f16", 128, 1, 32, 32}}};
inline constexpr std::array<Shape, 1> few_f32{{{{16, 32, 8}, "few_rows_f32", 32, 8, 16, 32}}};
inline constexpr std::array<Shape, 1> few_f16{{{{16, 32, 8}, "few_rows_f16", 32, 8, 16, 32}}};
inline constexpr std::array<Shape, 1> r3_bf16{{{{16, 16, 16}, "r3_tiled_16_bf16", 16, 16, 16, 16}}};
inline constexpr std::array<Shape, 1> r8_bf16{{{{32, 32, 8}, "r8_matrix_unit_bf16", 128, 1, 32, 32}}};
inline constexpr std::array<Shape, 1> r9p_bf16{{{{64, 64, 16}, "r9_plain_loads_4_2_2_bf16", 128, 1, 64, 64}}};

template <const auto& shapes>
inline constexpr auto tiles = tiles_of(shapes);

inline constexpr LadderRow rungs[] = {
    {"r1_naive.f32", "r1_naive", Rung::naive, Type::f32, 0, Takes::any, r1_f32, tiles<r1_f32>, 8,
     "one thread a result, neighbours down a column of C"},
    {"r1_naive.f16", "r1_naive", Rung::naive, Type::f16, 0, Takes::any, r1_f16, tiles<r1_f16>, 7,
     "one thread a result, neighbours down a column of C"},
    {"r2_coalesced.f32", "r2_coalesced", Rung::coalesced, Type::f32, 0, Takes::any, r2_f32, tiles<r2_f32>, 4,
     "the grid's axes exchanged: neighbours read and write neighbours"},
    {"r2_coalesced.f16", "r2_coalesced", Rung::coalesced, Type::f16, 0, Takes::any, r2_f16, tiles<r2_f16>, 3.5,
     "the grid's axes exchanged: neighbours read and write neighbours"},
    {"r3_tiled.f32", "r3_tiled", Rung::tiled, Type::f32, 0, Takes::any, r3_f32, tiles<r3_f32>, 3,
     "square tiles of A and B in threadgroup memory, loaded once for all threads"},
    {"r3_tiled.f16", "r3_tiled", Rung::tiled, Type::f16, 0, Takes::any, r3_f16, tiles<r3_f16>, 2.6,
     "square tiles of A and B in threadgroup memory, loaded once for all threads"},
    {"r3_tiled.bf16", "bfloat", Rung::tiled, Type::bf16, bfloat_type, Takes::any, r3_bf16, tiles<r3_bf16>, 2.6,
     "square tiles of A and B in threadgroup memory, loaded once for all threads"},
    {"r4_register_tile.f32", "r4_register_tile", Rung::register_tile, Type::f32, 0, Takes::any, r4_f32, tiles<r4_f32>,
     1.8, "four results of a column in each thread's registers"},
    {"r4_register_tile.f16", "r4_register_tile", Rung::register_tile, Type::f16, 0, Takes::any, r4_f16, tiles<r4_f16>,
     1.62, "four results of a column in each thread's registers"},
    {"r5_register_block.f32", "r5_register_block", Rung::register_block, Type::f32, 0, Takes::any, r5_f32,
     tiles<r5_f32>, 1.4, "a 4 x 4 block of results in each thread's registers"},
    {"r5_register_block.f16", "r5_register_block", Rung::register_block, Type::f16, 0, Takes::any, r5_f16,
     tiles<r5_f16>, 1.26, "a 4 x 4 block of results in each thread's registers"},
    {"r6_vectorized.f32", "r6_vectorized", Rung::vectorized, Type::f32, 0, Takes::any, r6_f32, tiles<r6_f32>, 1.2,
     "four elements a load, A's tile transposed on the way"},
    {"r6_vectorized.f16", "r6_vectorized", Rung::vectorized, Type::f16, 0, Takes::any, r6_f16, tiles<r6_f16>, 1.08,
     "four elements a load, A's tile transposed on the way"},
    {"r7_hierarchical.f32", "r7_hierarchical", Rung::hierarchical, Type::f32, 0, Takes::any, r7_f32, tiles<r7_f32>, 1.0,
     "two levels of tiles below the block, rows padded by four"},
    {"r7_hierarchical.f16", "r7_hierarchical", Rung::hierarchical, Type::f16, 0, Takes::any, r7_f16, tiles<r7_f16>, 0.9,
     "two levels of tiles below the block, rows padded by four"},
    {"r8_matrix_unit.f32", "r8_matrix_unit", Rung::matrix_unit, Type::f32, simdgroup_matrices, Takes::unit_steps,
     r8_f32, tiles<r8_f32>, 0.9, "8x8 matrices that a SIMD-group multiplies as one, from device memory"},
    {"r8_matrix_unit.f16", "r8_matrix_unit", Rung::matrix_unit, Type::f16, simdgroup_matrices, Takes::unit_steps,
     r8_f16, tiles<r8_f16>, 0.81, "8x8 matrices that a SIMD-group multiplies as one, from device memory"},
    {"r8_matrix_unit.bf16", "bfloat", Rung::matrix_unit, Type::bf16, bfloat_type | simdgroup_matrices,
     Takes::unit_steps, r8_bf16, tiles<r8_bf16>, 0.8, "8x8 matrices that a SIMD-group multiplies as one"},
    {"r9_async_pipeline.f32", "r9_async_pipeline", Rung::async_pipeline, Type::f32, simdgroup_matrices | async_copy,
     Takes::unit_steps, r9a_f32, tiles<r9a_f32>, 0.5, "one SIMD-group has tiles copied while others multiply"},
    {"r9_async_pipeline.f16", "r9_async_pipeline", Rung::async_pipeline, Type::f16, simdgroup_matrices | async_copy,
     Takes::unit_steps, r9a_f16, tiles<r9a_f16>, 0.42, "one SIMD-group has tiles copied while others multiply"},
    {"r9_plain_loads.f32", "r9_plain_loads", Rung::async_pipeline, Type::f32, simdgroup_matrices, Takes::unit_steps,
     r9p_f32, tiles<r9p_f32>, 0.6, "the same tiles without the copy instruction, brought by all threads"},
    {"r9_plain_loads.f16", "r9_plain_loads", Rung::async_pipeline, Type::f16, simdgroup_matrices, Takes::unit_steps,
     r9p_f16, tiles<r9p_f16>, 0.51, "the same tiles without the copy instruction, brought by all threads"},
    {"r9_plain_loads.bf16", "bfloat", Rung::async_pipeline, Type::bf16, bfloat_type | simdgroup_matrices,
     Takes::unit_steps, r9p_bf16, tiles<r9p_bf16>, 0.5, "tiles in threadgroup memory for the matrix unit"},
    {"few_rows.f32", "few_rows", Rung::none, Type::f32, 0, Takes::few_rows, few_f32, tiles<few_f32>, 0.4,
     "1 to 16 rows: k is split among the threads, B is read once"},
    {"few_rows.f16", "few_rows", Rung::none, Type::f16, 0, Takes::few_rows, few_f16, tiles<few_f16>, 0.4,
     "1 to 16 rows: k is split among the threads, B is read once"},
};

}  // namespace tw::metal
