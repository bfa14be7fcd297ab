// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// few_steps's products of a stage, A's parts in registers and B's in shared memory.
#pragma once

#include "backend/cuda/few/fragment_words.cuh"
#include "backend/cuda/few/inside_stage.cuh"
#include "backend/cuda/ptx/wgmma_registers.cuh"

namespace tw::cuda::inside {

/// Of A, 16 rows of a warp and 8 of k.
struct PartsOfA {
    std::uint32_t large[4], small[4];

    template <class S, bool across>
    __device__ void read(std::uint32_t a, int row, int k) {
        read_words<across>(large, a, S::template a_pitch<across>, row, k);
#pragma unroll
        for (int x = 0; x < 4; ++x) small[x] = cut(large[x]);
    }
};

template <int count>
__device__ void begin(float (&unit)[count]) {
    ptx::pin(unit);
    ptx::fence_products();
}
template <int count>
__device__ void end(float (&unit)[count]) {
    ptx::wait_for_products<0>();
    ptx::pin(unit);
}
template <int count>
__device__ void add(float (&sums)[count], const float (&unit)[count]) {
#pragma unroll
    for (int x = 0; x < count; ++x) sums[x] += unit[x];
}

/// B's parts as the unit finds them.
struct PartsOfB {
    std::uint64_t large, small;
};

/// Adds `count` times 8 of k to the sums, each by itself, small products first.
template <class S, bool across>
__device__ void multiply_one_by_one(float (&sums)[S::N / 2], std::uint32_t a, int row, PartsOfB b, int count) {
    using Unit = ptx::UnitOfRegisters<S::N>;
#pragma unroll 1
    for (int k = 0; k < count * of_unit; k += of_unit) {
        PartsOfA of;
        of.read<S, across>(a, row, k);
        float unit[S::N / 2] = {};
        begin(unit);
        Unit::add(unit, of.small, b.large, 0);
        Unit::add(unit, of.large, b.small, 1);
        Unit::add(unit, of.large, b.large, 1);
        ptx::commit_products();
        end(unit);
        add(sums, unit);
        b.large += of_unit * 4 >> 4, b.small += of_unit * 4 >> 4;
    }
}

/// Adds a whole stage: all products that are small come first, whose errors are, too. meanwhile(): what is done while
/// the unit is at work.
template <class S, bool across, class Meanwhile>
__device__ void multiply_whole(float (&sums)[S::N / 2], std::uint32_t a, int row, PartsOfB b,
                               const Meanwhile& meanwhile) {
    using Unit = ptx::UnitOfRegisters<S::N>;
    constexpr int count = BK / of_unit, next = of_unit * 4 >> 4;
    PartsOfA of[count];
#pragma unroll
    for (int q = 0; q < count; ++q) of[q].read<S, across>(a, row, q * of_unit);
    float unit[S::N / 2] = {};
    begin(unit);
#pragma unroll
    for (int q = 0; q < count; ++q) {
        Unit::add(unit, of[q].small, b.large + q * next, q > 0);
        Unit::add(unit, of[q].large, b.small + q * next, 1);
    }
#pragma unroll
    for (int q = 0; q < count; ++q) Unit::add(unit, of[q].large, b.large + q * next, 1);
    ptx::commit_products();
    meanwhile();
    end(unit);
    add(sums, unit);
}

}  // namespace tw::cuda::inside
