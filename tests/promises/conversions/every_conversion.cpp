// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// All 2^32 inputs of to_bfloat16, to_tf32 and to_float16 against what the formats say, by integers alone and the other
// way round: for each narrow number the f32 inputs that must give it are an interval, whose ends lie half-way to its
// neighbours and belong to the even one. Narrow numbers are walked in order; every input is met once.
#include <array>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <thread>

#include "base/rounding.hpp"

namespace {

constexpr std::uint32_t sign = 0x80000000u, endless = 0x7f800000u;

struct Format {
    const char* name;
    std::uint32_t numbers;  ///< how many finite magnitudes, 0 the first
    std::uint32_t (*value)(
        std::uint32_t at);  ///< the magnitude in that place, as f32; beyond the last: what comes next
    std::uint32_t (*convert)(std::uint32_t f32);
    std::uint32_t (*stored)(std::uint32_t at);    ///< what convert() gives for that place, without sign
    std::uint32_t sign, quiet;                    ///< of the stored form
    std::uint32_t (*payload)(std::uint32_t f32);  ///< what a NaN keeps
};

/// An f16 magnitude as f32 bits, by its definition: mantissa times a power of two, normalized bit by bit.
std::uint32_t f16_value(std::uint32_t at) {
    std::uint32_t exponent = at >> 10, mantissa = at & 0x3ff;
    if (exponent != 0) return ((exponent - 15 + 127) << 23) | (mantissa << 13);  // of place 0x7c00: 65536
    if (mantissa == 0) return 0;
    for (exponent = 1 + 127 - 15; !(mantissa & 0x400); mantissa <<= 1) --exponent;
    return (exponent << 23) | ((mantissa & 0x3ff) << 13);
}

const Format formats[] = {
    {"bf16", 0x7f80, [](std::uint32_t at) { return at << 16; },
     [](std::uint32_t x) { return std::uint32_t{tw::to_bfloat16(std::bit_cast<float>(x)).bits}; },
     [](std::uint32_t at) { return at; }, 0x8000, 0x40, [](std::uint32_t x) { return x >> 16; }},
    {"tf32", 0x3fc00, [](std::uint32_t at) { return at << 13; },
     [](std::uint32_t x) { return std::bit_cast<std::uint32_t>(tw::to_tf32(std::bit_cast<float>(x))); },
     [](std::uint32_t at) { return at << 13; }, sign, 0x400000, [](std::uint32_t x) { return x; }},
    {"f16", 0x7c00, f16_value,
     [](std::uint32_t x) { return std::uint32_t{tw::to_float16(std::bit_cast<float>(x)).bits}; },
     [](std::uint32_t at) { return at; }, 0x8000, 0x200,
     [](std::uint32_t x) { return ((x >> 16) & 0x8000) | 0x7c00 | ((x >> 13) & 0x3ff); }},
};

/// The first f32 magnitude that rounds up to the narrow number `upper` instead of down to its neighbour `lower`.
/// Between two such neighbours f32 bits count evenly spaced numbers (no power of two lies strictly between them), so
/// the middle of the bits is the middle of the numbers; but for f16's 0 and 2^-24, whose middle is 2^-25.
std::uint32_t boundary(std::uint32_t lower, std::uint32_t upper, bool lower_is_even) {
    const bool evenly = lower != 0 || upper < 0x00800000u;
    const std::uint32_t middle = evenly ? lower + (upper - lower) / 2 : upper - 0x00800000u;
    return lower_is_even ? middle + 1 : middle;
}

bool agree(const Format& format, std::uint32_t input, std::uint32_t wanted) {
    const std::uint32_t got = format.convert(input);
    if (got == wanted) return true;
    std::printf("%s of %08x is %08x, expected %08x\n", format.name, input, got, wanted);
    return false;
}

/// Every input of one sign.
bool check(const Format& format, bool negative) {
    const std::uint32_t input_sign = negative ? sign : 0, stored_sign = negative ? format.sign : 0;
    std::uint32_t input = 0;
    for (std::uint32_t at = 0; at <= format.numbers; ++at) {
        const bool last = at == format.numbers;
        const std::uint32_t end = last ? endless + 1 : boundary(format.value(at), format.value(at + 1), at % 2 == 0);
        const std::uint32_t wanted = format.stored(at) | stored_sign;
        for (; input < end; ++input)
            if (!agree(format, input | input_sign, wanted)) return false;
    }
    for (; input < sign; ++input)
        if (!agree(format, input | input_sign, format.payload(input | input_sign) | format.quiet)) return false;
    return true;
}

}  // namespace

int main() {
    bool right = true;
    for (const Format& format : formats) {
        std::array<bool, 2> sides{};
        std::thread negative([&] { sides[1] = check(format, true); });
        sides[0] = check(format, false);
        negative.join();
        std::printf("%s: %s\n", format.name, sides[0] && sides[1] ? "4294967296 inputs right" : "wrong");
        right = right && sides[0] && sides[1];
    }
    return right ? 0 : 1;
}
