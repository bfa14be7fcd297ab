// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "multiply/freivalds.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <new>

#include "base/element.hpp"
#include "base/f32_rounding.hpp"
#include "plan/operands.hpp"
#include "scheme/scheme.hpp"

namespace tw {
namespace {

constexpr std::int64_t elements_looked_at = 16;  // in a row whose sum tells nothing

std::uint64_t mixed(std::uint64_t x) noexcept {
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

bool all_finite(const double* values, std::int64_t count) noexcept {
    return std::all_of(values, values + count, [](double x) { return std::isfinite(x); });
}

/// Of the finite elements.
double largest_in(const Matrix& matrix) noexcept {
    double largest = 0;
    for (std::int64_t i = 0; i < matrix.rows; ++i)
        for (std::int64_t j = 0; j < matrix.cols; ++j)
            if (const double size = std::fabs(load_element(matrix, i, j)); std::isfinite(size))
                largest = std::max(largest, size);
    return largest;
}

bool is_narrow(Type type) noexcept { return type == Type::f16 || type == Type::bf16; }

double allowed(const Allowance& may, double size, double seen_size) noexcept {
    return may.of_sizes * size + may.of_seen * seen_size + may.floor;
}

}  // namespace

double as_taken(double scalar, Type c) noexcept {
    return size_of(c) < sizeof(double) ? rounded_to_f32(scalar) : scalar;
}

Allowance allowed_by_certificate(Type c, std::int64_t cols, std::int64_t terms, double alpha,
                                 double certificate) noexcept {
    const auto n = static_cast<double>(cols), k = static_cast<double>(terms);
    const Range range = range_of(c);
    const double of_the_check = gamma(2 * (n + k) + 8, unit_f64);
    const double of_storing = is_narrow(c) ? 2 * range.unit : 0;
    return {.of_sizes = certificate + of_the_check + of_storing, .floor = n * (std::fabs(alpha) * k + 2) * range.least};
}

/// Errors of n elements with signs of their own add up as a walk at random does: to sqrt(n) times one of them.
Allowance allowed_by_chance(Type c, std::int64_t cols, std::int64_t terms, double alpha, double usual) noexcept {
    const auto n = static_cast<double>(cols), k = static_cast<double>(terms);
    const double of_the_check = 1.5 * unit_f64 * std::sqrt(2 * (n + k));
    const double of_storing = is_narrow(c) ? 4 * range_of(c).unit : 0;
    const double least_of_sums = range_of(c == Type::f64 ? Type::f64 : Type::f32).least;
    return {.of_sizes = (usual + of_the_check) / std::sqrt(n),
            .of_seen = of_storing / std::sqrt(n),
            .floor = n * (2 * range_of(c).least + std::fabs(alpha) * k * least_of_sums)};
}

Freivalds::Freivalds(const Matrix& a, const Matrix& b, double alpha, double beta, double certificate,
                     const Workers& workers) noexcept
    : a_(a), b_(b), alpha_(alpha), beta_(beta), certificate_(certificate), workers_(workers) {}

bool Freivalds::prepare(const Matrix& c0, bool stays) noexcept {
    const std::int64_t m = c0.rows, n = c0.cols, k = a_.cols;
    memory_.reset(new (std::nothrow) double[static_cast<std::size_t>(2 * n + 2 * k + 3 * m)]);
    seen_.reset(new (std::nothrow) double[static_cast<std::size_t>(2 * m)]);
    if (!memory_ || !seen_) return false;
    signs_ = memory_.get(), ones_ = signs_ + n;
    inner_ = ones_ + n, inner_size_ = inner_ + k;
    sums_ = inner_size_ + k, sizes_ = sums_ + m, reach_ = sizes_ + m;

    if (beta_ != 0 && stays) {
        c0_ = c0;
    } else if (beta_ != 0) {
        c0_memory_.reset(new (std::nothrow) std::byte[static_cast<std::size_t>(m * n) * size_of(c0.type)]);
        if (!c0_memory_) return false;
        c0_ = {c0_memory_.get(), c0.type, m, n, n};
        convert(c0_, c0);
    }
    alpha_ = as_taken(alpha_, c0.type), beta_ = as_taken(beta_, c0.type);
    for (std::int64_t j = 0; j < n; ++j) {
        signs_[j] = mixed(static_cast<std::uint64_t>(j)) & 1 ? 1 : -1;
        ones_[j] = 1;
    }
    sum_up();
    if (!all_finite(sizes_, m) && drop_columns_that_are_not_finite()) sum_up();
    return true;
}

void Freivalds::sum_up() noexcept {
    row_sums(b_, signs_, ones_, inner_, inner_size_, workers_);
    row_sums(a_, inner_, inner_size_, sums_, sizes_, workers_);
    const std::int64_t m = a_.rows;
    for (std::int64_t i = 0; i < m; ++i) {
        reach_[i] = sizes_[i] * std::max(1.0, std::fabs(alpha_));
        sums_[i] *= alpha_, sizes_[i] *= std::fabs(alpha_);
    }
    if (beta_ == 0) return;
    double *c_sums = seen_.get(), *c_sizes = c_sums + m;
    row_sums(c0_, signs_, ones_, c_sums, c_sizes, workers_);
    for (std::int64_t i = 0; i < m; ++i) {
        sums_[i] += beta_ * c_sums[i];
        sizes_[i] += std::fabs(beta_) * c_sizes[i];
        reach_[i] += std::fabs(beta_) * c_sizes[i];
    }
}

bool Freivalds::drop_columns_that_are_not_finite() noexcept {
    for (std::int64_t p = 0; p < b_.rows; ++p) {
        if (std::isfinite(inner_size_[p])) continue;
        for (std::int64_t j = 0; j < b_.cols; ++j)
            if (!std::isfinite(load_element(b_, p, j))) signs_[j] = ones_[j] = 0, all_columns_ = false;
    }
    return !all_columns_;
}

void Freivalds::allow(double certificate, const Losses& losses) noexcept {
    allow(certificate);
    losses_ = losses, largest_of_b_ = 0;
    for (std::int64_t j = 0; j < b_.cols && !losses.is_empty(); ++j)
        largest_of_b_ += largest_in(b_.block(0, j, b_.rows, 1));
}

/// By so many elements of row i, whose columns of B have largest elements that add up to `of_b`.
double Freivalds::lost(std::int64_t i, std::int64_t cols, double of_b) const noexcept {
    if (losses_.is_empty()) return 0;
    const double k = static_cast<double>(a_.cols), n = static_cast<double>(cols), alpha = std::fabs(alpha_),
                 of_a = largest_in(a_.block(i, 0, 1, a_.cols));
    return k * (losses_.flush * std::max(alpha, 1.0) * (n * of_a + of_b + n) +
                certificate_ * losses_.least * alpha * (n * of_a + of_b + n * losses_.least));
}

double Freivalds::tolerance(std::int64_t i, const Matrix& c) const noexcept {
    const Allowance may = allowed_by_certificate(c.type, c.cols, a_.cols, alpha_, certificate_);
    return allowed(may, sizes_[i], 0) + lost(i, c.cols, largest_of_b_);
}

std::int64_t Freivalds::find_suspects(const Matrix& c, double usual, std::int64_t* rows) const noexcept {
    double *seen = seen_.get(), *seen_sizes = seen + c.rows;
    row_sums(c, signs_, ones_, seen, seen_sizes, workers_);
    const Allowance may = allowed_by_chance(c.type, c.cols, a_.cols, alpha_, usual);
    std::int64_t found = 0;
    for (std::int64_t i = 0; i < c.rows; ++i) {
        const bool as_expected = std::fabs(seen[i] - sums_[i]) <= allowed(may, sizes_[i], seen_sizes[i]);
        if (!as_expected || !std::isfinite(sizes_[i])) rows[found++] = i;
    }
    return found;
}

std::int64_t Freivalds::first_wrong_row(const Matrix& c) const noexcept {
    double *seen = seen_.get(), *seen_sizes = seen + c.rows;
    row_sums(c, signs_, ones_, seen, seen_sizes, workers_);
    const double in_range = range_of(c.type).largest / 4;
    for (std::int64_t i = 0; i < c.rows; ++i) {
        const bool sum_tells = std::isfinite(seen[i])
                                   ? std::isfinite(sizes_[i])
                                   : reach_[i] <= in_range && std::isfinite(sums_[i]) && all_columns_;
        if (sum_tells && !(std::fabs(seen[i] - sums_[i]) <= tolerance(i, c))) return i;
        if ((!sum_tells || !all_columns_) && !elements_are_right(c, i)) return i;
    }
    return -1;
}

/// Looks at a few elements of the row, first at those that are not finite or whose column was left out of the sum.
bool Freivalds::elements_are_right(const Matrix& c, std::int64_t i) const noexcept {
    std::int64_t looked_at = 0;
    for (std::int64_t j = 0; j < c.cols && looked_at < elements_looked_at; ++j)
        if (ones_[j] == 0 || !std::isfinite(load_element(c, i, j))) {
            if (!element_is_right(c, i, j)) return false;
            ++looked_at;
        }
    const std::int64_t stride = std::max<std::int64_t>(1, c.cols / elements_looked_at);
    for (std::int64_t j = 0; j < c.cols && looked_at < elements_looked_at; j += stride, ++looked_at)
        if (!element_is_right(c, i, j)) return false;
    return true;
}

bool Freivalds::element_is_right(const Matrix& c, std::int64_t i, std::int64_t j) const noexcept {
    double sum = 0, size = 0, finite_size = 0;
    bool operands_finite = !std::isnan(alpha_) && !std::isnan(beta_);
    for (std::int64_t p = 0; p < a_.cols; ++p) {
        const double x = load_element(a_, i, p), y = load_element(b_, p, j);
        operands_finite = operands_finite && std::isfinite(x) && std::isfinite(y);
        sum += x * y;
        size += std::fabs(x * y);
        if (std::isfinite(x) && std::isfinite(y)) finite_size += std::fabs(x * y);
    }
    sum *= alpha_, size *= std::fabs(alpha_), finite_size *= std::max(1.0, std::fabs(alpha_));
    if (beta_ != 0) {
        const double was = load_element(c0_, i, j), old = beta_ * was;
        operands_finite = operands_finite && std::isfinite(old);
        sum += old, size += std::fabs(old);
        if (std::isfinite(beta_) && std::isfinite(was)) finite_size += std::fabs(old);
    }
    const double got = load_element(c, i, j);
    const Range range = range_of(c.type);
    // The kernel's partial sums may have overflowed, or those here: to an infinity, and beside one of the operands' to
    // a NaN. A product that overflows by itself does not where it is added by a fused multiply-add.
    const bool may_overflow = finite_size > range.largest / 4;
    if (!std::isfinite(got) && may_overflow) return true;
    if (std::isnan(sum)) return std::isnan(got) || operands_finite;
    if (std::isinf(sum)) return got == sum || operands_finite;  // a sum in f64 may overflow in one order alone
    if (!std::isfinite(got)) return false;
    const double relative = certificate_ + 2 * range.unit + gamma(2 * static_cast<double>(a_.cols) + 4, unit_f64);
    const double floor = (std::fabs(alpha_) * static_cast<double>(a_.cols) + 2) * range.least;
    const double besides = losses_.is_empty() ? 0 : lost(i, 1, largest_in(b_.block(0, j, b_.rows, 1)));
    return std::fabs(got - sum) <= relative * size + floor + besides;
}

}  // namespace tw
