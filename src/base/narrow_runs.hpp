// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Runs of f16 and bf16 to f32 and back, with the bits of rounding.hpp, by the processor's own instructions where it has
// them.
#pragma once

#include <cstdint>

#include "tilewright/view.hpp"

namespace tw {

constexpr bool is_narrow(Type type) noexcept { return type == Type::f16 || type == Type::bf16; }

/// `count` elements that lie side by side, exactly.
void widen_run(Type from, const void* source, std::int64_t count, float* to) noexcept;

/// To nearest even.
void round_run(Type to, const float* source, std::int64_t count, void* target) noexcept;

/// The same for whole matrices, one of which is f32 and the other narrow: by runs where both lie alike.
void widen_matrix(const Matrix& to, const Matrix& from) noexcept;
void round_matrix(const Matrix& to, const Matrix& from) noexcept;

/// What an instruction set has for rows of runs: short ones, as a strip of B or a tile of C has, take no longer than
/// their elements do. Those that it lacks are null.
struct NarrowRuns {
    template <class From, class To>
    using Rows = void (*)(const From* source, std::int64_t step, std::int64_t rows, std::int64_t count, To* to,
                          std::int64_t to_step);

    Rows<float16, float> widen_f16 = nullptr;
    Rows<bfloat16, float> widen_bf16 = nullptr;
    Rows<float, float16> round_f16 = nullptr;
    Rows<float, bfloat16> round_bf16 = nullptr;
};
extern const NarrowRuns narrow_runs_avx2, narrow_runs_neon;

}  // namespace tw
