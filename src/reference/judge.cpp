// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "reference/judge.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "base/element.hpp"
#include "reference/random.hpp"

namespace tw::reference {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

Type sum_type(const Question& q) { return part_of(q.a.type) == Type::f64 ? Type::f64 : Type::f32; }

/// Column j of the answer's: of a complex result a part of an element.
double part_at(const Matrix& result, std::int64_t i, std::int64_t j) {
    if (!is_complex(result.type)) return load_element(result, i, j);
    return load_element(j % 2 ? imaginary_parts(result) : real_parts(result), i, j / 2);
}

double rounded_to(Type type, double x) {
    double held = 0;
    store_element({&held, type, 1, 1, 0}, 0, 0, x);
    return load_element({&held, type, 1, 1, 0}, 0, 0);
}

/// The largest slope of an activation: the factor by which it may enlarge an error.
double steepest(Activation activation) {
    switch (activation) {
        case Activation::gelu: return 1.13;
        case Activation::silu: return 1.1;
        case Activation::none:
        case Activation::relu: break;
    }
    return 1;
}

double largest_in(const Matrix& m) {
    double largest = 0;
    for (std::int64_t i = 0; i < m.rows; ++i)
        for (std::int64_t j = 0; j < m.cols; ++j) largest = std::fmax(largest, std::fabs(load_element(m, i, j)));
    return std::isfinite(largest) ? largest : 0;
}

/// The tolerance of judge.hpp, element by element.
class Allowance {
public:
    Allowance(const Question& q, const Answer& answer, Type out, const Tolerance& tolerance)
        : q_(q),
          answer_(answer),
          tolerance_(tolerance),
          sum_(range_of(sum_type(q))),
          out_(range_of(out)),
          narrows_(part_of(out) != sum_type(q)),
          by_operands_(tolerance.flush != 0 || tolerance.least != 0) {
        const double terms = static_cast<double>(is_complex(q.a.type) ? 2 * q.k() : q.k());
        const double size = std::fabs(q.alpha) + std::fabs(q.alpha_imag), alpha = std::isfinite(size) ? size : 0;
        floor_ = (alpha * terms + 2) * sum_.least;
        scale_ = std::fabs(q.epilogue.scale), slope_ = steepest(q.epilogue.activation);
        if (!by_operands_) return;
        for (const std::int64_t i : answer.rows) row_largest_.push_back(largest_in(q.a.block(i, 0, 1, q.k())));
        for (std::int64_t j = 0; j < answer.cols; ++j) col_largest_.push_back(largest_in(q.b.block(0, j, q.k(), 1)));
        flush_ = tolerance.flush * terms * std::max(alpha, 1.0);
        least_ = tolerance.bound * tolerance.least * terms * alpha;
    }

    /// Not where the host's own functions round an activation.
    bool is_exact() const { return tolerance_.bound == 0 && q_.epilogue.activation <= Activation::relu; }

    double operator()(std::size_t row, std::int64_t col) const {
        if (is_exact()) return 0;
        const std::size_t at = answer_.at(row, col);
        double of_sum = floor_;
        if (by_operands_) {
            const double a = row_largest_[row], b = col_largest_[static_cast<std::size_t>(col)];
            of_sum += flush_ * (a + b + 1) + least_ * (a + b + tolerance_.least);
        }
        double allowed = tolerance_.bound * answer_.magnitude[at] + of_sum * scale_;  // the magnitude is scaled already
        if (!q_.epilogue.is_empty()) {
            const bool twice = narrows_ && tolerance_.rounds_before_epilogue;
            const double before = twice ? out_.unit * (answer_.magnitude[at] + allowed) + out_.least / 2 : 0;
            allowed = (allowed + before) * slope_ + epilogue_roundings * sum_.unit * answer_.magnitude[at];
            allowed += 2 * sum_.least;  // a small scale makes the sum's own floor smaller than what is rounded here
        }
        if (narrows_) allowed += out_.unit * (std::fabs(answer_.value[at]) + allowed) + out_.least / 2;
        return allowed;
    }

    /// True when a partial sum, or the result itself, may leave the range of its type.
    bool may_overflow(std::size_t at, double allowed) const {
        const double size = std::fabs(answer_.value[at]);
        return !(answer_.reach[at] <= sum_.largest / 4) || (size < infinite && size + allowed > out_.largest);
    }

private:
    static constexpr double epilogue_roundings = 8;  // scale, bias, activation, residual, storing twice

