// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The CUDA row and its ladder, in climbing order. To add a rung: write its file, declare it in ladder.hpp, add it here.
#include "backend/cuda/ladder.hpp"

#include "backend/cuda/device/async_copies.hpp"
#include "backend/cuda/device/device.hpp"
#include "backend/cuda/device/entry.hpp"
#include "backend/cuda/device/roofs.hpp"
#include "backend/cuda/device/scratch.hpp"
#include "backend/cuda/effort/effort.hpp"
#include "backend/cuda/few/rows.hpp"

namespace tw::cuda {
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
    &r3_tiled_f32,
    &r3_tiled_f64,
    &r3_tiled_c64,
    &r3_tiled_c128,
    &r4_register_tile_f32,
    &r4_register_tile_c64,
    &r5_register_block_f32,
    &r5_register_block_c64,
    &r6_vectorized_f32,
    &r6_vectorized_c64,
    &r7_hierarchical_f32,
    &r7_hierarchical_complex_c64,
    &r8_matrix_unit_f32,
    &r8_matrix_unit_bf16,
    &r8_matrix_unit_bf16_f32,
    &r8_matrix_unit_f16,
    &r8_matrix_unit_f16_f32,
    &r8_mma_sync_bf16,
    &r8_mma_sync_bf16_f32,
    &r8_mma_sync_f16,
    &r8_mma_sync_f16_f32,
    &r8_dmma_f64,
    &r8_dmma_complex_c128,
    &r9_async_pipeline_f32,
    &r9_async_pipeline_bf16,
    &r9_async_pipeline_bf16_f32,
    &r9_async_pipeline_f16,
    &r9_async_pipeline_f16_f32,
    &r10_split_fp16x3,
    &r10_split_bf16x6,
    &r10_split_fp16x1,
    &r10_split_remainders_f64,
    &r10_split_remainders_c64,
    &r10_split_remainders_c128,
    &few_rows_fma_f32,
    &few_rows_fma_bf16,
    &few_rows_fma_bf16_f32,
    &few_rows_fma_f16,
    &few_rows_fma_f16_f32,
    &few_rows_f32,
    &few_rows_bf16,
    &few_rows_bf16_f32,
    &few_rows_f16,
    &few_rows_f16_f32,
    &few_rows_async_f32,
    &few_rows_async_bf16,
    &few_rows_async_bf16_f32,
    &few_rows_async_f16,
    &few_rows_async_f16_f32,
    &few_rows_fma_async_f32,
    &few_rows_turned_bf16,
    &few_rows_turned_bf16_f32,
    &few_rows_turned_f16,
    &few_rows_turned_f16_f32,
    &few_rows_split_f32,
    &few_rows_anywhere_f32,
    &few_rows_anywhere_f32_of_all,
    &few_rows_anywhere_tf32,
    &few_rows_anywhere_bf16,
    &few_rows_anywhere_bf16_f32,
    &few_rows_anywhere_f16,
    &few_rows_anywhere_f16_f32,
    &few_steps_f32,
    &few_steps_mma_tf32,
    &few_tiles_sliced_f32,
    &few_rows_wide_f64,
    &few_rows_wide_c64,
    &few_rows_wide_c128,
    &few_tiles_f64,
    &few_tiles_c64,
    &few_tiles_c128,
    &few_tiles_f32,
    &few_tiles_slices,
    &few_tiles_tf32,
    &few_tiles_bf16,
    &few_tiles_bf16_f32,
    &few_tiles_f16,
    &few_tiles_f16_f32,
};

constexpr FeatureName feature_names[] = {
    {feature::sm80, "sm80"},
    {feature::sm90a, "sm90a"},
};

constexpr Backend row{
    .name = "cuda",
    .place = Place::cuda,
    .ladder = ladder,
    .feature_names = feature_names,
    .features = []() -> Features { return features(); },
    .devices = [] { return device_count(); },
    .absence = []() -> const char* { return absence(); },
    .select = [](int device) { return select(device); },
    .owns = [](const void* memory) { return owns_memory(memory); },
    .alloc = [](std::size_t bytes) -> void* { return allocate(bytes); },
    .free = [](void* memory) { release(memory); },
    .scratch = [](std::size_t bytes, void* stream) { return kept_scratch(bytes, stream); },
    .copy = [](const Matrix& to, const Matrix& from, void* stream) { return copy(to, from, stream); },
    .finish = [](const Matrix& c, double beta, double beta_imag, const Epilogue& epilogue,
                 void* stream) { return finish(c, beta, beta_imag, epilogue, stream); },
    .wait = [](void* stream) { return wait(stream); },
    .captures = [](void* stream) { return captures(stream); },
    .async_copies = &async_copies,
    .effort = effort_rows,
    .roofs = roofs,
};

}  // namespace
}  // namespace tw::cuda

extern "C" TW_API const tw::Backend* tilewright_cuda_backend(unsigned long long stamp) noexcept {
    return stamp == tw::cuda::contract_stamp ? &tw::cuda::row : nullptr;
}
