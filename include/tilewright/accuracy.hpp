// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#pragma once

#include <cstdint>

namespace tw {

/// How wrong an element of a product may be: the largest |C - AB| / (|A||B|), elementwise.
///
/// The names are rules that give that number for any k; a plain number is the number itself.
/// `automatic` is fp64 for f64 and c128 operands and fp32 for all others. Of complex operands it holds for the
/// real and for the imaginary part, each of which is a sum of 2k real products.
struct Accuracy {
    enum class Rule : std::uint8_t { automatic, fp64, fp32, fp32_elementwise, tf32, bf16, fp16, number };

    Rule rule = Rule::automatic;
    double value = 0;  ///< of Rule::number alone

    constexpr Accuracy() = default;
    constexpr explicit Accuracy(Rule named) noexcept : rule(named) {}
    constexpr Accuracy(double largest_error) noexcept : rule(Rule::number), value(largest_error) {}

    friend constexpr bool operator==(const Accuracy&, const Accuracy&) = default;
};

inline constexpr Accuracy fp64{Accuracy::Rule::fp64};
inline constexpr Accuracy fp32{Accuracy::Rule::fp32};
inline constexpr Accuracy fp32_elementwise{Accuracy::Rule::fp32_elementwise};
inline constexpr Accuracy tf32{Accuracy::Rule::tf32};
inline constexpr Accuracy bf16{Accuracy::Rule::bf16};
inline constexpr Accuracy fp16{Accuracy::Rule::fp16};

}  // namespace tw
