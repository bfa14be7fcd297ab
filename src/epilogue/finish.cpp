// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Two ways, which do the same operations on each element in the same order: contiguous rows of one type are finished in
// place with the widest vectors; everything else goes through a strip of f64 on the stack.
#include "epilogue/finish.hpp"

#include <algorithm>

#include "base/cpu_features.hpp"
#include "base/element.hpp"
#include "epilogue/finish_rows.hpp"

namespace tw {

constinit const FinishKernel finish_portable{finish_rows<2, float>, finish_rows<2, double>};

namespace {

constexpr std::int64_t strip = 128;

const FinishKernel& widest() noexcept {
#if defined(__x86_64__)
    const std::uint64_t has = cpu_features();
    if (has & cpu_feature::avx512) return finish_avx512;
    if (has & cpu_feature::avx2) return finish_avx2;
#endif
    return finish_portable;
}

/// Matrices of C's shape; the bias is one with a row step of 0.
struct Operands {
    Matrix c, bias, residual;
    Operands transposed() const noexcept { return {c.transposed(), bias.transposed(), residual.transposed()}; }

    bool can_be_finished_in_place() const noexcept {
        const auto as_c = [&](const Matrix& m) { return !m.data || m.type == c.type; };
        return (c.type == Type::f32 || c.type == Type::f64) && c.col_step == 1 && as_c(bias) && as_c(residual) &&
               (!residual.data || residual.col_step == 1);
    }
};

void add(const Matrix& m, std::int64_t i, std::int64_t j, std::int64_t count, double* x) noexcept {
    for (std::int64_t s = 0; s < count; ++s) x[s] += load_element(m, i, j + s);
}

template <Activation activation>
void activate(double* x, std::int64_t count, bool to_f64) noexcept {
    for (std::int64_t s = 0; s < count; s += 2) {
        const std::int64_t here = std::min<std::int64_t>(2, count - s);
        const auto pair = load_lanes<2>(x + s, here);
        store_lanes<2>(
            x + s, to_f64 ? Lanes<2>::activated<activation, true>(pair) : Lanes<2>::activated<activation, false>(pair),
            here);
    }
}

void activate(Activation activation, double* x, std::int64_t count, bool to_f64) noexcept {
    switch (activation) {
        case Activation::none: return;
        case Activation::relu: return activate<Activation::relu>(x, count, to_f64);
        case Activation::gelu: return activate<Activation::gelu>(x, count, to_f64);
        case Activation::silu: return activate<Activation::silu>(x, count, to_f64);
    }
}

void finish_in_strips(const Operands& x, double beta, const Epilogue& epilogue) noexcept {
    double values[strip];
    for (std::int64_t i = 0; i < x.c.rows; ++i)
        for (std::int64_t j = 0; j < x.c.cols; j += strip) {
            const std::int64_t count = std::min(strip, x.c.cols - j);
            for (std::int64_t s = 0; s < count; ++s) values[s] = beta == 0 ? 0 : beta * load_element(x.c, i, j + s);
            if (epilogue.scale != 1)
                for (std::int64_t s = 0; s < count; ++s) values[s] *= epilogue.scale;
            if (x.bias.data) add(x.bias, i, j, count, values);
            activate(epilogue.activation, values, count, x.c.type == Type::f64);
            if (x.residual.data) add(x.residual, i, j, count, values);
            for (std::int64_t s = 0; s < count; ++s) store_element(x.c, i, j + s, values[s]);
        }
}

}  // namespace

void finish(const Matrix& c, double beta, const Epilogue& epilogue, std::int64_t row, std::int64_t col) noexcept {
    if (beta == 1 && epilogue.is_empty()) return;
    if (is_complex(c.type)) return finish_complex(c, beta, epilogue, row, col);
    Operands x{c, {const_cast<void*>(epilogue.bias), epilogue.bias_type, c.rows, c.cols, 0, 1}, {}};
    if (epilogue.bias) x.bias.data = x.bias.at(0, col);
    if (epilogue.residual.data) x.residual = epilogue.residual.block(row, col, c.rows, c.cols);
    if (c.col_step != 1 && c.row_step == 1) x = x.transposed();
    if (beta != 1 || !x.can_be_finished_in_place()) return finish_in_strips(x, beta, epilogue);
    const FinishRows rows{x.c.rows,           x.c.cols,        x.c.data,        x.c.row_step,        x.bias.data,
                          x.bias.row_step,    x.bias.col_step, x.residual.data, x.residual.row_step, epilogue.scale,
                          epilogue.activation};
    (c.type == Type::f32 ? widest().f32 : widest().f64)(rows);
}

/// A real beta scales each part, so that a zero keeps its sign and an Inf is no NaN in the other part.
void finish_complex(const Matrix& c, std::complex<double> beta, const Epilogue& epilogue, std::int64_t row,
                    std::int64_t col) noexcept {
    if (beta == 1.0 && epilogue.is_empty()) return;
    const bool adds = epilogue.residual.data;
    const Matrix residual = adds ? epilogue.residual.block(row, col, c.rows, c.cols) : Matrix{};
    for (std::int64_t i = 0; i < c.rows; ++i)
        for (std::int64_t j = 0; j < c.cols; ++j) {
            std::complex<double> value = 0;
            if (beta != 0.0) value = load_complex(c, i, j);
            if (beta.imag() != 0) value = times(beta, value);
            else if (beta != 0.0) value *= beta.real();
            if (epilogue.scale != 1) value *= epilogue.scale;
            if (adds) value += load_complex(residual, i, j);
            store_complex(c, i, j, value);
        }
}

}  // namespace tw
