// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#pragma once

#include <cstdint>
#include <span>
#include <type_traits>

#include "tilewright/types.hpp"
#include "tilewright/view.hpp"

namespace tw {

enum class Activation : std::uint8_t { none, relu, gelu, silu };

/// What happens to alpha*A*B + beta*C on its way out, in this order:
/// times `scale`, plus `bias` (one value a column), through the activation, plus `residual`.
struct Epilogue {
    double scale = 1;
    const void* bias = nullptr;
    Type bias_type = Type::f32;
    std::int64_t bias_size = 0;
    Activation activation = Activation::none;
    Matrix residual{};

    constexpr bool is_empty() const noexcept {
        return scale == 1 && bias == nullptr && activation == Activation::none && residual.data == nullptr;
    }
};

/// What lies in one piece, as a span of it.
template <class R>
concept Values = requires(const R& values) { requires Element<typename decltype(std::span(values))::element_type>; };

/// One value for every column of C.
template <Values R>
constexpr Epilogue bias(const R& values) noexcept {
    const std::span all(values);
    return {.bias = all.data(),
            .bias_type = type_of<typename decltype(all)::element_type>,
            .bias_size = static_cast<std::int64_t>(all.size())};
}

constexpr Epilogue with(Epilogue epilogue, Activation activation) noexcept {
    epilogue.activation = activation;
    return epilogue;
}

constexpr Epilogue relu() noexcept { return with({}, Activation::relu); }
constexpr Epilogue gelu() noexcept { return with({}, Activation::gelu); }
constexpr Epilogue silu() noexcept { return with({}, Activation::silu); }

template <Values R>
constexpr Epilogue bias_relu(const R& values) noexcept {
    return with(bias(values), Activation::relu);
}
template <Values R>
constexpr Epilogue bias_gelu(const R& values) noexcept {
    return with(bias(values), Activation::gelu);
}
template <Values R>
constexpr Epilogue bias_silu(const R& values) noexcept {
    return with(bias(values), Activation::silu);
}

/// Adds a matrix of C's shape last of all.
template <Element T>
constexpr Epilogue residual(View<T> addend) noexcept {
    Epilogue epilogue;
    epilogue.residual = erase(addend);
    return epilogue;
}

}  // namespace tw
