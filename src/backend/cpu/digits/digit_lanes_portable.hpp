// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Sixteen f32 at a time on their way into digits, and sums of digits on their way out, in plain C++.
// digit_lanes_avx512.hpp has the same names.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "backend/cpu/unit/transposed_words_portable.hpp"

namespace tw::cpu {
namespace {

struct PortableDigitLanes {
    struct Floats {
        float of[16];
    };
    struct Numbers {
        std::uint32_t of[16];
    };

    static Floats load(const float* from) {
        Floats x;
        std::memcpy(x.of, from, sizeof x);
        return x;
    }
    static Floats all(float one) {
        Floats x;
        for (float& lane : x.of) lane = one;
        return x;
    }
    static Numbers no_numbers() { return {}; }
    static Numbers load_numbers(const std::uint32_t* from) {
        Numbers x;
        std::memcpy(x.of, from, sizeof x);
        return x;
    }
    static void store(float* to, const Floats& x) { std::memcpy(to, x.of, sizeof x); }
    static void store(std::uint32_t* to, const Numbers& x) { std::memcpy(to, x.of, sizeof x); }

    /// The larger of each lane's size so far, as bits without a sign, and this one's.
    static Numbers larger(Numbers sizes, const Floats& x) {
        for (int i = 0; i < 16; ++i) {
            const std::uint32_t size = std::bit_cast<std::uint32_t>(x.of[i]) & 0x7fffffffu;
            sizes.of[i] = size > sizes.of[i] ? size : sizes.of[i];
        }
        return sizes;
    }
    static std::uint32_t largest(const Numbers& sizes) {
        std::uint32_t most = 0;
        for (const std::uint32_t size : sizes.of) most = size > most ? size : most;
        return most;
    }

    /// One more in each lane that reaches the threshold.
    static Numbers reaching(Numbers counts, const Floats& x, const Floats& threshold) {
        for (int i = 0; i < 16; ++i) counts.of[i] += __builtin_fabsf(x.of[i]) >= threshold.of[i];
        return counts;
    }
    static std::uint32_t total(const Numbers& counts) {
        std::uint32_t all = 0;
        for (const std::uint32_t count : counts.of) all += count;
        return all;
    }

    /// Four vectors, scaled and rounded, as three words of 64 digits each, `apart` from one another: byte 4 l + i of a
    /// word is from lane l of vector i. What is no number of three digits gives any digits: its row is marked.
    static void cut(const Floats (&x)[4], const Floats& scale, std::byte* to, std::ptrdiff_t apart) {
        for (int i = 0; i < 4; ++i)
            for (int l = 0; l < 16; ++l) {
                const float scaled = x[i].of[l] * scale.of[l];
                const bool is_held = scaled >= -8355711.0f && scaled <= 8355711.0f;
                const auto whole = static_cast<std::int32_t>(__builtin_rintf(is_held ? scaled : 0.0f));
                const std::uint32_t digits = (static_cast<std::uint32_t>(whole) + 0x808080u) ^ 0x808080u;
                for (int digit = 0; digit < 3; ++digit)
                    to[digit * apart + 4 * l + i] = static_cast<std::byte>(digits >> (16 - 8 * digit));
            }
    }

    /// A tile of 16 x 16 words, rows and columns exchanged.
    static void transpose(std::byte* tile) { transpose_words(tile); }

    /// Sixteen results from their sums of each weight, `apart` from one another, the greatest first.
    template <int weights>
    static Floats put_together(const std::int32_t* sums, std::ptrdiff_t apart, float a, const float* b) {
        constexpr float next = 1.0f / 256;
        Floats results;
        for (int i = 0; i < 16; ++i) {
            auto sum = static_cast<float>(sums[(weights - 1) * apart + i]);
            for (int weight = weights - 2; weight >= 0; --weight)
                sum = __builtin_fmaf(sum, next, static_cast<float>(sums[weight * apart + i]));
            results.of[i] = sum * (a * b[i]);
        }
        return results;
    }

    /// c = alpha * sums + beta * c for the first `count`; c is not read when beta is 0.
    static void add_all_to_c(const Floats& sums, float* c, const Floats& alpha, const Floats& beta, bool reads_c) {
        add_to_c(sums, c, 16, alpha.of[0], reads_c ? beta.of[0] : 0);
    }
    static void add_to_c(const Floats& sums, float* c, int count, float alpha, float beta) {
        for (int i = 0; i < count; ++i) c[i] = beta == 0 ? alpha * sums.of[i] : alpha * sums.of[i] + beta * c[i];
    }
};

}  // namespace
}  // namespace tw::cpu
