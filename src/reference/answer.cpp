// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// A panel of B's columns is widened to f64 once, then each wanted row of A is multiplied with it, in order of k.
#include "reference/answer.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/element.hpp"
#include "base/f32_rounding.hpp"
#include "base/threads.hpp"
#include "reference/compensated.hpp"
#include "reference/complex_answer.hpp"

namespace tw::reference {
namespace {

constexpr std::int64_t panel_elements = 1 << 17;  // 1 MiB of f64: stays in L2
constexpr std::int64_t narrowest = 8, widest = 256;

struct Sum {
    Twice value;
    double magnitude = 0;  // of the finite terms
};

/// The sum of the finite terms where a partial sum of f64 overflows, which another order of summation may not: far
/// below the largest number, and back. What is lost is nothing beside terms so large.
Twice sum_far_down(const Question& q, std::int64_t i, std::int64_t j) {
    constexpr int down = 540;  // of each factor; 2^24 products are still below 2^1024
    Twice sum;
    for (std::int64_t p = 0; p < q.k(); ++p) {
        const double x = load_element(q.a, i, p), y = load_element(q.b, p, j);
        if (std::isfinite(x) && std::isfinite(y))
            sum = add(sum, two_product(std::ldexp(x, -down), std::ldexp(y, -down)));
    }
    const double hi = std::ldexp(sum.hi, 2 * down);
    return {hi, std::isfinite(hi) ? std::ldexp(sum.lo, 2 * down) : 0};
}

/// One element, with every Inf and NaN where IEEE arithmetic has it, and not mistaking an overflow of f64 for one.
Sum careful_sum(const Question& q, std::int64_t i, std::int64_t j) {
    Twice finite;
    double magnitude = 0, non_finite = 0;  // non_finite: the sum of the terms that are Inf or NaN
    for (std::int64_t p = 0; p < q.k(); ++p) {
        const double x = load_element(q.a, i, p), y = load_element(q.b, p, j);
        if (!std::isfinite(x) || !std::isfinite(y)) {
            non_finite += x * y;
            continue;
        }
        finite = add(finite, two_product(x, y));
        magnitude += std::fabs(x * y);
    }
    if (non_finite != 0) return {{non_finite, 0}, magnitude};
    return {std::isfinite(finite.hi) ? finite : sum_far_down(q, i, j), magnitude};
}

/// Buffers of one task: a panel of B, a row of A, and the sums of that row with the panel.
class Panel {
public:
    Panel(const Question& question, std::int64_t width)
        : q_(question),
          twice_(question.a.type == Type::f64),
          b_(length(question.k() * width)),
          b_upper_(twice_ ? b_.size() : 0),
          row_(length(question.k())),
          hi_(length(width)),
          lo_(length(width)),
          magnitude_(length(width)) {}

    void load_columns(std::int64_t first, std::int64_t width) {
        first_ = first;
        width_ = width;
        double* to = b_.data();
        for (std::int64_t p = 0; p < q_.k(); ++p)
            for (std::int64_t j = 0; j < width; ++j) *to++ = load_element(q_.b, p, first + j);
        for (std::size_t i = 0; i < b_upper_.size(); ++i) b_upper_[i] = upper_half(b_[i]);
    }

    void sum_row(std::int64_t i) {
        for (std::int64_t p = 0; p < q_.k(); ++p) row_[length(p)] = load_element(q_.a, i, p);
        std::ranges::fill(hi_, 0.0);
        std::ranges::fill(lo_, 0.0);
        std::ranges::fill(magnitude_, 0.0);
        if (twice_) sum_twice();
        else sum_once();
    }

    Sum element(std::int64_t i, std::int64_t j) const {
        const std::size_t at = length(j);
        const Sum sum{{hi_[at], lo_[at]}, magnitude_[at]};
        const bool finite = std::isfinite(sum.value.hi + sum.value.lo) && std::isfinite(sum.magnitude);
        return finite ? sum : careful_sum(q_, i, first_ + j);
    }

private:
    static constexpr std::size_t length(std::int64_t count) noexcept { return static_cast<std::size_t>(count); }

    /// Products of f32 and narrower are exact in f64, and its sum is 2^29 times closer than the best f32 sum. Four of k
    /// at once, one after another in each sum: reading and writing the sums takes more time than the arithmetic.
    void sum_once() noexcept {
        const std::size_t width = length(width_), count = row_.size();
        const double *b = b_.data(), *row = row_.data();
        double* __restrict hi = hi_.data(), * __restrict magnitude = magnitude_.data();
        std::size_t p = 0;
        for (; p + 4 <= count; p += 4, b += 4 * width) {
            const double x0 = row[p], x1 = row[p + 1], x2 = row[p + 2], x3 = row[p + 3];
            const double *b1 = b + width, *b2 = b1 + width, *b3 = b2 + width;
            for (std::size_t j = 0; j < width; ++j) {
                const double t0 = x0 * b[j], t1 = x1 * b1[j], t2 = x2 * b2[j], t3 = x3 * b3[j];
                hi[j] = hi[j] + t0 + t1 + t2 + t3;
                magnitude[j] = magnitude[j] + std::fabs(t0) + std::fabs(t1) + std::fabs(t2) + std::fabs(t3);
            }
        }
        for (; p < count; ++p, b += width)
            for (std::size_t j = 0; j < width; ++j) {
                const double term = row[p] * b[j];
                hi[j] += term;
                magnitude[j] += std::fabs(term);
            }
    }

