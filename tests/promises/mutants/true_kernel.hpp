// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// A blocked kernel that is right, cut where kernels go wrong. A wrong kernel is this one with one piece replaced:
//
//     struct ForgetsBeta : Correct {
//         static constexpr const char* name = "forgets beta";
//         static float result(const Call& call, float sum, ...) { return alpha(call) * sum; }
//     };
#pragma once

#include <algorithm>
#include <cstdint>

#include "backend/contract.hpp"
#include "base/threads.hpp"

namespace tw::mutants {

constexpr std::int64_t BM = 16, BN = 16, BK = 32;

/// A thread's share of the scratch: packed blocks of A and B, and the sums of a block of C.
struct Panels {
    float a[BM][BK], b[BK][BN], sums[BM][BN];
};

inline float alpha(const Call& call) { return static_cast<float>(call.alpha); }
inline float beta(const Call& call) { return static_cast<float>(call.beta); }
inline View<const float> a_of(const Call& call) { return typed<const float>(call.a); }
inline View<const float> b_of(const Call& call) { return typed<const float>(call.b); }
inline View<float> c_of(const Call& call) { return typed<float>(call.c); }

struct Correct {
    static constexpr const char* name = "the true kernel";
    static constexpr int order = 1;

    static void before(const Call&) {}

    // The shape.
    static std::int64_t rows(const Call& call) { return call.m(); }
    static std::int64_t cols(const Call& call) { return call.n(); }
    static std::int64_t depth(const Call& call) { return call.k(); }
    static std::int64_t row_blocks(std::int64_t m) { return (m + BM - 1) / BM; }
    static std::int64_t col_blocks(std::int64_t n) { return (n + BN - 1) / BN; }
    static std::int64_t depth_blocks(std::int64_t k) { return (k + BK - 1) / BK; }
    static int times(std::int64_t /*block*/, std::int64_t /*blocks*/) { return 1; }

    // Memory.
    static float read_a(const Call& call, std::int64_t i, std::int64_t p) { return a_of(call)(i, p); }
    static float read_b(const Call& call, std::int64_t p, std::int64_t j) { return b_of(call)(p, j); }
    static float read_c(const Call& call, std::int64_t i, std::int64_t j) { return c_of(call)(i, j); }
    static void write_c(const Call& call, std::int64_t i, std::int64_t j, float value) { c_of(call)(i, j) = value; }
    static float outside(float /*stale*/) { return 0; }

    // Arithmetic.
    static float start(float /*stale*/) { return 0; }
    static float add(float sum, float x, float y, std::int64_t /*p*/) { return sum + x * y; }
    static float after_block(float sum) { return sum; }

    template <class D>
    static float result(const Call& call, float sum, std::int64_t i, std::int64_t j) {
        return beta(call) == 0 ? alpha(call) * sum : alpha(call) * sum + beta(call) * D::read_c(call, i, j);
    }

    // Threads: task t takes blocks of rows t, t + tasks, ...
    static int tasks(const Call& call) { return call.threads; }
};

template <class D>
void load_panels(const Call& call, Panels& panels, std::int64_t i0, std::int64_t j0, std::int64_t p0) {
    for (std::int64_t i = 0; i < BM; ++i)
        for (std::int64_t p = 0; p < BK; ++p) {
            const bool inside = i0 + i < D::rows(call) && p0 + p < D::depth(call);
            panels.a[i][p] = inside ? D::read_a(call, i0 + i, p0 + p) : D::outside(panels.a[i][p]);
        }
    for (std::int64_t p = 0; p < BK; ++p)
        for (std::int64_t j = 0; j < BN; ++j) {
            const bool inside = p0 + p < D::depth(call) && j0 + j < D::cols(call);
            panels.b[p][j] = inside ? D::read_b(call, p0 + p, j0 + j) : D::outside(panels.b[p][j]);
        }
}

template <class D>
void block_of_c(const Call& call, Panels& panels, std::int64_t i0, std::int64_t j0) {
    for (auto& row : panels.sums)
        for (float& sum : row) sum = D::start(sum);
    const std::int64_t blocks = D::depth_blocks(D::depth(call));
    for (std::int64_t block = 0; block < blocks; ++block) {
        load_panels<D>(call, panels, i0, j0, block * BK);
        for (int time = 0; time < D::times(block, blocks); ++time)
            for (std::int64_t p = 0; p < BK; ++p)
                for (std::int64_t i = 0; i < BM; ++i)
                    for (std::int64_t j = 0; j < BN; ++j)
                        panels.sums[i][j] = D::add(panels.sums[i][j], panels.a[i][p], panels.b[p][j], block * BK + p);
        for (auto& row : panels.sums)
            for (float& sum : row) sum = D::after_block(sum);
    }
    for (std::int64_t i = 0; i < std::min(BM, D::rows(call) - i0); ++i)
        for (std::int64_t j = 0; j < std::min(BN, D::cols(call) - j0); ++j)
            D::write_c(call, i0 + i, j0 + j, D::template result<D>(call, panels.sums[i][j], i0 + i, j0 + j));
}

template <class D>
void task(void* context, int index) {
    const Call& call = *static_cast<const Call*>(context);
    Panels& panels = reinterpret_cast<Panels*>(call.scratch.data())[index];
    for (std::int64_t i = index; i < D::row_blocks(D::rows(call)); i += D::tasks(call))
        for (std::int64_t j = 0; j < D::col_blocks(D::cols(call)); ++j) block_of_c<D>(call, panels, i * BM, j * BN);
}

template <class D>
Status run(const Call& call, const Tile&) {
    D::before(call);
    Call shared = call;
    run_tasks(call.executor, call.threads, D::tasks(call), task<D>, &shared);
    return {};
}

inline constexpr Tile tiles[] = {{BM, BN, BK}};

template <class D>
inline constexpr Kernel row{
    .name = D::name,
    .rung = Rung::tiled,
    .in = Type::f32,
    .out = Type::f32,
    .sum = Type::f32,
    .scheme = &plain_f32,
    .needs = 0,
    .tiles = tiles,
    .fuses_epilogue = false,
    .idea = "blocks of A and B packed, summed in order of k",
    .takes = nullptr,
    .sum_bound = [](std::int64_t k) { return gamma(static_cast<double>(k) + 2, unit_f32); },
    .nanoseconds = [](const Problem&, int) { return 1.0; },
    .scratch_bytes = [](const Problem&, const Tile&,
                        int threads) { return sizeof(Panels) * static_cast<std::size_t>(threads); },
    .run = run<D>,
    .order = D::order,
};

/// The rows of several types, as a table.
template <class... Ds>
inline constexpr const Kernel* table[] = {&row<Ds>...};

}  // namespace tw::mutants
