// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "plan/operands.hpp"

#include <cmath>

#include "base/rounding.hpp"
#include "plan/registry.hpp"

namespace tw {
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

double load_value(const void* values, Type type, std::int64_t j) noexcept {
    return load(Matrix{const_cast<void*>(values), type, 1, j + 1, 0, 1}, 0, j);
}

double activate(Activation activation, double x) noexcept {
    switch (activation) {
        case Activation::none: break;
        case Activation::relu: return x < 0 ? 0 : x;  // a NaN stays
        case Activation::gelu: return 0.5 * x * (1 + std::erf(x * 0.70710678118654752440));
        case Activation::silu: return x / (1 + std::exp(-x));
    }
    return x;
}

}  // namespace

Place place_of(const void* memory) noexcept {
    for (const BackendSource& source : backends())
        if (source.owns && source.owns(memory)) return source.place;
    return Place::host;
}

void convert(const Matrix& to, const Matrix& from) noexcept {
    for (std::int64_t i = 0; i < to.rows; ++i)
        for (std::int64_t j = 0; j < to.cols; ++j) store(to, i, j, load(from, i, j));
}

void finish(const Matrix& c, double beta, const Epilogue& epilogue) noexcept {
    if (beta == 1 && epilogue.is_empty()) return;
    for (std::int64_t i = 0; i < c.rows; ++i)
        for (std::int64_t j = 0; j < c.cols; ++j) {
            double x = beta == 0 ? 0 : beta * load(c, i, j);
            x *= epilogue.scale;
            if (epilogue.bias) x += load_value(epilogue.bias, epilogue.bias_type, j);
            x = activate(epilogue.activation, x);
            if (epilogue.residual.data) x += load(epilogue.residual, i, j);
            store(c, i, j, x);
        }
}

}  // namespace tw
