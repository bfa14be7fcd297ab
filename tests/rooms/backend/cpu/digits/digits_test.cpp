// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Products of int8 digits: the same bits from every instruction set, and certificates on the worst operands that the
// routing lets through. What goes wrong with digits is planted in tests/promises/mutants.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "backend/cpu/backend.hpp"
#include "backend/cpu/digits/digits.hpp"
#include "backend/cpu/ladder.hpp"
#include "base/element.hpp"
#include "support/sanitized.hpp"
#include "support/trial.hpp"

namespace {

using namespace tw;
using namespace tw::cpu;
using reference::Fill;

std::vector<const Kernel*> rows_of(const Scheme& scheme) {
    std::vector<const Kernel*> rows;
    for (const Backend* backend : {&backend(), &check_backend()})
        for (const Kernel* kernel : backend->ladder)
            if (kernel->scheme == &scheme && kernel->order != 0 && (kernel->needs & ~backend->features()) == 0)
                rows.push_back(kernel);
    return rows;
}

test::Outcome judged(const Kernel& kernel, test::Trial trial) {
    trial.tile = kernel.tiles.front();
    return test::run(trial, kernel, Place::host, test::run_on_host);
}

TEST(Digits, GiveTheSameBitsOnEveryInstructionSet) {
    for (const Scheme* scheme : {&int8x8, &int8x6})
        for (const Fill how : reference::every_fill)
            for (const std::int64_t k : {1, 65, 600}) {
                if (!test::has_its_turn(4)) continue;
                const test::Trial trial{.m = 45, .n = 35, .k = k, .beta = 0.5, .fill = how, .seed = 7};
                const auto rows = rows_of(*scheme);
                ASSERT_GE(rows.size(), 2u);
                const auto expected = judged(*rows.back(), trial);
                for (const Kernel* kernel : rows) {
                    const auto got = judged(*kernel, trial);
                    ASSERT_EQ(got.failure, "") << kernel->name << ": " << name_of(how);
                    ASSERT_EQ(got.result, expected.result) << kernel->name << ": " << name_of(how) << ", k " << k;
                }
            }
}

/// Of 16 elements of each row `barely` just reach a 16th of the largest and half of the others are that, as few of them
/// as possible together; wherever one factor is large the other is next to half a unit, which becomes zero. The others
/// lie half-way between two whole numbers.
template <int barely>
void make_worst(const Matrix& a, const Matrix& b, const Matrix&) {
    constexpr double large = 0.9965 * 0x1p23, small = 0x1.fp-24;  // just above what the next power of two would hold
    const auto odd = [](double x) { return (static_cast<double>(2 * static_cast<std::int64_t>(x / 2)) + 1) * 0x1p-23; };
    const std::int64_t k = a.cols;
    for (std::int64_t p = 0; p < k; ++p) {
        const std::int64_t at = 16 * (p % 16);
        constexpr std::int64_t first = 16 * barely, second = first + 8 * (16 - barely);
        const double a_sixteenth = odd(large / 16 + 64);
        const double in_a = at < first    ? a_sixteenth
                            : at < second ? odd(large)
                                          : small,
                     in_b = at < first    ? a_sixteenth
                            : at < second ? small
                                          : odd(large);
        for (std::int64_t i = 0; i < a.rows; ++i) store_element(a, i, p, in_a);
        for (std::int64_t j = 0; j < b.cols; ++j) store_element(b, p, j, in_b);
    }
}

TEST(Digits, CertificatesHoldOnTheWorstThatIsLetThrough) {
    double worst = 0;
    for (const Scheme* scheme : {&int8x8, &int8x6})
        for (const std::int64_t k : {1, 2, 15, 16, 17, 64, 65, 512, 513, 4097, 16385}) {
            test::Trial trial{.m = 2, .n = 2, .k = k, .alter = make_worst<6>, .about = "the worst that is let through"};
            const Kernel& kernel = *rows_of(*scheme).front();
            const auto outcome = judged(kernel, trial);
            ASSERT_EQ(outcome.failure, "") << kernel.name << ", k " << k;
            if (scheme == &int8x8 && k >= 16) worst = std::max(worst, outcome.worst);
            for (const Fill how : {Fill::uniform, Fill::cancellation, Fill::exponents_10, Fill::exponents_60,
                                   Fill::huge, Fill::subnormals}) {
                if (k > 513 && how != Fill::uniform && how != Fill::exponents_10) continue;
                ASSERT_EQ(judged(kernel, {.m = 2, .n = 2, .k = k, .fill = how}).failure, "")
                    << kernel.name << ", k " << k << ", " << name_of(how);
            }
        }
    EXPECT_GT(worst, 0.5) << "the certificate is not far from what can happen";
}

/// Of 9 elements of 16 that reach a 16th, digits would give several times what the certificate allows.
TEST(Digits, RowsOfWhichLessThan11Of16ReachASixteenthGoAnotherWay) {
    for (const Scheme* scheme : {&int8x8, &int8x6})
        for (const std::int64_t k : {16, 64, 512}) {
            const Kernel& kernel = *rows_of(*scheme).front();
            EXPECT_EQ(judged(kernel, {.m = 2, .n = 2, .k = k, .alter = make_worst<2>, .about = "9 of 16"}).failure, "")
                << kernel.name << ", k " << k;
        }
}

/// A block's sum is rounded, scaled and added to C, one block after the other.
TEST(Digits, CertificatesCountARoundingForEveryBlockOfK) {
    for (const std::int64_t k : {1, 500, 5000, 50000, 500000}) {
        const auto blocks = static_cast<double>((k + digits_block - 1) / digits_block);
        constexpr double within_a_block = 0x1p-20;
        for (const Scheme* scheme : {&int8x8, &int8x6})
            EXPECT_GE(rows_of(*scheme).front()->sum_bound(k), (blocks + 2) * 0x1p-24 + within_a_block)
                << scheme->name << ' ' << k;
    }
}

TEST(Digits, KeepWhatTheDialPromises) {
    for (const std::int64_t k : {1, 64, 512, 4096, 65537}) {
        EXPECT_LE(certificate(r10_split_portable_int8x8, k), promise(tf32, Type::f32, k)) << k;
        EXPECT_LE(certificate(r10_split_portable_int8x6, k), promise(tf32, Type::f32, k)) << k;
    }
    EXPECT_LE(certificate(r10_split_portable_int8x8, 1024), promise(fp32_elementwise, Type::f32, 1024));
    EXPECT_GT(certificate(r10_split_portable_int8x8, 512), promise(fp32_elementwise, Type::f32, 512));
}

/// Whole rows of outliers, Infs and NaNs beside others: their neighbours keep their bits.
TEST(Digits, RowsThatAreRoutedAwayDoNotDisturbTheirNeighbours) {
    for (const Kernel* kernel : rows_of(int8x8)) {
        const test::Trial plain{.m = 40, .n = 37, .k = 100, .fill = Fill::symmetric, .seed = 5};
        test::Trial mixed = plain;
        mixed.alter = [](const Matrix& a, const Matrix& b, const Matrix&) {
            store_element(a, 3, 8, 0x1p20);
            store_element(a, 9, 70, HUGE_VAL);
            store_element(a, 33, 0, 0x1p127);
            store_element(b, 50, 11, -HUGE_VAL);
            for (std::int64_t p = 0; p < 100; ++p) store_element(b, p, 20, 0);
        };
        const auto before = judged(*kernel, plain), after = judged(*kernel, mixed);
        ASSERT_EQ(after.failure, "") << kernel->name;
        for (std::size_t i = 0; i < 40; ++i)
            for (std::size_t j = 0; j < 37; ++j) {
                const bool is_touched = i == 3 || i == 9 || i == 33 || j == 11 || j == 20;
                const bool is_same =
                    std::memcmp(&before.result[4 * (i * 37 + j)], &after.result[4 * (i * 37 + j)], 4) == 0;
                ASSERT_TRUE(is_same || is_touched) << kernel->name << " at " << i << ", " << j;
            }
    }
}

/// Where most rows would go by FMA, the answer is the one of parts; one row in sixteen does not change the way.
TEST(Digits, ASampleSendsSparseOperandsToParts) {
    const test::Trial dense{.m = 40, .n = 37, .k = 100, .fill = Fill::symmetric, .seed = 5};
    EXPECT_EQ(judged(r10_split_emulated_sampled, dense).result, judged(r10_split_emulated_int8x8, dense).result);
    test::Trial sparse = dense, outlier = dense;
    sparse.alter = [](const Matrix& a, const Matrix&, const Matrix&) {
        for (std::int64_t i = 0; i < 40; ++i)
            for (std::int64_t p = i % 2; p < 100; p += 2) store_element(a, i, p, 0);
    };
    outlier.alter = [](const Matrix& a, const Matrix&, const Matrix&) { store_element(a, 0, 3, 0x1p20); };
    EXPECT_EQ(judged(r10_split_emulated_sampled, sparse).result, judged(r10_split_emulated_bf16x6, sparse).result);
    EXPECT_EQ(judged(r10_split_emulated_sampled, outlier).result, judged(r10_split_emulated_int8x8, outlier).result);
    for (const Fill how : reference::every_fill)
        EXPECT_EQ(judged(r10_split_emulated_sampled, {.m = 40, .n = 37, .k = 65, .beta = 0.5, .fill = how}).failure, "")
            << name_of(how);
}

}  // namespace
