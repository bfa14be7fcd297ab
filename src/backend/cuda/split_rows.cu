// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Splitting rows whose k is contiguous: a block a row, which stays in registers, so that each element is read once and
// each part written once. Rows too long for that are read twice.
#include "backend/cuda/launch.hpp"
#include "backend/cuda/product.cuh"
#include "backend/cuda/ptx/team.cuh"
#include "backend/cuda/split_parts.cuh"
#include "backend/cuda/split_kernels.hpp"

namespace tw::cuda {
namespace {

template <int threads>
__device__ unsigned largest_of_block(unsigned mine) {
    __shared__ unsigned of_warp[threads / 32];
    mine = __reduce_max_sync(~0u, mine);
    if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = mine;
    __syncthreads();
    unsigned all = of_warp[threadIdx.x % (threads / 32)];
    return __reduce_max_sync(~0u, all);
}

/// Four neighbours from k on; what lies behind the row's end is 0.
__device__ void read_4(float (&x)[4], const float* row, std::int64_t k, std::int64_t end, bool by_4) {
    if (by_4 && k + 4 <= end) {
        const float4 four = __ldcs(reinterpret_cast<const float4*>(row + k));
        x[0] = four.x, x[1] = four.y, x[2] = four.z, x[3] = four.w;
    } else {
#pragma unroll
        for (int i = 0; i < 4; ++i) x[i] = k + i < end ? row[k + i] : 0;
    }
}

template <Parts parts, int threads, int fours>
__global__ void __launch_bounds__(threads) split_rows(Tensor<const float> from, std::uint16_t* to, std::int64_t pitch,
                                                      int* exponents, bool by_4) {
    ptx::let_next_kernel_begin();
    ptx::wait_for_kernel_before();
    constexpr std::int64_t at_once = std::int64_t{threads} * fours * 4;
    const std::int64_t end = from.cols(), padded = pitch / layout_of(parts).parts;
    const float* row = &from(blockIdx.x, 0);
    float x[fours][4];
    unsigned largest = 0;
    const auto read = [&](std::int64_t first) {
#pragma unroll
        for (int i = 0; i < fours; ++i) read_4(x[i], row, first + 4 * (i * threads + threadIdx.x), end, by_4);
    };
    for (std::int64_t first = 0; first < end; first += at_once) {
        read(first);
#pragma unroll
        for (int i = 0; i < fours; ++i)
#pragma unroll
            for (int j = 0; j < 4; ++j) largest = max(largest, magnitude_bits(x[i][j]));
    }
    largest = largest_of_block<threads>(largest);
    const bool finite = largest < 0x7f800000u;
    const int lift = lifting_exponent(largest);
    if (threadIdx.x == 0) exponents[blockIdx.x] = stored_exponent(largest);
    for (std::int64_t first = 0; first < padded; first += at_once) {
        if (end > at_once) read(first);
#pragma unroll
        for (int i = 0; i < fours; ++i) {
            const std::int64_t k = first + 4 * (i * threads + threadIdx.x);
            if (k < padded) store_parts<parts>(to + blockIdx.x * pitch, k, x[i], lift, finite);
        }
    }
}

template <Parts parts>
Status start(const Tensor<const float>& rows, std::uint16_t* to, int* exponents, void* stream) {
    const std::int64_t pitch = parts_pitch(parts, rows.layout.cols);
    const bool by_4 = reinterpret_cast<std::uintptr_t>(rows.data) % 16 == 0 && rows.layout.row_step % 4 == 0;
    const auto go = [&](auto kernel, unsigned threads) {
        const Launch how{.blocks = static_cast<unsigned>(rows.layout.rows), .threads = threads, .overlaps = true};
        return launch(kernel, how, stream, rows, to, pitch, exponents, by_4);
    };
    const std::int64_t k = rows.layout.cols;
    if (k <= 1024) return go(split_rows<parts, 128, 2>, 128);
    if (k <= 2048) return go(split_rows<parts, 128, 4>, 128);
    if (k <= 4096) return go(split_rows<parts, 256, 4>, 256);
    if (k <= 8192) return go(split_rows<parts, 512, 4>, 512);
    return go(split_rows<parts, 512, 8>, 512);
}

}  // namespace

Status split_along_k(const Tensor<const float>& rows, Parts parts, std::uint16_t* to, int* exponents, void* stream) noexcept {
    switch (parts) {
        case Parts::fp16x1: return start<Parts::fp16x1>(rows, to, exponents, stream);
        case Parts::fp16x3: return start<Parts::fp16x3>(rows, to, exponents, stream);
        case Parts::bf16x6: return start<Parts::bf16x6>(rows, to, exponents, stream);
    }
    return {};
}

Status split(const Tensor<const float>& rows, Parts parts, std::uint16_t* to, int* exponents, void* stream) noexcept {
    return rows.layout.col_step == 1 ? split_along_k(rows, parts, to, exponents, stream)
                                     : split_across_k(rows, parts, to, exponents, stream);
}

}  // namespace tw::cuda
