// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The CPU's row and its ladder, in climbing order. To add a rung: write its file, declare it in ladder.hpp, add it
// here.
#include "backend/cpu/ladder.hpp"

#include "backend/cpu/backend.hpp"
#include "backend/cpu/effort/rows.hpp"
#include "base/cpu_features.hpp"

namespace tw::cpu {
namespace {

const Kernel* const ladder[] = {
    &r1_naive_f32,
    &r1_naive_f64,
    &r1_naive_c64,
    &r1_naive_c128,
    &r2_coalesced_f32,
    &r2_coalesced_f64,
    &r2_coalesced_c64,
    &r2_coalesced_c128,
    &r3_tiled_16_f32,
    &r3_tiled_16_f64,
    &r3_tiled_32_f32,
    &r3_tiled_32_f64,
    &r3_tiled_16_c64,
    &r3_tiled_16_c128,
    &r4_register_tile_f32,
    &r4_register_tile_f64,
    &r4_register_tile_c64,
    &r4_register_tile_c128,
    &r5_register_block_f32,
    &r5_register_block_f64,
    &r5_register_block_c64,
    &r5_register_block_c128,
    &r6_vectorized_portable_f32,
    &r6_vectorized_portable_f64,
#if defined(__x86_64__)
    &r6_vectorized_avx2_f32,
    &r6_vectorized_avx2_f64,
    &r6_vectorized_avx512_f32,
    &r6_vectorized_avx512_f64,
#elif defined(__aarch64__)
    &r6_vectorized_neon_f32,
    &r6_vectorized_neon_f64,
#endif
    &r6_vectorized_complex_portable_c64,
    &r6_vectorized_complex_portable_c128,
#if defined(__x86_64__)
    &r6_vectorized_complex_avx2_c64,
    &r6_vectorized_complex_avx2_c128,
    &r6_vectorized_complex_avx512_c64,
    &r6_vectorized_complex_avx512_c128,
#elif defined(__aarch64__)
    &r6_vectorized_complex_neon_c64,
    &r6_vectorized_complex_neon_c128,
#endif
    &r7_hierarchical_portable_f32,
    &r7_hierarchical_portable_f64,
#if defined(__x86_64__)
    &r7_hierarchical_avx2_f32,
    &r7_hierarchical_avx2_f64,
    &r7_hierarchical_avx512_f32,
    &r7_hierarchical_avx512_f64,
    &r7_hierarchical_avx512_apart_f32,
    &r7_hierarchical_avx512_apart_f64,
#elif defined(__aarch64__)
    &r7_hierarchical_neon_f32,
    &r7_hierarchical_neon_f64,
#endif
    &r7_hierarchical_wide_portable,
#if defined(__x86_64__)
    &r7_hierarchical_wide_avx2,
    &r7_hierarchical_wide_avx512,
#elif defined(__aarch64__)
    &r7_hierarchical_wide_neon,
#endif
    &r7_hierarchical_complex_portable_c64,
    &r7_hierarchical_complex_portable_c128,
#if defined(__x86_64__)
    &r7_hierarchical_complex_avx2_c64,
    &r7_hierarchical_complex_avx2_c128,
    &r7_hierarchical_complex_avx512_c64,
    &r7_hierarchical_complex_avx512_c128,
#elif defined(__aarch64__)
    &r7_hierarchical_complex_neon_c64,
    &r7_hierarchical_complex_neon_c128,
#endif
#if defined(__x86_64__)
    &r8_matrix_unit_amx_f32,
    &r8_matrix_unit_amx_bf16,
    &r8_matrix_unit_amx_bf16_f32,
    &r10_split_amx_bf16x3,
    &r10_split_amx_bf16x6,
    &r10_split_vnni_int8x6,
    &r10_split_vnni_int8x8,
    &r10_split_amx_int8x6,
    &r10_split_amx_int8x8,
    &r10_split_amx_sampled,
#endif
    &few_rows_portable_f32,
    &few_rows_portable_f64,
#if defined(__x86_64__)
    &few_rows_avx2_f32,
    &few_rows_avx2_f64,
    &few_rows_avx512_f32,
    &few_rows_avx512_f64,
#elif defined(__aarch64__)
    &few_rows_neon_f32,
    &few_rows_neon_f64,
#endif
    &few_rows_complex_portable_c64,
    &few_rows_complex_portable_c128,
#if defined(__x86_64__)
    &few_rows_complex_avx2_c64,
    &few_rows_complex_avx2_c128,
    &few_rows_complex_avx512_c64,
    &few_rows_complex_avx512_c128,
#elif defined(__aarch64__)
    &few_rows_complex_neon_c64,
    &few_rows_complex_neon_c128,
#endif
};

constexpr FeatureName feature_names[] = {
    {cpu_feature::avx2, "avx2"},
    {cpu_feature::avx512, "avx512"},
    {cpu_feature::avx512_bf16, "avx512_bf16"},
    {cpu_feature::avx512_vnni, "avx512_vnni"},
    {cpu_feature::avx512_vbmi, "avx512_vbmi"},
    {cpu_feature::amx_bf16, "amx_bf16"},
    {cpu_feature::amx_int8, "amx_int8"},
    {cpu_feature::neon, "neon"},
    {cpu_feature::neon_dot, "neon_dot"},
};

int one_device() { return 1; }
const char* never_absent() { return ""; }
Features features() { return cpu_features(); }

constexpr Backend row{
    .name = "cpu",
    .place = Place::host,
    .ladder = ladder,
    .feature_names = feature_names,
    .features = features,
    .devices = one_device,
    .absence = never_absent,
    .effort = effort_rows,
};

}  // namespace

const Backend& backend() noexcept { return row; }

}  // namespace tw::cpu
