// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The complex micro-kernel over the vectors V of an instruction set: real and imaginary parts have vectors of their own
// until the sums are through, so that nothing is shuffled and no product is made twice.
//
//                    W vectors c, W vectors d          one step along k: 2 W loads, 2 R broadcasts,
//      R broadcasts  +-----------+-----------+         4 R W multiply-adds on 2 R W vectors of sums
//         a,         | re  ac-bd | im  ad+bc |
//         then b     +-----------+-----------+
//
// Internal linkage alone, as micro_sums.hpp has it.
#pragma once

#include <utility>

#include "backend/cpu/micro/complex_kernel.hpp"

namespace tw::cpu {
namespace {

template <class V, int R, int W>
struct ComplexSums {
    using T = typename V::Element;
    using Register = typename V::Register;
    static constexpr int NR = W * V::lanes;

    Register re[R][W], im[R][W];
    ComplexSums() {
#pragma GCC unroll 16
        for (int r = 0; r < R; ++r)
#pragma GCC unroll 2
            for (int w = 0; w < W; ++w) re[r][w] = V::zero(), im[r][w] = V::zero();
    }

    template <int MR>
    [[gnu::always_inline]] inline void step(const T* a, const T* b) {
        Register c[W], d[W];
#pragma GCC unroll 2
        for (int w = 0; w < W; ++w) c[w] = V::load(b + w * V::lanes), d[w] = V::load(b + NR + w * V::lanes);
#pragma GCC unroll 16
        for (int r = 0; r < R; ++r) {
            const Register x = V::broadcast(a + r);
#pragma GCC unroll 2
            for (int w = 0; w < W; ++w)
                re[r][w] = V::multiply_add(x, c[w], re[r][w]), im[r][w] = V::multiply_add(x, d[w], im[r][w]);
        }
#pragma GCC unroll 16
        for (int r = 0; r < R; ++r) {
            const Register y = V::broadcast(a + MR + r);
#pragma GCC unroll 2
            for (int w = 0; w < W; ++w)
                re[r][w] = V::multiply_subtract(y, d[w], re[r][w]), im[r][w] = V::multiply_add(y, c[w], im[r][w]);
        }
    }

    /// C = alpha sums + beta C, but for what 1 and 0 spare. What has not all columns goes through memory.
    [[gnu::always_inline]] inline void finish(const ComplexTile<T>& t) {
        const Register alpha = V::broadcast(&t.alpha), beta = V::broadcast(&t.beta);
        if (t.alpha != 1) scale(alpha);
        if (t.cols < NR) return finish_some(t);
        if (t.beta == 0)
            each(t.c, t.c_step, [](T* at, Register sum) __attribute__((always_inline)) { V::store(at, sum); });
        else
            each(t.c, t.c_step, [&](T* at, Register sum) __attribute__((always_inline)) {
                V::store(at, V::add(sum, V::multiply(beta, V::load(at))));
            });
    }
    void finish_some(const ComplexTile<T>& t) {
        T sums[R * 2 * NR];
        each(sums, 2 * NR, [](T* at, Register sum) __attribute__((always_inline)) { V::store(at, sum); });
        for (int r = 0; r < R; ++r)
            for (int j = 0; j < 2 * t.cols; ++j) {
                T& out = t.c[r * t.c_step + j];
                out = t.beta == 0 ? sums[r * 2 * NR + j] : sums[r * 2 * NR + j] + t.beta * out;
            }
    }
    [[gnu::always_inline]] inline void scale(Register alpha) {
#pragma GCC unroll 16
        for (int r = 0; r < R; ++r)
#pragma GCC unroll 2
            for (int w = 0; w < W; ++w)
                re[r][w] = V::multiply(alpha, re[r][w]), im[r][w] = V::multiply(alpha, im[r][w]);
    }
    /// put(where, what) for every vector of the tile as C has it.
    [[gnu::always_inline]] inline void each(T* c, std::int64_t c_step, const auto& put) {
#pragma GCC unroll 16
        for (int r = 0; r < R; ++r, c += c_step)
#pragma GCC unroll 2
            for (int w = 0; w < W; ++w) {
                Register low, high;
                V::interleave(re[r][w], im[r][w], low, high);
                put(c + 2 * w * V::lanes, low);
                put(c + (2 * w + 1) * V::lanes, high);
            }
    }
};

/// R of MR rows. C is prefetched shortly before it is read, as packed_tile() does it.
template <class V, int MR, int R, int W>
void complex_tile(const ComplexTile<typename V::Element>& t) {
    using T = typename V::Element;
    constexpr std::int64_t group = 8, line = 64 / sizeof(T), NR = W * V::lanes, groups_of_c = R;
    ComplexSums<V, R, W> sums;
    const T *a = t.a, *b = t.b, *ahead = t.ahead, *c = t.c;
    const auto go = [&](std::int64_t steps) __attribute__((always_inline)) {
#pragma GCC unroll 2
        for (; steps > 0; --steps, a += 2 * MR, b += 2 * NR) sums.template step<MR>(a, b);
    };
    const auto ask_for_c = [&] {
        __builtin_prefetch(c, 1);
        __builtin_prefetch(c + 2 * t.cols - 1, 1);
        c += t.c_step;
    };
    const std::int64_t groups = t.k / group, rows_at_once = t.ahead_rows / (groups + 1) + 1;
    std::int64_t rows_ahead = t.ahead_rows;
    for (int r = 0; r < R && groups < groups_of_c; ++r) ask_for_c();
    for (std::int64_t left = groups; left > 0; --left) {
        go(group);
        for (std::int64_t row = 0; row < rows_at_once && rows_ahead > 0; ++row, --rows_ahead, ahead += t.ahead_step)
            for (std::int64_t l = 0; l < t.ahead_lines; ++l) __builtin_prefetch(ahead + l * line, 0, 2);
        if (left <= groups_of_c && groups >= groups_of_c) ask_for_c();
    }
    go(t.k % group);
    sums.finish(t);
}

template <class V, int MR, int W>
struct ComplexTiles {
    using T = typename V::Element;
    using Function = void (*)(const ComplexTile<T>&);
    struct Table {
        Function of[MR];
    };

    template <int... R>
    static constexpr Table all(std::integer_sequence<int, R...>) {
        return {{complex_tile<V, MR, R + 1, W>...}};
    }
    static constexpr Table table = all(std::make_integer_sequence<int, MR>{});
    static void run(const ComplexTile<T>& t) { table.of[t.rows - 1](t); }
};

template <class V, int MR, int W>
constexpr ComplexKernel<typename V::Element> complex_kernel(
    double rate, typename MicroKernel<typename V::Element>::Packer pack = nullptr) {
    return {MR, W * V::lanes, rate, ComplexTiles<V, MR, W>::run, pack};
}

}  // namespace
}  // namespace tw::cpu