    /// Products by halves (needing no fused multiply-add, this vectorizes anywhere), sums with their error kept.
    void sum_twice() noexcept {
        const double *b = b_.data(), *b_upper = b_upper_.data();
        double *hi = hi_.data(), *lo = lo_.data(), *magnitude = magnitude_.data();
        for (const double x : row_) {
            const double x_upper = upper_half(x), x_lower = x - x_upper;
            for (std::int64_t j = 0; j < width_; ++j) {
                const double y_upper = b_upper[j], y_lower = b[j] - y_upper, term = x * b[j];
                const double excess = ((term - x_upper * y_upper) - x_lower * y_upper) - x_upper * y_lower;
                const double lost = x_lower * y_lower - excess;
                const Twice sum = two_sum(hi[j], term);
                hi[j] = sum.hi;
                lo[j] += sum.lo + lost;
                magnitude[j] += std::fabs(term);
            }
            b += width_;
            b_upper += width_;
        }
    }

    const Question& q_;
    bool twice_;
    std::int64_t first_ = 0, width_ = 0;
    std::vector<double> b_, b_upper_, row_, hi_, lo_, magnitude_;
};

double activate(Activation activation, double x) {
    switch (activation) {
        case Activation::none: break;
        case Activation::relu: return x < 0 ? 0 : x;
        case Activation::gelu: return x * 0.5 * std::erfc(-x * 0.70710678118654752440);
        case Activation::silu: return x / (1 + std::exp(-x));
    }
    return x;
}

double finite_or_zero(double x) { return std::isfinite(x) ? std::fabs(x) : 0; }

/// alpha, beta and the epilogue: makes an element of the answer from its sum.
class Finish {
public:
    explicit Finish(const Question& q) : q_(q) {
        const bool narrow = q.a.type != Type::f64;
        alpha_ = narrow ? rounded_to_f32(q.alpha) : q.alpha;
        beta_ = narrow ? rounded_to_f32(q.beta) : q.beta;
    }
    bool reads_operands() const { return alpha_ != 0; }

    void put(const Sum& sum, std::int64_t i, std::int64_t j, Answer& answer, std::size_t at) const {
        Twice value = reads_operands() ? multiply(alpha_, sum.value) : Twice{};
        double magnitude = finite_or_zero(alpha_) * sum.magnitude, reach = std::max(sum.magnitude, magnitude);
        if (beta_ != 0) {
            const double c = load_element(q_.c0, i, j);
            value = add(value, multiply(beta_, {c, 0}));
            magnitude += finite_or_zero(beta_ * c);
            reach = std::max(reach, magnitude);
        }
        if (!q_.epilogue.is_empty()) value = {through_epilogue(value.hi, i, j, magnitude), 0};
        answer.value[at] = value.hi;
        answer.rest[at] = value.lo;
        answer.magnitude[at] = magnitude;
        answer.reach[at] = std::max(reach, magnitude);
    }

private:
    double through_epilogue(double x, std::int64_t i, std::int64_t j, double& magnitude) const {
        const Epilogue& e = q_.epilogue;
        x *= e.scale;
        magnitude *= std::fabs(e.scale);
        if (e.bias) {
            const double bias = load_element({const_cast<void*>(e.bias), e.bias_type, 1, e.bias_size, 0}, 0, j);
            x += bias;
            magnitude += finite_or_zero(bias);
        }
        x = activate(e.activation, x);
        if (e.residual.data) {
            const double addend = load_element(e.residual, i, j);
            x += addend;
            magnitude += finite_or_zero(addend);
        }
        return x;
    }

    const Question& q_;
    double alpha_, beta_;
};

/// What the tasks share; task t takes panels t, t + tasks, ...
struct Work {
    const Question& question;
    const Finish finish;
    Answer& answer;
    std::int64_t width;
    int tasks;
    std::vector<Panel> panels;

    void run(int task) {
        Panel& panel = panels[static_cast<std::size_t>(task)];
        for (std::int64_t first = task * width; first < answer.cols; first += tasks * width) {
            const std::int64_t here = std::min(width, answer.cols - first);
            if (finish.reads_operands()) panel.load_columns(first, here);
            for (std::size_t r = 0; r < answer.rows.size(); ++r) {
                const std::int64_t i = answer.rows[r];
                if (finish.reads_operands()) panel.sum_row(i);
                for (std::int64_t j = 0; j < here; ++j) {
                    const Sum sum = finish.reads_operands() ? panel.element(i, j) : Sum{};
                    finish.put(sum, i, first + j, answer, answer.at(r, first + j));
                }
            }
        }
    }
};

}  // namespace

Answer answer(const Question& question, std::span<const std::int64_t> rows, int threads) {
    if (is_complex(question.a.type)) return complex_answer(question, rows, threads);
    Answer made;
    made.cols = question.n();
    made.rows.assign(rows.begin(), rows.end());
    if (rows.empty()) {
        made.rows.resize(static_cast<std::size_t>(question.m()));
        std::iota(made.rows.begin(), made.rows.end(), 0);
    }
    const std::size_t elements = made.rows.size() * static_cast<std::size_t>(made.cols);
    for (std::vector<double>* each : {&made.value, &made.rest, &made.magnitude, &made.reach}) each->resize(elements);
    if (elements == 0) return made;

    const std::int64_t k = std::max<std::int64_t>(question.k(), 1);
    const std::int64_t width = std::max(narrowest, std::min({panel_elements / k, widest, made.cols}));
    const auto tasks = static_cast<int>(std::clamp<std::int64_t>(threads, 1, (made.cols + width - 1) / width));
    Work work{question, Finish(question), made, width, tasks, {}};
    work.panels.reserve(static_cast<std::size_t>(tasks));
    for (int t = 0; t < tasks; ++t) work.panels.emplace_back(question, width);
    run_tasks(nullptr, tasks, tasks, [](void* context, int task) { static_cast<Work*>(context)->run(task); }, &work);
    return made;
}

}  // namespace tw::reference
