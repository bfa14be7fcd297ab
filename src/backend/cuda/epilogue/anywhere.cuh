// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// A C of 16 bits whose rows start anywhere. What lies between two multiples of 16 bytes of memory is stored at once;
// its elements come from two neighbours of a row's 16 bytes in shared memory:
//
//    sums      |0 1 2 3 4 5 6 7|8 9 ..         |        a row of a tile in shared memory
//    C        0 1 2|3 4 5 6 7 8 9 10|11 ..     |        where it lies: 0 1 2 go by themselves
//
// Word by word a multiprocessor took 22 cycles for 128 bytes, of which its memory asks 8.
#pragma once

#include "backend/cuda/epilogue/epilogue.cuh"
#include "backend/cuda/ptx/shared_half.cuh"
#include "backend/cuda/ptx/shared_load.cuh"

namespace tw::cuda {

/// Wider tiles have no registers left for it: up to 37 would be spilled.
template <int N>
inline constexpr bool stores_anywhere = N < 192;

/// Of a warp's sums eight rows lie in shared memory at a time, by chunks of 16 bytes.
template <int N>
struct RowsOfChunks {
    static constexpr int chunks = N / 8, lanes = chunks <= 8 ? 8 : chunks <= 16 ? 16 : 32, at_once = 32 / lanes;
    static constexpr int bytes = 8 * lanes * 16;
    static_assert(N % 16 == 0 && chunks <= 32);
    /// A chunk goes where a row's eight columns, and eight rows' same column, are in banks of their own.
    static __device__ std::uint32_t place(int row, int chunk) {
        return static_cast<std::uint32_t>(row * lanes * 16 + ((chunk ^ row) << 4));
    }
};

/// Rows `half` * 8 to + 8 of a warp's 16.
template <class T, int N>
__device__ void fill_chunks(const float (&sums)[N / 2], int half, std::uint32_t buffer, int lane) {
    const std::uint32_t own = lane / 8 % 4;
#pragma unroll
    for (int its = 0; its < 2; ++its) {
        if (its != half) continue;
#pragma unroll
        for (int g = 0; g < N / 8; g += 4) {
            std::uint32_t words[4];
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                const int from = 4 * (g + i < N / 8 ? g + i : g) + 2 * its;  // what is not there is not read
                words[i] = pack<T>(sums[from], sums[from + 1]);
            }
            ptx::store_fragments(buffer + RowsOfChunks<N>::place(lane % 8, g + static_cast<int>(own)), words);
        }
    }
}

/// Eight elements that begin `by` elements before the second of two chunks, by 1 to 8; of the first alone for 8.
__device__ inline uint4 between_chunks(const uint4& first, const uint4& second, int by) {
    const std::uint32_t x[8] = {first.x, first.y, first.z, first.w, second.x, second.y, second.z, second.w};
    const int from = (8 - by) / 2;  // words
    std::uint32_t two[6], one[5];
#pragma unroll
    for (int i = 0; i < 6; ++i) two[i] = from & 2 ? x[i + 2] : x[i];
#pragma unroll
    for (int i = 0; i < 5; ++i) one[i] = from & 1 ? two[i + 1] : two[i];
    const auto word = [&](int i) { return __funnelshift_r(one[i], one[i + 1], by % 2 * 16); };
    return {word(0), word(1), word(2), word(3)};
}

/// A consumer's 64 x N sums; `buffers`: RowsOfChunks<N>::bytes for each of its warps.
template <class T, int N>
__device__ void store_anywhere(const float (&sums)[N / 2], const Output& out, std::uint32_t buffers, int first_row,
                               int first_col, int thread) {
    using Rows = RowsOfChunks<N>;
    const int lane = thread % 32, own = first_row + thread / 32 * 16, cols = min(N, out.cols - first_col);
    const std::uint32_t buffer = buffers + static_cast<std::uint32_t>(thread / 32 * Rows::bytes);
    /// Elements of a row from a multiple of 16 bytes on to its first.
    const auto before = [](const T* row) { return static_cast<int>(reinterpret_cast<std::uintptr_t>(row) / 2 % 8); };
#pragma unroll 1
    for (int half = 0; half < 2; ++half) {
        T* const c = static_cast<T*>(out.data) + (own + 8 * half) * out.row_step + first_col;
        const int rows = min(8, out.rows - own - 8 * half), chunk = lane % Rows::lanes;
        if (rows <= 0) return;
        __syncwarp();
        fill_chunks<T, N>(sums, half, buffer, lane);
        __syncwarp();
        constexpr int of_lane = 8 / Rows::at_once, held = of_lane < 4 ? of_lane : 4;  // rows on their way at a time
#pragma unroll 1
        for (int from = lane / Rows::lanes; from < 8; from += held * Rows::at_once) {
            uint4 first[held], second[held];
#pragma unroll
            for (int i = 0; i < held; ++i) {
                const int r = from + i * Rows::at_once, behind = before(c + r * out.row_step);
                first[i] = ptx::load_chunk(buffer + Rows::place(r, max(chunk - (behind > 0), 0)));
                second[i] = ptx::load_chunk(buffer + Rows::place(r, chunk));
            }
#pragma unroll
            for (int i = 0; i < held; ++i) {
                const int r = from + i * Rows::at_once;
                T* const to = c + r * out.row_step;
                const int behind = before(to), x = 8 * chunk - behind;
                const uint4 mine = between_chunks(first[i], second[i], behind > 0 ? behind : 8);
                if (r < rows && x >= 0 && x + 8 <= cols) *reinterpret_cast<uint4*>(to + x) = mine;
            }
        }
        // Elements in front of a row's first whole chunk, and behind its last: by four lanes.
        const int r = lane / 4;
        T* const to = c + r * out.row_step;
        const int behind = before(to), head = min((8 - behind) % 8, cols), tail = (cols + behind) / 8 * 8 - behind;
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            const int x = i < 2 ? lane % 4 + 4 * i : tail + lane % 4 + 4 * (i - 2);
            if (r < rows && (i < 2 ? x < head : x >= head && x < cols))
                *reinterpret_cast<std::uint16_t*>(to + x) =
                    static_cast<std::uint16_t>(ptx::load_half(buffer + Rows::place(r, x / 8) + x % 8 * 2));
        }
    }
}

}  // namespace tw::cuda
