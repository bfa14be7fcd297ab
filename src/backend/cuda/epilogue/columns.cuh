// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// What the four threads of a row exchange to have 16 bytes each; and sums to a C that is seen from its other side: each
// 8 x 8 of a warp turns round, then two threads have 32 bytes of a column side by side.
#pragma once

#include "backend/cuda/epilogue/epilogue.cuh"
#include "backend/cuda/ptx/ldmatrix.cuh"
#include "backend/cuda/ptx/store_turned.cuh"

namespace tw::cuda {

/// words[i]: this thread's of group i, becomes the i-th of group `quad`; by all four threads of a row.
__device__ inline void exchange_groups(std::uint32_t (&words)[4], int quad) {
#pragma unroll
    for (int apart = 1; apart <= 2; apart *= 2) {
        const bool upper = (quad & apart) != 0;
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            if (i & apart) continue;
            std::uint32_t& low = words[i];
            std::uint32_t& high = words[i + apart];
            const std::uint32_t got = __shfl_xor_sync(~0u, upper ? low : high, apart);
            (upper ? low : high) = got;
        }
    }
}

/// The 64 x N sums to C's columns, which are contiguous, of 16 bits, and as long as a multiple of 8.
template <class T, int N>
__device__ void store_columns(const float (&sums)[N / 2], const Output& out, int first_row, int first_col, int thread) {
    static_assert(N % 16 == 0 && sizeof(T) == 2);
    const int lane = thread % 32, quad = lane % 4, row = first_row + thread / 32 * 16 + quad % 2 * 8;
    const int col = first_col + quad / 2 * 8 + lane / 4;
    T* const c = static_cast<T*>(out.data) + row + col * out.col_step;
#pragma unroll
    for (int g = 0; g < N / 8; g += 2) {
        std::uint32_t words[4];
#pragma unroll
        for (int i = 0; i < 4; ++i) words[i] = ptx::turned(pack<T>(sums[4 * g + 2 * i], sums[4 * g + 2 * i + 1]));
        exchange_groups(words, quad);
        if (row < out.rows && col + 8 * g < out.cols)
            *reinterpret_cast<uint4*>(c + 8 * g * out.col_step) = {words[0], words[1], words[2], words[3]};
    }
}

/// The same through boxes of 64 x 64 in shared memory, of a consumer's own; map: of C as it lies. 64 of a column are
/// 128 bytes, of which a warp has 32.
template <class T, int N>
__device__ void store_column_boxes(const float (&sums)[N / 2], const CUtensorMap& map, std::uint32_t buffers,
                                   int first_row, int first_col, int group, int thread) {
    static_assert(N % 16 == 0 && sizeof(T) == 2);
    constexpr int consumer = 128, rows_of_map = 16, box_bytes = 64 * 128;
    const int lane = thread % 32, chunk = thread / 32 * 2 + lane / 8 % 2, inside = lane / 16 * 8 + lane % 8;
#pragma unroll
    for (int from = 0; from < N; from += 64) {
        const std::uint32_t buffer = buffers + from / 64 % 2 * box_bytes;
        if (thread == 0) ptx::wait_for_reads_of_stores<1>();
        ptx::sync_named(1 + group, consumer);
#pragma unroll
        for (int col = from; col < from + 64 && col < N; col += 16) {
            const float* const s = sums + col / 2;
            const std::uint32_t f[4] = {pack<T>(s[0], s[1]), pack<T>(s[2], s[3]), pack<T>(s[4], s[5]),
                                        pack<T>(s[6], s[7])};
            ptx::store_turned(buffer + (col - from + inside) * 128 + ((chunk ^ lane % 8) << 4), f);
        }
        ptx::publish_to_async_proxy();
        ptx::sync_named(1 + group, consumer);
        if (thread != 0) continue;
        for (int col = from; col < from + 64 && col < N; col += rows_of_map)
            ptx::store_box(map, buffer + (col - from) * 128, first_row, first_col + col);
        ptx::commit_stores();
    }
}

}  // namespace tw::cuda