    const Question& q_;
    const Answer& answer_;
    Tolerance tolerance_;
    Range sum_, out_;
    bool narrows_, by_operands_;
    double floor_ = 0, scale_ = 1, slope_ = 1, flush_ = 0, least_ = 0;
    std::vector<double> row_largest_, col_largest_;
};

/// The error as a fraction of what is allowed; infinite when the element is wrong whatever is allowed.
double fraction(double error, double allowed) {
    if (error == 0) return 0;
    return error / allowed;  // x / 0 is infinite, NaN / x is NaN
}

double error_of(double expected, double rest, double got, double allowed, bool may_overflow) {
    if (std::isnan(expected)) return std::isnan(got) || (may_overflow && !std::isfinite(got)) ? 0 : infinite;
    if (std::isinf(expected)) return got == expected || (may_overflow && !std::isfinite(got)) ? 0 : infinite;
    if (!std::isfinite(got)) return may_overflow ? 0 : infinite;
    return fraction(std::fabs((expected - got) + rest), allowed);
}

std::vector<std::int64_t> drawn_rows(const Question& q, const Care& care) {
    const double per_row = static_cast<double>(q.n()) * static_cast<double>(std::max<std::int64_t>(q.k(), 1));
    const double affordable = care.products / std::max(per_row, 1.0);
    if (static_cast<double>(q.m()) <= affordable) return {};
    const auto wanted = static_cast<std::int64_t>(std::max(affordable, 4.0));
    std::vector<std::int64_t> rows{0, q.m() - 1};
    Random random(care.seed);
    for (std::int64_t r = 2; r < wanted; ++r) rows.push_back(random.whole(0, q.m() - 1));
    std::ranges::sort(rows);
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    return rows;
}

}  // namespace

Verdict judge(const Question& question, const Matrix& result, const Tolerance& tolerance, const Care& care) {
    const Answer expected = answer(question, drawn_rows(question, care), care.threads);
    const Allowance allowance(question, expected, result.type, tolerance);
    Verdict verdict;
    double squares_of_error = 0, squares = 0;
    for (std::size_t r = 0; r < expected.rows.size(); ++r)
        for (std::int64_t j = 0; j < expected.cols; ++j) {
            const std::size_t at = expected.at(r, j);
            const double got = part_at(result, expected.rows[r], j), allowed = allowance(r, j);
            const bool exact = allowance.is_exact(), may_overflow = allowance.may_overflow(at, allowed);
            const double value = exact ? rounded_to(part_of(result.type), expected.value[at]) : expected.value[at];
            const double error = error_of(value, exact ? 0 : expected.rest[at], got, allowed, may_overflow);
            const bool fails = !(error <= 1);
            if (std::isfinite(value) && std::isfinite(got)) {
                squares_of_error += (value - got) * (value - got);
                squares += value * value;
            }
            if (fails ? verdict.wrong == 0 : verdict.wrong == 0 && (verdict.checked == 0 || error > verdict.worst)) {
                verdict.row = expected.rows[r], verdict.col = is_complex(result.type) ? j / 2 : j;
                verdict.part = !is_complex(result.type) ? "" : j % 2 ? "the imaginary part of " : "the real part of ";
                verdict.expected = value, verdict.got = got, verdict.allowed = allowed;
            }
            verdict.worst = std::isnan(error) ? infinite : std::max(verdict.worst, error);
            verdict.wrong += fails;
            ++verdict.checked;
        }
    verdict.ok = verdict.wrong == 0;
    verdict.relative_error = squares_of_error == 0 ? 0 : std::sqrt(squares_of_error / squares);
    return verdict;
}

std::string Verdict::sentence() const {
    char text[400];
    if (checked == 0) return "nothing to check: the product has no elements";
    if (ok)
        std::snprintf(text, sizeof text,
                      "%lld elements checked, the worst at %.3g of what is allowed, relative error %.3g",
                      static_cast<long long>(checked), worst, relative_error);
    else
        std::snprintf(text, sizeof text,
                      "%selement (%lld, %lld) is %.17g where %.17g was expected, give or take %.3g; "
                      "%lld of %lld elements fail",
                      part, static_cast<long long>(row), static_cast<long long>(col), got, expected, allowed,
                      static_cast<long long>(wrong), static_cast<long long>(checked));
    return text;
}

}  // namespace tw::reference
