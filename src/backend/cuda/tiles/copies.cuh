// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// What a thread copies of both operands into a stage, one piece after another, so that a loop can put the pieces
// between its products: in a row, they and their addresses were a hundred instructions, for which the unit waited.
#pragma once

#include <cstdint>

#include "backend/cuda/ptx/cp_async.cuh"

namespace tw::cuda {

template <class A, class B>
struct Copies {
    A a;
    B b;
    static constexpr int pieces = A::pieces + B::pieces;

    /// Before a stage's pieces.
    __device__ void begin(std::uint32_t stage) {
        if constexpr (requires { a.begin(stage); }) a.begin(stage), b.begin(stage + A::bytes);
    }
    /// Those behind turn q of so many: all pieces, if the last is q = turns - 1.
    __device__ void fill(std::uint32_t stage, int q, int turns) {
#pragma unroll
        for (int piece = pieces * q / turns; piece < min(pieces, pieces * (q + 1) / turns); ++piece) {
            if (piece < A::pieces) a.fill(stage, piece);
            else b.fill(stage + A::bytes, piece - A::pieces);
        }
    }
    /// So many stages, a group of copies each.
    __device__ void fill_stages(std::uint32_t stage, int count) {
#pragma unroll 1
        for (int s = 0; s < count; ++s, stage += A::bytes + B::bytes) {
            begin(stage);
            fill(stage, 0, 1);
            ptx::commit_copies();
        }
    }
};

}  // namespace tw::cuda
