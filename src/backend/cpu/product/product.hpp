// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The typed face of a call, as the CPU's rungs see it.
#pragma once

#include <utility>

#include "backend/contract.hpp"
#include "backend/cpu/product/numbers.hpp"
#include "backend/cpu/product/slab_steps.hpp"
#include "base/narrow_runs.hpp"
#include "epilogue/finish.hpp"

namespace tw::cpu {

template <class T>
struct Product {
    View<const T> a, b;
    View<T> c;
    T alpha, beta;

    std::int64_t m() const noexcept { return c.rows; }
    std::int64_t n() const noexcept { return c.cols; }
    std::int64_t k() const noexcept { return a.cols; }

    /// The same product read the other way: C^T = B^T A^T.
    Product transposed() const noexcept { return {b.transposed(), a.transposed(), c.transposed(), alpha, beta}; }

    /// What becomes of element (i, j) once its sum is known. C is not read when beta is 0.
    void finish(std::int64_t i, std::int64_t j, T sum) const noexcept {
        T& out = c(i, j);
        out = beta == T(0) ? scaled(alpha, sum) : scaled(alpha, sum) + scaled(beta, out);
    }

    /// The same for a row that is contiguous.
    void finish_row(std::int64_t i, const T* sums) const noexcept {
        T* const out = &c(i, 0);
        if (beta == T(0))
            for (std::int64_t j = 0; j < n(); ++j) out[j] = scaled(alpha, sums[j]);
        else
            for (std::int64_t j = 0; j < n(); ++j) out[j] = scaled(alpha, sums[j]) + scaled(beta, out[j]);
    }
};

template <class T>
Product<T> product_of(const Call& call) noexcept {
    return {typed<const T>(call.a), typed<const T>(call.b), typed<T>(call.c), number<T>(call.alpha, call.alpha_imag),
            number<T>(call.beta, call.beta_imag)};
}

/// A column-major C is computed as C^T = B^T A^T, so that walking along a row walks through memory.
constexpr bool is_turned(const Matrix& c) noexcept { return c.col_step != 1 && c.row_step == 1; }

/// A packed operand was laid out for the one or the other.
constexpr bool is_turned(const Call& call) noexcept {
    return call.packed.panels ? call.packed.is_a != call.packed.on_left : is_turned(call.c);
}

constexpr Call turned_if(bool turned, Call call) noexcept {
    if (turned) {
        const Matrix a = call.a;
        call.a = call.b.transposed();
        call.b = a.transposed();
        call.c = call.c.transposed();
    }
    return call;
}

/// The epilogue, and rounding to a narrow C, in the pass that completes C: called for each tile of C whose sums are all
/// in, while it is in the first cache.
class Finisher {
public:
    explicit Finisher(const Call& call) noexcept : Finisher(call, is_turned(call)) {}
    Finisher(const Call& call, bool turned, const SlabSteps* slabs = nullptr) noexcept
        : epilogue_(call.epilogue.is_empty() ? nullptr : &call.epilogue),
          rounded_(call.rounded.data ? &call.rounded : nullptr),
          slabs_(slabs && slabs->addend_count > 0 ? slabs : nullptr),
          turned_(turned) {}

    /// `part` is the block at (i, j) of the product's C as its kernel sees it, turned or not.
    void operator()(const Matrix& part, std::int64_t i, std::int64_t j) const noexcept {
        if (!epilogue_ && !rounded_ && !slabs_) return;
        if (turned_) return complete(part.transposed(), j, i);
        complete(part, i, j);
    }

    /// Whether a narrow C gets the parts, so that nobody reads where their sums were.
    bool rounds() const noexcept { return rounded_; }

    /// Asks L2 for what the part will be added to: its rows may lie on pages of their own, which no
    /// hardware prefetches, and fight with those of C for one set of the first.
    void expect(std::int64_t rows, std::int64_t cols, std::int64_t i, std::int64_t j) const noexcept {
        const auto ask = [&](const Matrix& all) {
            const Matrix part = turned_ ? all.block(j, i, cols, rows).transposed() : all.block(i, j, rows, cols);
            if (part.row_step == 1 && part.col_step != 1) return ask_for(part.transposed());
            if (part.col_step == 1) ask_for(part);
        };
        if (epilogue_ && epilogue_->residual.data) ask(epilogue_->residual);
        if (slabs_)
            for (int s = 0; s < slabs_->addend_count; ++s) ask(slabs_->addends[s]);
    }

private:
    void complete(const Matrix& part, std::int64_t i, std::int64_t j) const noexcept {
        if (slabs_)
            for (int s = 0; s < slabs_->addend_count; ++s) {
                Epilogue adding;
                adding.residual = slabs_->addends[s];
                finish(part, 1, adding, i, j);
            }
        if (epilogue_) finish(part, 1, *epilogue_, i, j);
        if (rounded_) round_matrix(rounded_->block(i, j, part.rows, part.cols), part);
    }
    static void ask_for(const Matrix& part) noexcept {
        constexpr std::int64_t line = 64;
        const std::int64_t step = line / static_cast<std::int64_t>(size_of(part.type));
        for (std::int64_t r = 0; r < part.rows; ++r)
            for (std::int64_t s = 0; s < part.cols; s += step) __builtin_prefetch(part.at(r, s), 0, 2);
    }

    const Epilogue* epilogue_;
    const Matrix* rounded_;
    const SlabSteps* slabs_;
    bool turned_;
};

/// Turned so that walking along a row of C walks through memory: a column-major C is computed as C^T.
template <class T>
Product<T> along_rows(const Product<T>& product) noexcept {
    return product.c.col_step != 1 && product.c.row_step == 1 ? product.transposed() : product;
}

}  // namespace tw::cpu
