// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The kernels of every set that runs here, what they are given, and room for what they write.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "backend/contract.hpp"
#include "backend/cpu/effort/kernels.hpp"
#include "base/cpu_features.hpp"
#include "base/element.hpp"
#include "reference/random.hpp"
#include "support/guarded_matrix.hpp"

namespace tw::effort_kernels {

using namespace tw::cpu;

struct Set {
    const char* name;
    void (*dense)(const EffortDenseTile&);
    void (*buckets)(const EffortTile&);
    void (*tiers)(const EffortTile&);
    void (*planes)(const EffortTile&);
    void (*whole)(const EffortWholeTile&);
};

inline std::vector<Set> sets_here() {
    std::vector<Set> sets{{"portable", effort_dense_portable, effort_buckets_portable, effort_tiers_portable,
                           effort_planes_portable, effort_planes_whole_portable}};
    [[maybe_unused]] const auto has = [](Features needs) { return (needs & ~cpu_features()) == 0; };
#if defined(__x86_64__)
    if (has(cpu_feature::avx2))
        sets.push_back({"avx2", effort_dense_avx2, effort_buckets_avx2, effort_tiers_avx2, effort_planes_avx2,
                        effort_planes_whole_avx2});
    if (has(cpu_feature::avx512 | cpu_feature::avx512_vnni | cpu_feature::avx512_vbmi))
        sets.push_back({"avx512", effort_dense_avx512, effort_buckets_avx512, effort_tiers_avx512, effort_planes_avx512,
                        effort_planes_whole_avx512});
#endif
#if defined(__aarch64__)
    if (has(cpu_feature::neon | cpu_feature::neon_dot))
        sets.push_back({"neon", effort_dense_portable, effort_buckets_portable, effort_tiers_portable,
                        effort_planes_portable, effort_planes_whole_neon});
#endif
    return sets;
}

/// Room for what a kernel may write, padding included, between numbers that must stay: NaN until it is written.
class Sums {
public:
    explicit Sums(std::int64_t count) : all_(static_cast<std::size_t>(count + 2 * beside), 12345.f) {
        first_ = all_.data() + beside;
        while (reinterpret_cast<std::uintptr_t>(first_) % 64 != 0) --first_;
        for (std::int64_t o = 0; o < count; ++o) first_[o] = NAN;
        count_ = count;
    }
    float* data() { return first_; }
    void expect_nothing_beside() const {
        for (const float& y : all_) {
            if (&y >= first_ && &y < first_ + count_) continue;
            ASSERT_EQ(y, 12345.f) << &y - first_ << " of " << count_;
        }
    }

private:
    static constexpr std::int64_t beside = 4096;
    std::vector<float> all_;
    float* first_;
    std::int64_t count_;
};

/// Drawn from seed to seed, so that a mistake shows whichever entry it is in.
struct Drawn : reference::Random {
    using Random::Random;
    int below(int count) { return static_cast<int>(whole(0, count - 1)); }
    int sized(int least, int most) { return static_cast<int>(sign()) * static_cast<int>(whole(least, most)); }
    /// Some inputs in order, each with 1..units of its units.
    std::vector<EffortEntry> entries(std::int64_t inputs, int units, double share, bool small) {
        std::vector<EffortEntry> drawn;
        for (std::int64_t i = 0; i < inputs; ++i)
            if (unit() < share)
                drawn.push_back({static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(1 + below(units)),
                                 small ? static_cast<float>(sized(1, 4)) : static_cast<float>(normal())});
        return drawn;
    }
};

inline float16 half(double value) {
    float16 h{};
    store_element({&h, Type::f16, 1, 1, 1}, 0, 0, value);
    return h;
}

}  // namespace tw::effort_kernels
