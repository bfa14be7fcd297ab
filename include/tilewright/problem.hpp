// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#pragma once

#include <cstdint>

#include "tilewright/accuracy.hpp"
#include "tilewright/types.hpp"
#include "tilewright/view.hpp"

namespace tw {

/// How an operand lies in memory: which of its steps is 1.
enum class Form : std::uint8_t { row_major, col_major, strided };

constexpr Form form_of(const Matrix& matrix) noexcept {
    return matrix.col_step == 1 ? Form::row_major : matrix.row_step == 1 ? Form::col_major : Form::strided;
}

/// A product without its pointers: what a kernel is chosen by, and what the tuning store is keyed by.
struct Problem {
    std::int64_t m = 0, n = 0, k = 0;
    Type in = Type::f32, out = Type::f32;
    Place place = Place::host;
    Accuracy accuracy{};
    Form a = Form::row_major, b = Form::row_major, c = Form::row_major;

    friend constexpr bool operator==(const Problem&, const Problem&) = default;
};

/// Block sizes that a kernel is run with; each kernel's file says what they mean to it.
struct Tile {
    int m = 0, n = 0, k = 0;

    friend constexpr bool operator==(const Tile&, const Tile&) = default;
};

/// Many products of one shape. The operands passed beside it are product 0's; those of the others lie a step of so many
/// elements apart (0: all products share that operand), or where an array of pointers says.
struct Batch {
    std::int64_t size = 0;
    std::int64_t a_step = 0, b_step = 0, c_step = 0;
    std::int64_t residual_step = 0;  ///< of the epilogue's residual
    const void* const* a = nullptr;  ///< a[i] is where product i's A begins; null: a_step says it
    const void* const* b = nullptr;
    void* const* c = nullptr;
};

}  // namespace tw
