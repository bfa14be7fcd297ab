// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// An old C on its way while its tile is multiplied: TMA brings a warp's boxes of 16 rows by 128 bytes into the ring
// that results leave by. What is added is read where the result is then written, and goes back from there.
//
//    product's loop   box 0, box 1 come         end   + box 0 -> C, + box 1 -> C, box 2, box 3 come, + ...
//
// 245 x 14336 x 3584 of bf16 takes an H200 46.1 us, and took 51.1 by threads, 4 bytes at a time.
#pragma once

#include "backend/cuda/epilogue/groups.cuh"
#include "backend/cuda/ptx/ldmatrix.cuh"
#include "backend/cuda/ptx/mbarrier.cuh"

namespace tw::cuda {

/// Of one warp of a consumer; N: columns, in whole boxes of 128 bytes.
template <class T, int N>
class OldBoxes {
public:
    static constexpr int columns = 64, boxes = N / columns, ring = 2, box_bytes = 16 * 128;
    static constexpr int barrier_bytes = 4 * ring * 8;  ///< of a consumer

    /// `buffers`, `barriers`: the consumer's.
    __device__ OldBoxes(const CUtensorMap& c, std::uint32_t buffers, std::uint32_t barriers, int thread)
        : map_(c),
          buffers_(buffers + thread / 32 * ring * box_bytes),
          barriers_(barriers + thread / 32 * ring * 8),
          lane_(thread % 32),
          own_(thread / 32 * 16) {}

    /// By all threads, before anything is asked for.
    __device__ void init() const {
        if (lane_ == 0) {
            for (int slot = 0; slot < ring; ++slot) ptx::init_barrier(barriers_ + 8 * slot, 1);
            ptx::publish_barriers();
        }
        __syncwarp();
    }

    /// The first boxes of a tile, as soon as what the ring had before is read.
    __device__ void ask_first(const Output& out, int first_row, int first_col) const {
        if (lane_ == 0) ask_some(out, 0, first_row, first_col);
    }

    /// C = alpha * sums + beta * C.
    __device__ void add_and_store(float (&sums)[N / 2], const Output& out, int first_row, int first_col) {
        if (out.alpha != 1) each_sum<N>(sums, [&](float x) { return x * out.alpha; });
#pragma unroll
        for (int box = 0; box < boxes; ++box) {
            const int slot = box % ring;
            const std::uint32_t buffer = buffers_ + slot * box_bytes;
            ptx::wait_barrier(barriers_ + 8 * slot, phases_ >> slot & 1);
            phases_ ^= 1u << slot;
            __syncwarp();
            add_box(sums + box * columns / 2, buffer, out.beta);
            ptx::publish_to_async_proxy();
            __syncwarp();
            if (lane_ != 0) continue;
            const int row = first_row + own_, col = first_col + box * columns;
            if (out.depth < 0) ptx::store_box(map_, buffer, col, row);
            else ptx::store_box(map_, buffer, col, row, out.depth);
            ptx::commit_stores();
            if (slot == ring - 1 && box + 1 < boxes) ask_some(out, box + 1, first_row, first_col);
        }
    }

private:
    __device__ void ask_some(const Output& out, int first, int first_row, int first_col) const {
        ptx::wait_for_reads_of_stores<0>();
#pragma unroll
        for (int slot = 0; slot < ring; ++slot) {
            if (first + slot >= boxes) continue;
            const std::uint32_t barrier = barriers_ + 8 * slot, to = buffers_ + slot * box_bytes;
            const int row = first_row + own_, col = first_col + (first + slot) * columns;
            ptx::expect_bytes(barrier, box_bytes);
            if (out.depth < 0) ptx::load_box(to, map_, barrier, col, row);
            else ptx::load_box(to, map_, barrier, col, row, out.depth);
        }
    }

    __device__ void add_box(const float* sums, std::uint32_t buffer, float beta) const {
        const int row = lane_ % 16, swizzle = row % 8;
#pragma unroll
        for (int g = 0; g < columns / 8; g += 2) {
            const std::uint32_t place = buffer + row * 128 + (((g + lane_ / 16) ^ swizzle) << 4);
            std::uint32_t f[4];
            ptx::load_matrices(f, place);
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                const T* const old = reinterpret_cast<const T*>(&f[i]);
                const float* const s = sums + 4 * g + 2 * i;
                f[i] = pack<T>(s[0] + beta * static_cast<float>(old[0]), s[1] + beta * static_cast<float>(old[1]));
            }
            ptx::store_fragments(place, f);
        }
    }

    const CUtensorMap& map_;
    std::uint32_t buffers_, barriers_;
    int lane_, own_;
    std::uint32_t phases_ = 0;  ///< a bit a slot
};

}  // namespace tw::cuda
