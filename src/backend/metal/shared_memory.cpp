// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "backend/metal/shared_memory.hpp"

#include <cmath>
#include <cstring>

#include "base/rounding.hpp"

namespace tw::metal {
namespace {

double load(const Matrix& m, std::int64_t i, std::int64_t j) noexcept {
    const void* at = m.at(i, j);
    switch (m.type) {
        case Type::f64: return *static_cast<const double*>(at);
        case Type::f32: return static_cast<double>(*static_cast<const float*>(at));
        case Type::f16: return static_cast<double>(widen(*static_cast<const float16*>(at)));
        case Type::bf16: return static_cast<double>(widen(*static_cast<const bfloat16*>(at)));
    }
    return 0;
}

void store(const Matrix& m, std::int64_t i, std::int64_t j, double value) noexcept {
    void* at = m.at(i, j);
    switch (m.type) {
        case Type::f64: *static_cast<double*>(at) = value; break;
        case Type::f32: *static_cast<float*>(at) = static_cast<float>(value); break;
        case Type::f16: *static_cast<float16*>(at) = to_float16(static_cast<float>(value)); break;
        case Type::bf16: *static_cast<bfloat16*>(at) = to_bfloat16(static_cast<float>(value)); break;
    }
}

double activate(Activation activation, double x) noexcept {
    switch (activation) {
        case Activation::none: break;
        case Activation::relu: return x < 0 ? 0 : x;
        case Activation::gelu: return 0.5 * x * (1 + std::erf(x * 0.70710678118654752440));
        case Activation::silu: return x / (1 + std::exp(-x));
    }
    return x;
}

}  // namespace

void copy_elements(const Matrix& to, const Matrix& from) noexcept {
    const bool rows_alike = to.type == from.type && to.col_step == 1 && from.col_step == 1;
    for (std::int64_t i = 0; i < to.rows; ++i) {
        if (rows_alike) {
            std::memcpy(to.at(i, 0), from.at(i, 0), static_cast<std::size_t>(to.cols) * size_of(to.type));
            continue;
        }
        for (std::int64_t j = 0; j < to.cols; ++j) store(to, i, j, load(from, i, j));
    }
}

void finish_elements(const Matrix& c, double beta, const Epilogue& epilogue) noexcept {
    if (beta == 1 && epilogue.is_empty()) return;
    const Matrix bias{const_cast<void*>(epilogue.bias), epilogue.bias_type, 1, epilogue.bias_size, 0};
    for (std::int64_t i = 0; i < c.rows; ++i)
        for (std::int64_t j = 0; j < c.cols; ++j) {
            double x = (beta == 0 ? 0 : beta * load(c, i, j)) * epilogue.scale;
            if (epilogue.bias) x += load(bias, 0, j);
            x = activate(epilogue.activation, x);
            if (epilogue.residual.data) x += load(epilogue.residual, i, j);
            store(c, i, j, x);
        }
}

}  // namespace tw::metal
