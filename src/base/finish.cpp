// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "base/finish.hpp"

#include <algorithm>
#include <cmath>

#include "base/element.hpp"

namespace tw {
namespace {

constexpr std::int64_t strip = 128;  // elements that are finished together, as f64 on the stack

double as_double(double x) noexcept { return x; }
double as_double(float x) noexcept { return static_cast<double>(x); }
double as_double(float16 x) noexcept { return static_cast<double>(widen(x)); }
double as_double(bfloat16 x) noexcept { return static_cast<double>(widen(x)); }

template <class T>
void load_strip(const T* from, std::int64_t step, std::int64_t count, double* to) noexcept {
    if (step == 1)
        for (std::int64_t j = 0; j < count; ++j) to[j] = as_double(from[j]);
    else
        for (std::int64_t j = 0; j < count; ++j) to[j] = as_double(from[j * step]);
}

/// Elements (i, j) to (i, j + count), exactly.
void load_strip(const Matrix& m, std::int64_t i, std::int64_t j, std::int64_t count, double* to) noexcept {
    const void* at = m.at(i, j);
    switch (m.type) {
        case Type::f64: return load_strip(static_cast<const double*>(at), m.col_step, count, to);
        case Type::f32: return load_strip(static_cast<const float*>(at), m.col_step, count, to);
        case Type::f16: return load_strip(static_cast<const float16*>(at), m.col_step, count, to);
        case Type::bf16: return load_strip(static_cast<const bfloat16*>(at), m.col_step, count, to);
    }
}

void store_strip(const Matrix& m, std::int64_t i, std::int64_t j, std::int64_t count, const double* from) noexcept {
    if (m.type == Type::f32 && m.col_step == 1) {
        auto* to = static_cast<float*>(m.at(i, j));
        for (std::int64_t s = 0; s < count; ++s) to[s] = static_cast<float>(from[s]);
        return;
    }
    for (std::int64_t s = 0; s < count; ++s) store_element(m, i, j + s, from[s]);
}

void activate(Activation activation, double* x, std::int64_t count) noexcept {
    switch (activation) {
        case Activation::none: return;
        case Activation::relu:
            for (std::int64_t j = 0; j < count; ++j) x[j] = x[j] < 0 ? 0 : x[j];  // a NaN stays
            return;
        case Activation::gelu:
            for (std::int64_t j = 0; j < count; ++j) x[j] = 0.5 * x[j] * (1 + std::erf(x[j] * 0.70710678118654752440));
            return;
        case Activation::silu:
            for (std::int64_t j = 0; j < count; ++j) x[j] = x[j] / (1 + std::exp(-x[j]));
            return;
    }
}

void add_strip(const Matrix& m, std::int64_t i, std::int64_t j, std::int64_t count, double* x) noexcept {
    double addend[strip];
    load_strip(m, i, j, count, addend);
    for (std::int64_t s = 0; s < count; ++s) x[s] += addend[s];
}

/// Matrices of C's shape; the bias is one whose rows are all the same memory.
struct Operands {
    Matrix c, bias, residual;
    Operands transposed() const noexcept { return {c.transposed(), bias.transposed(), residual.transposed()}; }
};

}  // namespace

void finish(const Matrix& c, double beta, const Epilogue& epilogue, std::int64_t row, std::int64_t col) noexcept {
    if (beta == 1 && epilogue.is_empty()) return;
    Operands x{c, {const_cast<void*>(epilogue.bias), epilogue.bias_type, c.rows, c.cols, 0, 1}, {}};
    if (epilogue.bias) x.bias.data = x.bias.at(0, col);
    if (epilogue.residual.data) x.residual = epilogue.residual.block(row, col, c.rows, c.cols);
    if (c.col_step != 1 && c.row_step == 1) x = x.transposed();
    double values[strip];
    for (std::int64_t i = 0; i < x.c.rows; ++i)
        for (std::int64_t j = 0; j < x.c.cols; j += strip) {
            const std::int64_t count = std::min(strip, x.c.cols - j);
            if (beta != 0) load_strip(x.c, i, j, count, values);
            for (std::int64_t s = 0; s < count; ++s) values[s] = beta == 0 ? 0 : beta * values[s];
            if (epilogue.scale != 1)
                for (std::int64_t s = 0; s < count; ++s) values[s] *= epilogue.scale;
            if (x.bias.data) add_strip(x.bias, i, j, count, values);
            activate(epilogue.activation, values, count);
            if (x.residual.data) add_strip(x.residual, i, j, count, values);
            store_strip(x.c, i, j, count, values);
        }
}

}  // namespace tw
