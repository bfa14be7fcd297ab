// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The sums of a micro-kernel: R x W registers over the vectors V of an instruction set, and one step along k on them.
// This header and those that include it have internal linkage alone: each file that includes them compiles its own copy
// with its own flags, and none can be linked in another's place.
//
//                      W vectors of B
//                    [row 0 ][row 1 ]           one step along k: W loads, R broadcasts,
//      R broadcasts  +------+------+            R x W multiply-adds on R x W vectors of sums
//          a 0       | sums | sums |
//          a 1       | sums | sums |
//          ...       +------+------+
#pragma once

#include <cstdint>

#include "backend/cpu/micro/micro_kernel.hpp"

namespace tw::cpu {
namespace {

/// The last vector of a tile's rows. Where columns are too few to fill it, it begins further left, over some columns of
/// the vector before it, and has the same results there: a masked load takes a Zen 1 as long as fifteen whole ones.
template <class V, bool Ragged, bool Masked>
struct Last {
    using T = typename V::Element;
    std::int64_t back;  ///< elements
    explicit Last(int count) : back(Ragged ? V::lanes - count : 0) {}
    auto widened(bool is_half, const std::uint16_t* p) const { return V::widened(is_half, p - back); }
    typename V::Register load(const T* p) const { return V::load(p - back); }
    void store(T* p, typename V::Register v) const { V::store(p - back, v); }
    typename V::Register load_whole(const T* p) const { return load(p); }
    void store_whole(T* p, typename V::Register v) const { store(p, v); }
};
/// Where there is none before it, or masks cost nothing.
template <class V>
struct Last<V, true, true> {
    using T = typename V::Element;
    typename V::Mask mask;
    explicit Last(int count) : mask(V::mask(count)) {}
    auto widened(bool is_half, const std::uint16_t* p) const { return V::widened(is_half, p, mask); }
    typename V::Register load(const T* p) const { return V::load(p, mask); }
    void store(T* p, typename V::Register v) const { V::store(p, v, mask); }
    /// In memory with room for a whole vector.
    typename V::Register load_whole(const T* p) const { return V::load(p); }
    void store_whole(T* p, typename V::Register v) const { V::store(p, v); }
};

template <class V, int R, int W, bool Ragged>
struct Sums {
    using T = typename V::Element;
    using Register = typename V::Register;

    Register of[R][W];
    Last<V, Ragged, W == 1 || sizeof(Register) == 64> last;
    explicit Sums(int cols) : last(cols - (W - 1) * V::lanes) {
#pragma GCC unroll 16
        for (int r = 0; r < R; ++r)
#pragma GCC unroll 8
            for (int w = 0; w < W; ++w) of[r][w] = V::zero();
    }

    /// One step along k. `a(r)` is where row r's element lies; where that is at a constant distance from a register, an
    /// instruction set may read and broadcast it within the multiply-add: in tiles of no more vectors than `Folded`.
    template <int Folded>
    [[gnu::always_inline]] inline void step(const auto& a, const T* b) {
        step_by<Folded>(a, [&](int w) { return w + 1 < W ? V::load(b + w * V::lanes) : last.load(b + w * V::lanes); });
    }

    /// The same by the vectors of a row of B.
    template <int Folded>
    [[gnu::always_inline]] inline void step_by(const auto& a, const auto& row_of_b) {
        if constexpr (R < W) {
            Register x[R];
#pragma GCC unroll 8
            for (int r = 0; r < R; ++r) x[r] = V::broadcast(a(r));
#pragma GCC unroll 8
            for (int w = 0; w < W; ++w) {
                const Register row = row_of_b(w);
#pragma GCC unroll 8
                for (int r = 0; r < R; ++r) of[r][w] = V::multiply_add(x[r], row, of[r][w]);
            }
            return;
        }
        Register row[W];
#pragma GCC unroll 8
        for (int w = 0; w < W; ++w) row[w] = row_of_b(w);
#pragma GCC unroll 16
        for (int r = 0; r < R; ++r) {
            if constexpr (W <= Folded) {
#pragma GCC unroll 8
                for (int w = 0; w < W; ++w) of[r][w] = V::multiply_add(a(r), row[w], of[r][w]);
            } else {
                const Register x = V::broadcast(a(r));
#pragma GCC unroll 8
                for (int w = 0; w < W; ++w) of[r][w] = V::multiply_add(x, row[w], of[r][w]);
            }
        }
    }

    /// Of a whole tile in a buffer, row after row.
    [[gnu::always_inline]] inline void add(const T* from) {
#pragma GCC unroll 16
        for (int r = 0; r < R; ++r)
#pragma GCC unroll 8
            for (int w = 0; w < W; ++w) of[r][w] = V::add(of[r][w], V::load(from + (r * W + w) * V::lanes));
    }
    [[gnu::always_inline]] inline void leave(T* to) const {
#pragma GCC unroll 16
        for (int r = 0; r < R; ++r)
#pragma GCC unroll 8
            for (int w = 0; w < W; ++w) V::store(to + (r * W + w) * V::lanes, of[r][w]);
    }

    /// C = alpha sums + beta C, but for what 1 and 0 spare.
    [[gnu::always_inline]] inline void finish(const MicroTile<T>& t) {
        const auto each = [&](const auto& add_to_c) __attribute__((always_inline)) {
            T* c = t.c;
#pragma GCC unroll 16
            for (int r = 0; r < R; ++r, c += t.c_step)
#pragma GCC unroll 8
                for (int w = 0; w < W; ++w) add_to_c(of[r][w], c + w * V::lanes, w + 1 < W);
        };
        const Register alpha = V::broadcast(&t.alpha), beta = V::broadcast(&t.beta);
        if (t.alpha != 1) each([&](Register& sum, T*, bool) { sum = V::multiply(alpha, sum); });
        if (t.beta != 0)
            each([&](Register& sum, T* at, bool inner) {
                sum = V::add(sum, V::multiply(beta, inner ? V::load(at) : last.load(at)));
            });
        each([&](const Register& sum, T* at, bool inner) { inner ? V::store(at, sum) : last.store(at, sum); });
    }
};

}  // namespace
}  // namespace tw::cpu
