// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The right answer of a product: f64 sums of exact products for f32 and narrower, double-double sums for f64.
// Written to be right: k is not blocked, there are no shortcuts, zeros are multiplied like any number.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tilewright/epilogue.hpp"
#include "tilewright/view.hpp"

namespace tw::reference {

/// C = epilogue(alpha * A * B + beta * C0). For operands below f64, alpha and beta are rounded to f32 first, as every
/// kernel that sums in f32 takes them. alpha 0: A and B are not read. beta 0: C0 is not read.
struct Question {
    Matrix a, b;
    Matrix c0{};  ///< C before the product; read only when beta is not 0
    double alpha = 1, beta = 0;
    Epilogue epilogue{};
    double alpha_imag = 0, beta_imag = 0;  ///< of complex operands

    std::int64_t m() const noexcept { return a.rows; }
    std::int64_t n() const noexcept { return b.cols; }
    std::int64_t k() const noexcept { return a.cols; }
};

/// Some rows of the answer, each n long. Those of a complex product have 2n numbers, each real part before its
/// imaginary one.
struct Answer {
    std::vector<std::int64_t> rows;
    std::int64_t cols = 0;
    std::vector<double> value;      ///< non-finite exactly where IEEE arithmetic without overflow says so
    std::vector<double> rest;       ///< value + rest is the answer to about twice f64
    std::vector<double> magnitude;  ///< |alpha||A||B| + |beta||C0|, then as the epilogue scales and adds
    std::vector<double> reach;      ///< the largest that a partial sum can get: beyond the type's range it may overflow

    std::size_t at(std::size_t row, std::int64_t col) const noexcept {
        return row * static_cast<std::size_t>(cols) + static_cast<std::size_t>(col);
    }
};

/// The rows named, in that order; an empty list names all.
Answer answer(const Question& question, std::span<const std::int64_t> rows = {}, int threads = 1);

}  // namespace tw::reference
