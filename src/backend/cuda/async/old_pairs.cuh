// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// An old C of 16 bits in registers, on its way while its tile is multiplied: what small products would wait for at
// their end. Where its rows can be read two elements at a time.
#pragma once

#include "backend/cuda/epilogue/groups.cuh"

namespace tw::cuda {

/// Of a consumer's 64 x N sums.
template <class T, int N>
class OldPairs {
public:
    __device__ void ask(const Output& of, int first_row, int first_col, int thread) {
        is_here_ = of.beta != 0 && !of.wide && of.by_row && (of.row_step | of.cols) % 2 == 0 &&
                   reinterpret_cast<std::uintptr_t>(of.data) % 4 == 0;
        if (!is_here_) return;
        const FragmentPlace at(thread);
        const T* const first = static_cast<const T*>(of.data) + first_col + at.col;
        const int left = of.cols - first_col - at.col;
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            const T* const old = first + min(first_row + at.row + 8 * half, of.rows - 1) * of.row_step;
#pragma unroll
            for (int g = 0; g < N / 8; ++g)
                asm volatile("ld.global.u32 %0, [%1];" : "=r"(pairs_[2 * g + half]) : "l"(old + min(8 * g, left - 2)));
        }
    }
    __device__ bool is_here() const { return is_here_; }

    /// sums = alpha * sums + beta * C, which `out` then has behind it.
    __device__ void add(float (&sums)[N / 2], Output& out) const {
        if (!is_here_) return;
        if (out.alpha != 1) each_sum<N>(sums, [&](float x) { return x * out.alpha; });
#pragma unroll
        for (int i = 0; i < N / 2; ++i)
            sums[i] += out.beta * static_cast<float>(reinterpret_cast<const T*>(&pairs_[i / 2])[i % 2]);
        out.alpha = 1, out.beta = 0;
    }

private:
    std::uint32_t pairs_[N / 4];
    bool is_here_ = false;
};

}  // namespace tw::cuda
