// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Numbers that look random and are the same on every machine for the same seed: xoshiro256**, seeded by splitmix64.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace tw::reference {

class Random {
public:
    explicit constexpr Random(std::uint64_t seed) noexcept {
        for (std::uint64_t& word : state_) {
            seed += 0x9e3779b97f4a7c15u;
            std::uint64_t z = seed;
            z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
            z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
            word = z ^ (z >> 31);
        }
    }

    constexpr std::uint64_t bits() noexcept {
        const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9, shifted = state_[1] << 17;
        state_[2] ^= state_[0];
        state_[3] ^= state_[1];
        state_[1] ^= state_[2];
        state_[0] ^= state_[3];
        state_[2] ^= shifted;
        state_[3] = std::rotl(state_[3], 45);
        return result;
    }

    /// In [0, 1), every multiple of 2^-53 alike.
    constexpr double unit() noexcept { return static_cast<double>(bits() >> 11) * 0x1p-53; }

    constexpr double between(double low, double high) noexcept { return low + (high - low) * unit(); }

    /// In [least, most].
    constexpr std::int64_t whole(std::int64_t least, std::int64_t most) noexcept {
        return least + static_cast<std::int64_t>(bits() % static_cast<std::uint64_t>(most - least + 1));
    }

    constexpr double sign() noexcept { return bits() >> 63 ? -1 : 1; }

    /// N(0, 1), by the polar method; the second of each pair is not kept.
    double normal() noexcept {
        for (;;) {
            const double x = between(-1, 1), y = between(-1, 1), square = x * x + y * y;
            if (square > 0 && square < 1) return x * std::sqrt(-2 * std::log(square) / square);
        }
    }

private:
    std::uint64_t state_[4] = {};
};

}  // namespace tw::reference
