// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The sixteen lanes of lanes_avx512.hpp in plain C++.
#pragma once

#include <bit>
#include <cstddef>
#include <cstring>

#include "backend/cpu/unit/transposed_words_portable.hpp"
#include "backend/cpu/unit/window.hpp"
#include "base/rounding.hpp"

namespace tw::cpu {
namespace {

struct PortableLanes {
    struct Floats {
        float of[16];
    };
    struct Halves {
        std::uint16_t of[16];
    };
    struct Words {
        std::uint16_t of[32];
    };
    using Mask = std::uint32_t;

    static Floats load(const float* from) {
        Floats x;
        std::memcpy(x.of, from, sizeof x);
        return x;
    }
    static Halves load_halves(const std::uint16_t* from) {
        Halves x;
        std::memcpy(x.of, from, sizeof x);
        return x;
    }
    static Words load_words(const std::uint16_t* from) {
        Words x;
        std::memcpy(x.of, from, sizeof x);
        return x;
    }

    static Halves rounded(const Floats& x) {
        Halves y;
        for (int i = 0; i < 16; ++i) y.of[i] = to_bfloat16(x.of[i]).bits;
        return y;
    }
    static Floats widened(const Halves& x) {
        Floats y;
        for (int i = 0; i < 16; ++i) y.of[i] = widen(bfloat16{x.of[i]});
        return y;
    }
    static Floats minus(Floats x, const Floats& y) {
        for (int i = 0; i < 16; ++i) x.of[i] -= y.of[i];
        return x;
    }

    static Words joined(const Halves& first, const Halves& second) {
        Words x;
        for (int i = 0; i < 16; ++i) x.of[i] = first.of[i], x.of[i + 16] = second.of[i];
        return x;
    }
    static Words interleaved(const Halves& low, const Halves& high) {
        Words x;
        for (int i = 0; i < 16; ++i) x.of[2 * i] = low.of[i], x.of[2 * i + 1] = high.of[i];
        return x;
    }
    static Words low_pairs(const Words& even, const Words& odd) { return pairs_from(0, even, odd); }
    static Words high_pairs(const Words& even, const Words& odd) { return pairs_from(16, even, odd); }
    static void store(std::byte* to, const Words& x) { std::memcpy(to, x.of, sizeof x); }

    static Mask outside(const Floats& x) {
        Mask found = 0;
        for (int i = 0; i < 16; ++i) {
            const std::uint32_t size = std::bit_cast<std::uint32_t>(x.of[i]) & 0x7fffffffu;
            found |= static_cast<Mask>(size != 0 && size - window_begin >= window_end - window_begin) << i;
        }
        return found;
    }
    /// The same of single halves.
    static std::uint32_t halves_outside(const Words& x) {
        std::uint32_t found = 0;
        for (int i = 0; i < 32; ++i) {
            const std::uint32_t size = (x.of[i] & 0x7fffu) << 16;
            found |= std::uint32_t{size != 0 && size - window_begin >= window_end - window_begin} << i;
        }
        return found;
    }
    static Mask either(Mask x, Mask y) { return x | y; }
    static std::uint32_t bits(Mask x) { return x; }

    static void transpose(std::byte* tile) { transpose_words(tile); }

    static Floats all(float x) {
        Floats lanes;
        for (float& lane : lanes.of) lane = x;
        return lanes;
    }
    template <class C>
    static void add_to_c(const float* sums, const float* partial, C* c, const Floats& alpha, const Floats& beta,
                         bool reads_c, Mask which = 0xffff) {
        for (int i = 0; i < 16; ++i) {
            if (!(which >> i & 1)) continue;
            float x = alpha.of[i] * (partial ? sums[i] + partial[i] : sums[i]);
            if (reads_c) x += beta.of[i] * loaded(c[i]);
            store(c[i], x);
        }
    }

private:
    static Words pairs_from(int first, const Words& even, const Words& odd) {
        Words x;
        for (int i = 0; i < 16; ++i) x.of[2 * i] = even.of[first + i], x.of[2 * i + 1] = odd.of[first + i];
        return x;
    }
    static float loaded(float c) { return c; }
    static float loaded(std::uint16_t c) { return widen(bfloat16{c}); }
    static void store(float& c, float x) { c = x; }
    static void store(std::uint16_t& c, float x) { c = to_bfloat16(x).bits; }
};

}  // namespace
}  // namespace tw::cpu
