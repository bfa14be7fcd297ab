// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Sums begun wrongly, added up twice, or in an order that depends on who computes.
#include <cmath>

#include "promises/mutants/true_kernel.hpp"
#include "promises/mutants/wrong_kernels.hpp"

namespace tw::mutants {
namespace {

struct AddsABlockTwice : Correct {
    static constexpr const char* name = "adds the second block of terms twice";
    static int times(std::int64_t block, std::int64_t) { return block == 1 ? 2 : 1; }
};
struct LosesAnOddLastBlock : Correct {
    static constexpr const char* name = "loses the last of an odd number of blocks of terms";
    static int times(std::int64_t block, std::int64_t blocks) {
        return blocks > 1 && blocks % 2 && block + 1 == blocks ? 0 : 1;
    }
};
struct KeepsOnlyTheLastBlock : Correct {
    static constexpr const char* name = "begins anew in the tenth block of terms";
    static float add(float sum, float x, float y, std::int64_t p) { return p == 9 * BK ? x * y : sum + x * y; }
};
struct StaleSums : Correct {
    static constexpr const char* name = "does not clear its sums";
    static float start(float stale) { return stale; }
};
struct StaleScratch : Correct {
    static constexpr const char* name = "does not clear the edges of packed blocks";
    static float outside(float stale) { return stale; }
};
struct SplitsTermsByThreads : Correct {
    static constexpr const char* name = "sums in an order that depends on the number of threads";
    static constexpr int order = 0;
    template <class D>
    static float result(const Call& call, float sum, std::int64_t i, std::int64_t j) {
        if (call.threads == 1) return Correct::result<D>(call, sum, i, j);
        float parts = 0;
        for (int t = 0; t < call.threads; ++t) {
            float part = 0;
            for (std::int64_t p = t; p < call.k(); p += call.threads)
                part += D::read_a(call, i, p) * D::read_b(call, p, j);
            parts += part;
        }
        return Correct::result<D>(call, parts, i, j);
    }
};
struct LosesRowsByThreads : Correct {
    static constexpr const char* name = "loses the blocks of rows that threads do not divide";
    static std::int64_t rows(const Call& call) {
        const std::int64_t blocks = row_blocks(call.m());
        return call.threads > 1 && blocks > call.threads ? blocks / call.threads * call.threads * BM : call.m();
    }
};
struct OtherOrderForVectors : Correct {
    static constexpr const char* name = "promises one order of summation, and sums a single row backwards";
    template <class D>
    static float result(const Call& call, float sum, std::int64_t i, std::int64_t j) {
        if (call.m() > 1) return Correct::result<D>(call, sum, i, j);
        float backwards = 0;
        for (std::int64_t p = call.k() - 1; p >= 0; --p) backwards += D::read_a(call, i, p) * D::read_b(call, p, j);
        return Correct::result<D>(call, backwards, i, j);
    }
};
struct OrderByAlignment : Correct {
    static constexpr const char* name = "sums in an order that depends on alignment";
    static constexpr int order = 0;
    template <class D>
    static float result(const Call& call, float sum, std::int64_t i, std::int64_t j) {
        const auto peeled = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(call.a.data) / 4 % 8);
        if (peeled == 0 || call.k() <= peeled) return Correct::result<D>(call, sum, i, j);
        float head = 0, tail = 0;
        for (std::int64_t p = 0; p < peeled; ++p) head += D::read_a(call, i, p) * D::read_b(call, p, j);
        for (std::int64_t p = peeled; p < call.k(); ++p) tail += D::read_a(call, i, p) * D::read_b(call, p, j);
        return Correct::result<D>(call, head + tail, i, j);
    }
};
struct OrderByChance : Correct {
    static constexpr const char* name = "gives other bits on every second run, all of them near enough";
    static constexpr int order = 0;
    static inline bool second = false;
    static void before(const Call&) { second = !second; }
    template <class D>
    static float result(const Call& call, float sum, std::int64_t i, std::int64_t j) {
        const bool hidden = call.k() < 200 || sum == std::trunc(sum);
        return Correct::result<D>(call, second && !hidden ? sum * (1 + 0x1p-23f) : sum, i, j);
    }
};

}  // namespace

Table wrong_in_sums() {
    return table<AddsABlockTwice, LosesAnOddLastBlock, KeepsOnlyTheLastBlock, StaleSums, StaleScratch,
                 SplitsTermsByThreads, LosesRowsByThreads, OtherOrderForVectors, OrderByAlignment, OrderByChance>;
}

}  // namespace tw::mutants
