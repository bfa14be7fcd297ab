// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "scheme/scheme.hpp"

#include "scheme/remainders_complex.hpp"
#include "tilewright/options.hpp"

#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>

namespace tw {
namespace {

constexpr std::array<std::array<int, 2>, 1> whole{{{0, 0}}};

struct Name {
    Accuracy::Rule rule;
    const char* text;
};
constexpr Name names[] = {
    {Accuracy::Rule::automatic, "auto"}, {Accuracy::Rule::fp64, "fp64"},
    {Accuracy::Rule::fp32, "fp32"},      {Accuracy::Rule::fp32_elementwise, "fp32_elementwise"},
    {Accuracy::Rule::tf32, "tf32"},      {Accuracy::Rule::bf16, "bf16"},
    {Accuracy::Rule::fp16, "fp16"},
};

/// Two operands, each rounded with relative error at most u: what their product loses.
constexpr double two_roundings(double u) { return 2 * u + u * u; }

}  // namespace

constexpr std::array<std::array<int, 2>, 3> two_parts{{{1, 0}, {0, 1}, {0, 0}}};
constexpr std::array<std::array<int, 2>, 6> three_parts{{{2, 0}, {0, 2}, {1, 1}, {1, 0}, {0, 1}, {0, 0}}};

/// What fp16 parts may lose of elements that are small beside their row's largest, before a result is summed anew.
constexpr double fp16_tolerance = 0x1p-22;

const Scheme plain_f32{"fp32", Type::f32, 1, whole, 0};
const Scheme plain_f64{"fp64", Type::f64, 1, whole, 0};

const Scheme fp16x1{"fp16x1", Type::f16, 1, whole, two_roundings(0x1p-11) + fp16_tolerance};
const Scheme fp16x3{"fp16x3", Type::f16, 2, two_parts, 3 * 0x1p-22 + fp16_tolerance};
const Scheme bf16x1{"bf16x1", Type::bf16, 1, whole, two_roundings(0x1p-8)};
/// small * small, and from each operand what is left of it after two parts.
const Scheme bf16x3{"bf16x3", Type::bf16, 2, two_parts, 3 * 0x1p-16 + 0x1p-23};
const Scheme bf16x6{"bf16x6", Type::bf16, 3, three_parts, 2 * 0x1p-24 + 0x1p-32};

/// Three digits of base 256, whole numbers up to 0x7f7f7f: half a unit of the last is at most this of a row's largest
/// element.
constexpr double half_digit = 0x1.02p-23;
/// Where 11 of 16 elements of both rows reach a 16th of the largest, 3 of 8 do so together: |A||B| is at least this of
/// k * max|a| * max|b|. The others make the loss greatest where one factor is zero and the other the largest.
constexpr double least_product = 3.0 / 8 / 256, halves_a_term = 5.0 / 8 + 3.0 / 8 / 8;
constexpr double rounding_to_digits = (half_digit * halves_a_term + half_digit * half_digit) / least_product;
/// A product of last digits, in units of the last, and two of a middle and a last one.
constexpr double last_by_last = 0x1p14 * 4 * half_digit * half_digit / least_product;
constexpr double middle_by_last = 2 * 0x1p22 * 4 * half_digit * half_digit / least_product;

constexpr std::array<std::array<int, 2>, 8> eight_digits{
    {{1, 2}, {2, 1}, {0, 2}, {1, 1}, {2, 0}, {1, 0}, {0, 1}, {0, 0}}};
constexpr std::array<std::array<int, 2>, 6> six_digits{{{0, 2}, {1, 1}, {2, 0}, {1, 0}, {0, 1}, {0, 0}}};

const Scheme int8x8{"int8x8", Type::f32, 3, eight_digits, rounding_to_digits + last_by_last};
const Scheme int8x6{"int8x6", Type::f32, 3, six_digits, rounding_to_digits + last_by_last + middle_by_last};

const Scheme remainders_of_f64{"remainders", Type::f64, 1, whole, 0};
const Scheme remainders_of_f32{"remainders", Type::f32, 1, whole, 0};

/// The least that a tf32 part can hold.
constexpr double tf32_flush_loss = 0x1p-136;

const Scheme tf32x1{"tf32x1", Type::f32, 1, whole, two_roundings(0x1p-11), tf32_flush_loss};
/// The large part is rounded to 11 bits, the small one cut to as many: 2^-21 of each operand, and small * small.
const Scheme tf32x3{"tf32x3", Type::f32, 2, two_parts, 2 * 0x1p-21 + 0x1p-22, tf32_flush_loss};

bool allows_flush_loss(Accuracy accuracy) noexcept {
    return accuracy.rule != Accuracy::Rule::number && accuracy.rule != Accuracy::Rule::fp32_elementwise &&
           accuracy.rule != Accuracy::Rule::fp64;
}

Accuracy resolve(Accuracy accuracy, Type in) noexcept {
    if (accuracy.rule != Accuracy::Rule::automatic) return accuracy;
    return part_of(in) == Type::f64 ? fp64 : fp32;
}

double promise(Accuracy accuracy, Type in, std::int64_t k) noexcept {
    // Each part of a complex result is a sum of 2k products, which a complex alpha and beta round twice more.
    const std::int64_t terms = is_complex(in) ? 2 * k : k, of_scalars = is_complex(in) ? 4 : 2;
    // A short sum pays for the constant of a split scheme as a sum of 32 terms would.
    const auto roundings = static_cast<double>((terms > 32 ? terms : 32) + of_scalars);
    const double sum_f32 = gamma(roundings, unit_f32);
    switch (resolve(accuracy, in).rule) {
        case Accuracy::Rule::fp64: return gamma(roundings, unit_f64);
        case Accuracy::Rule::tf32:
        case Accuracy::Rule::fp16: return two_roundings(0x1p-11) + sum_f32;
        case Accuracy::Rule::bf16: return two_roundings(0x1p-8) + sum_f32;
        case Accuracy::Rule::number: return accuracy.value;
        case Accuracy::Rule::automatic:
        case Accuracy::Rule::fp32:
        case Accuracy::Rule::fp32_elementwise: break;
    }
    return sum_f32;
}

int spell(Accuracy accuracy, char* text, int size) noexcept {
    const auto room = static_cast<std::size_t>(size);
    for (const Name& name : names)
        if (name.rule == accuracy.rule) return std::snprintf(text, room, "%s", name.text);
    char digits[32];  // the fewest that read back as the same number
    const char* const end = std::to_chars(digits, digits + sizeof digits, accuracy.value).ptr;
    return std::snprintf(text, room, "%.*s", static_cast<int>(end - digits), digits);
}

bool parse_accuracy(std::string_view text, Accuracy& accuracy) noexcept {
    for (const Name& name : names)
        if (text == name.text) return accuracy = Accuracy(name.rule), true;
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || !(value > 0) || std::isinf(value)) return false;
    return accuracy = Accuracy(value), true;
}

}  // namespace tw
