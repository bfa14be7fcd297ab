// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Freivalds' check. For a vector x of signs, C x must be alpha A (B x) + beta C0 x: three matrix-vector products in f64
// instead of a matrix product. A wrong element of row i shows in component i, undiluted by the other rows.
//
// A component that overflows (an Inf or NaN among the operands, a sum beyond the type's range) tells nothing. In its
// row some elements are compared with their own dot products in f64, by class (NaN, +Inf, -Inf, finite) and by value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "backend/sums_contract.hpp"
#include "multiply/row_sums.hpp"
#include "plan/losses.hpp"
#include "tilewright/options.hpp"
#include "tilewright/status.hpp"
#include "tilewright/view.hpp"

namespace tw {

/// How far a right product's sum over `cols` elements of C may be off, wherever it is taken.
Allowance allowed_by_certificate(Type c, std::int64_t cols, std::int64_t k, double alpha, double certificate) noexcept;

/// And how far it is by chance, next to never further: errors have signs of their own. `usual` is what one element is
/// off by chance, relative to |A||B|.
Allowance allowed_by_chance(Type c, std::int64_t cols, std::int64_t k, double alpha, double usual) noexcept;

/// Alpha and beta as kernels that sum in f32 take them, where C has no more bits.
double as_taken(double scalar, Type c) noexcept;

class Freivalds {
public:
    /// `certificate` is the largest error of the kernel, relative to |alpha||A||B| + |beta||C0|.
    Freivalds(const Matrix& a, const Matrix& b, double alpha, double beta, double certificate,
              const Workers& workers = {}) noexcept;

    /// Reads A, B and (unless beta is 0) the C0 that is about to be overwritten: it is copied, unless `stays` says that
    /// it lies where nobody writes. False when memory is short.
    bool prepare(const Matrix& c0, bool stays = false) noexcept;

    /// For a second attempt by another kernel: its certificate from now on.
    void allow(double certificate) noexcept { certificate_ = certificate; }
    /// And what the kernel loses besides; reads B.
    void allow(double certificate, const Losses& losses) noexcept;

    /// The first row of the result that is certainly wrong; -1 when there is none.
    std::int64_t first_wrong_row(const Matrix& c) const noexcept;

    /// Writes the rows whose sums are further off than chance lets the roundings of a right product be, and those whose
    /// sums tell nothing; returns how many. `usual` as above.
    std::int64_t find_suspects(const Matrix& c, double usual, std::int64_t* rows) const noexcept;

    /// Compares the element with its own dot product, or where that overflows its class.
    bool element_is_right(const Matrix& c, std::int64_t i, std::int64_t j) const noexcept;

    /// How far component i of C x may be off.
    double tolerance(std::int64_t i, const Matrix& c) const noexcept;

    /// The copy of C0 that a second attempt starts from.
    const Matrix& c0() const noexcept { return c0_; }

private:
    bool elements_are_right(const Matrix& c, std::int64_t i) const noexcept;
    double lost(std::int64_t i, std::int64_t cols, double of_b) const noexcept;
    bool drop_columns_that_are_not_finite() noexcept;
    void sum_up() noexcept;

    Matrix a_, b_, c0_;  // c0_: a copy that is ours, or what stays; empty when beta is 0
    double alpha_, beta_, certificate_;
    Workers workers_;
    Losses losses_{};
    double largest_of_b_ = 0;  // the largest of each column, added up
    std::unique_ptr<double[]> memory_;
    std::unique_ptr<std::byte[]> c0_memory_;
    double *signs_ = nullptr, *ones_ = nullptr;        // n: x, and |x|
    double *inner_ = nullptr, *inner_size_ = nullptr;  // k: B x, |B||x|
    double *sums_ = nullptr, *sizes_ = nullptr;        // m: what C x must be, and what its error is relative to
    double* reach_ = nullptr;                          // m: how large a sum may get before a small alpha makes it small
    mutable std::unique_ptr<double[]> seen_;           // 2m: C x, and |C||x|
    bool all_columns_ = true;                          // false: some x_j are 0 because B's column j is not finite
};

}  // namespace tw
