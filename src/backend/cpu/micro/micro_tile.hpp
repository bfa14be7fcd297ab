// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The body of a micro-kernel, over the vectors V of an instruction set. Everything here has internal linkage: each file
// that includes it compiles its own copy with its own flags, and none can be linked in another's place.
//
//                      W vectors of B
//                    [row 0 ][row 1 ]           one step along k: W loads, R broadcasts,
//      R broadcasts  +------+------+            R x W multiply-adds on R x W vectors of sums
//          a 0       | sums | sums |
//          a 1       | sums | sums |
//          ...       +------+------+
#pragma once

#include <algorithm>
#include <bit>
#include <utility>

#include "backend/cpu/micro/micro_kernel.hpp"

namespace tw::cpu {
namespace {

/// How many vectors wide a tile of `rows` is, when at most `budget` registers hold sums: one step along k wants
/// registers besides, for a vector of each row or of each column, whichever are fewer, and one more.
constexpr int vectors_wide(int rows, int budget) {
    const int registers = static_cast<int>(std::bit_ceil(static_cast<unsigned>(budget + 1)));
    int wide = budget / rows < 8 ? budget / rows : 8;
    while (wide > 1 && rows * wide + std::min(rows, wide) + 1 > registers) --wide;
    return wide;
}

constexpr int most_addresses = 12;  // that a processor has registers for

/// How many rows of an A that is not packed a tile of so many vectors has at most; 0: no tile is so wide.
constexpr int highest(int vectors, int mr, int budget) {
    if (vectors == 1) return mr + 2 < budget ? mr + 2 : budget;
    int rows = std::min(mr, most_addresses);
    while (rows > 0 && vectors_wide(rows, budget) < vectors) --rows;
    return rows;
}

/// The last vector of a tile's rows: whole, or cut short by a mask.
template <class V, bool Ragged>
struct Last {
    using T = typename V::Element;
    explicit Last(int) {}
    typename V::Register load(const T* p) const { return V::load(p); }
    void store(T* p, typename V::Register v) const { V::store(p, v); }
};
template <class V>
struct Last<V, true> {
    using T = typename V::Element;
    typename V::Mask mask;
    explicit Last(int count) : mask(V::mask(count)) {}
    typename V::Register load(const T* p) const { return V::load(p, mask); }
    void store(T* p, typename V::Register v) const { V::store(p, v, mask); }
};

/// An address that moves on, and is known to the compiler as no more than that: it must not become a sum of two
/// registers.
template <class T>
[[gnu::always_inline]] inline void advance(const T*& address, std::int64_t elements) {
    address += elements;
    asm("" : "+r"(address));
}

template <class V, int R, int W, bool Ragged>
struct Sums {
    using T = typename V::Element;
    using Register = typename V::Register;

    Register of[R][W];
    Last<V, Ragged> last;
    explicit Sums(int cols) : last(cols - (W - 1) * V::lanes) {
#pragma GCC unroll 16
        for (int r = 0; r < R; ++r)
#pragma GCC unroll 8
            for (int w = 0; w < W; ++w) of[r][w] = V::zero();
    }

    /// One step along k. `a(r)` is where row r's element lies; where that is at a constant distance from a register, an
    /// instruction set may read and broadcast it within the multiply-add.
    template <bool Folds>
    [[gnu::always_inline]] inline void step(const auto& a, const T* b) {
        if constexpr (R < W) {
            Register x[R];
#pragma GCC unroll 8
            for (int r = 0; r < R; ++r) x[r] = V::broadcast(a(r));
#pragma GCC unroll 8
            for (int w = 0; w < W; ++w) {
                const Register row = w + 1 < W ? V::load(b + w * V::lanes) : last.load(b + w * V::lanes);
#pragma GCC unroll 8
                for (int r = 0; r < R; ++r) of[r][w] = V::multiply_add(x[r], row, of[r][w]);
            }
            return;
        }
        Register row[W];
#pragma GCC unroll 8
        for (int w = 0; w < W; ++w) row[w] = w + 1 < W ? V::load(b + w * V::lanes) : last.load(b + w * V::lanes);
#pragma GCC unroll 16
        for (int r = 0; r < R; ++r) {
            if constexpr (Folds && W <= V::broadcasts_folded) {
#pragma GCC unroll 8
                for (int w = 0; w < W; ++w) of[r][w] = V::multiply_add(a(r), row[w], of[r][w]);
            } else {
                const Register x = V::broadcast(a(r));
#pragma GCC unroll 8
                for (int w = 0; w < W; ++w) of[r][w] = V::multiply_add(x, row[w], of[r][w]);
            }
        }
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

/// A tile on operands as they lie. Each row of B may lie on a page of its own, which no hardware prefetches; a wide
/// tile has too little else to do for a request of its own to help.
template <class V, int R, int W, bool Ragged>
void tile(const MicroTile<typename V::Element>& t) {
    using T = typename V::Element;
    constexpr bool prefetches = W <= 3;
    constexpr std::int64_t rows_ahead = 16;
    Sums<V, R, W, Ragged> sums(t.cols);
    const T *a = t.a, *b = t.b;
    const std::int64_t a_row_step = t.a_row_step, a_step = t.a_step, b_step = t.b_step;
    for (std::int64_t p = t.k; p > 0; --p, a += a_step, b += b_step) {
        if (prefetches)
            for (int w = 0; w < W; ++w) __builtin_prefetch(b + rows_ahead * b_step + w * V::lanes);
        sums.template step<false>([&](int r) { return a + r * a_row_step; }, b);
    }
    sums.finish(t);
}

/// Rows that are contiguous: an address for each of them stays in a register, because an element at a constant distance
/// from one register is read and broadcast within the multiply-add, where two registers would make it two operations.
template <class V, int R, int W, bool Ragged>
void row_tile(const MicroTile<typename V::Element>& t) {
    using T = typename V::Element;
    Sums<V, R, W, Ragged> sums(t.cols);
    const T *a[R], *b = t.b;
    const std::int64_t b_step = t.b_step;
#pragma GCC unroll 16
    for (int r = 0; r < R; ++r) a[r] = t.a + r * t.a_row_step;
    std::int64_t left = t.k;
    for (; left >= 4; left -= 4) {
#pragma GCC unroll 4
        for (int u = 0; u < 4; ++u, advance(b, b_step)) sums.template step<W == 1>([&](int r) { return a[r] + u; }, b);
#pragma GCC unroll 16
        for (int r = 0; r < R; ++r) advance(a[r], 4);
    }
    for (int u = 0; u < left; ++u, b += b_step) sums.template step<false>([&](int r) { return a[r] + u; }, b);
    sums.finish(t);
}

/// More rows than there are registers for addresses, and one vector: some rows of B wait in registers while the
/// addresses go from the upper rows of A to the lower ones and back.
template <class V, int R, bool Ragged>
void tall_tile(const MicroTile<typename V::Element>& t) {
    using T = typename V::Element;
    constexpr int upper = (R + 1) / 2, steps = 8;
    Sums<V, R, 1, Ragged> sums(t.cols);
    const T *a[upper], *b = t.b;
    const std::int64_t b_step = t.b_step, down = upper * t.a_row_step;
#pragma GCC unroll 16
    for (int r = 0; r < upper; ++r) a[r] = t.a + r * t.a_row_step;
    std::int64_t left = t.k;
    for (; left >= steps; left -= steps) {
        typename V::Register rows[steps];
#pragma GCC unroll 8
        for (int u = 0; u < steps; ++u, advance(b, b_step)) rows[u] = sums.last.load(b);
        const auto go = [&](int first, int rows_left) __attribute__((always_inline)) {
#pragma GCC unroll 8
            for (int u = 0; u < steps; ++u)
#pragma GCC unroll 16
                for (int r = 0; r < rows_left; ++r)
                    sums.of[first + r][0] = V::multiply_add(a[r] + u, rows[u], sums.of[first + r][0]);
        };
        go(0, upper);
#pragma GCC unroll 16
        for (int r = 0; r < upper; ++r) advance(a[r], down);
        go(upper, R - upper);
#pragma GCC unroll 16
        for (int r = 0; r < upper; ++r) advance(a[r], steps - down);
    }
    for (int u = 0; u < left; ++u, b += b_step)
        sums.template step<false>([&](int r) { return a[r % upper] + (r < upper ? 0 : down) + u; }, b);
    sums.finish(t);
}

/// The whole tile on packed panels, where most of a large product's time goes: all steps are constants. C is prefetched
/// shortly before it is read: prefetched at the beginning, it would have left L1 again by then. Never all of it at
/// once: the loads of the panels would queue behind it.
template <class V, int R, int W>
void packed_tile(const MicroTile<typename V::Element>& t) {
    using T = typename V::Element;
    constexpr std::int64_t group = 16, groups_before = 2, groups_of_c = (R + 1) / 2, line = 64 / sizeof(T);
    Sums<V, R, W, false> sums(W * V::lanes);
    const T *a = t.a, *b = t.b, *ahead = t.ahead, *c = t.c;
    const auto go = [&](std::int64_t steps) __attribute__((always_inline)) {
#pragma GCC unroll 4
        for (; steps > 0; --steps, a += R, b += W * V::lanes) {
            __builtin_prefetch(a + group * R);
            sums.template step<true>([&](int r) { return a + r; }, b);
        }
    };
    const auto go_group = [&]() __attribute__((always_inline)) {
        const T* const end = a + group * R;
        while (a != end) go(4);
    };
    const auto ask_for_c = [&] {
        __builtin_prefetch(c, 1);
        __builtin_prefetch(c + W * V::lanes - 1, 1);
        c += t.c_step;
    };
    const std::int64_t groups = t.k / group, rows_at_once = t.ahead_rows / (groups + 1) + 1;
    std::int64_t rows_ahead = t.ahead_rows;
    for (int r = 0; r < R && groups < groups_before + groups_of_c; ++r) ask_for_c();
    for (std::int64_t left = groups - groups_before; left > -groups_before; --left) {
        go_group();
        for (std::int64_t row = 0; row < rows_at_once && rows_ahead > 0; ++row, --rows_ahead, ahead += t.ahead_step)
            for (std::int64_t l = 0; l < t.ahead_lines; ++l) __builtin_prefetch(ahead + l * line, 0, 2);
        if (left > 0 && left <= groups_of_c && groups >= groups_before + groups_of_c) {
            ask_for_c();
            if (R % 2 == 0 || left > 1) ask_for_c();
        }
    }
    go(t.k % group);
    sums.finish(t);
}

/// The tile that rows of B pass by.
template <class V, int R, int W, bool Ragged>
void passing_tile(const PassingTile<typename V::Element>& passing) {
    using T = typename V::Element;
    const MicroTile<T>& t = passing.tile;
    Sums<V, R, W, Ragged> sums(t.cols);
    if (!passing.begins)
#pragma GCC unroll 8
        for (int r = 0; r < R; ++r)
#pragma GCC unroll 4
            for (int w = 0; w < W; ++w) sums.of[r][w] = V::load(passing.sums + r * passing.sums_step + w * V::lanes);
    const T *a = t.a, *b = t.b;
    T* kept = passing.kept;
    const std::int64_t b_step = t.b_step;
    const auto go = [&](std::int64_t steps, bool keeps) __attribute__((always_inline)) {
#pragma GCC unroll 2
        for (; steps > 0; --steps, a += R, b += b_step) {
            if (keeps) {
                for (int w = 0; w + 1 < W; ++w) V::store(kept + w * V::lanes, V::load(b + w * V::lanes));
                V::store(kept + (W - 1) * V::lanes, sums.last.load(b + (W - 1) * V::lanes));
                kept += W * V::lanes;
            }
            sums.template step<true>([&](int r) { return a + r; }, b);
        }
    };
    const std::int64_t every = passing.asked_every ? passing.asked_every : t.k;
    const T* asked = passing.asked;
    for (std::int64_t p = 0; p < t.k; p += every) {
        if (passing.asked_every) {
            for (int w = 0; w < W; ++w) __builtin_prefetch(asked + w * V::lanes, 0, 2);
            asked += passing.asked_step;
        }
        const std::int64_t steps = std::min(every, t.k - p);
        kept ? go(steps, true) : go(steps, false);
    }
    if (passing.ends) return sums.finish(t);
#pragma GCC unroll 8
    for (int r = 0; r < R; ++r)
#pragma GCC unroll 4
        for (int w = 0; w < W; ++w) V::store(passing.sums + r * passing.sums_step + w * V::lanes, sums.of[r][w]);
}

/// How many vectors wide a tile that B passes by is.
constexpr int passed_vectors(int rows, int budget) { return std::min(4, vectors_wide(rows, budget)); }

template <class V, int Low, int Budget>
struct PassingTiles {
    using T = typename V::Element;
    using Function = void (*)(const PassingTile<T>&);
    struct Table {
        Function of[Low][4][2];
    };

    template <int R, int... W>
    static constexpr void fill(Function (&row)[4][2], std::integer_sequence<int, W...>) {
        ((row[W][0] = passing_tile<V, R, W + 1, false>, row[W][1] = passing_tile<V, R, W + 1, true>), ...);
    }
    template <int... R>
    static constexpr Table all(std::integer_sequence<int, R...>) {
        Table table{};
        (fill<R + 1>(table.of[R], std::make_integer_sequence<int, passed_vectors(R + 1, Budget)>{}), ...);
        return table;
    }
    static constexpr Table table = all(std::make_integer_sequence<int, Low>{});

    static void run(const PassingTile<T>& t) {
        const int vectors = (t.tile.cols + V::lanes - 1) / V::lanes;
        table.of[t.tile.rows - 1][vectors - 1][t.tile.cols % V::lanes != 0](t);
    }
};

/// Every tile that a kernel of V with `budget` registers of sums can be asked for.
template <class V, int MR, int Budget, int Low>
struct Tiles {
    using T = typename V::Element;
    using Function = void (*)(const MicroTile<T>&);
    static constexpr int widest_tall = highest(3, MR, Budget) > Low ? 3 : 2;  // vectors
    struct Table {
        Function of[MR][8][2], of_rows[Low][8][2], of_tall[highest(1, MR, Budget)][widest_tall][2];
    };

    template <int R, int... W>
    static constexpr void fill(Table& table, std::integer_sequence<int, W...>) {
        ((table.of[R - 1][W][0] = tile<V, R, W + 1, false>, table.of[R - 1][W][1] = tile<V, R, W + 1, true>), ...);
        if constexpr (R <= Low)
            ((table.of_rows[R - 1][W][0] = row_tile<V, R, W + 1, false>,
              table.of_rows[R - 1][W][1] = row_tile<V, R, W + 1, true>),
             ...);
    }
    template <int... R>
    static constexpr Table all(std::integer_sequence<int, R...>) {
        Table table{};
        (fill<R + 1>(table, std::make_integer_sequence<int, vectors_wide(R + 1, Budget)>{}), ...);
        fill_tall<1>(table, std::make_integer_sequence<int, highest(1, MR, Budget) - Low>{});
        fill_tall<2>(table, std::make_integer_sequence<int, std::max(0, highest(2, MR, Budget) - Low)>{});
        if constexpr (widest_tall > 2)
            fill_tall<3>(table, std::make_integer_sequence<int, highest(3, MR, Budget) - Low>{});
        return table;
    }
    template <int W, int... R>
    static constexpr void fill_tall(Table& table, std::integer_sequence<int, R...>) {
        ((table.of_tall[Low + R][W - 1][0] = on_rows<Low + R + 1, W, false>(),
          table.of_tall[Low + R][W - 1][1] = on_rows<Low + R + 1, W, true>()),
         ...);
    }
    template <int R, int W, bool Ragged>
    static constexpr Function on_rows() {
        if constexpr (R <= most_addresses) return row_tile<V, R, W, Ragged>;
        else return tall_tile<V, R, Ragged>;
    }
    static constexpr Table table = all(std::make_integer_sequence<int, MR>{});
    static constexpr int NR = vectors_wide(MR, Budget) * V::lanes;

    static void run(const MicroTile<T>& t) {
        // Read one by one: both at once would have to wait until the last tile's sums have left for C, as the two were
        // stored one by one.
        int rows = t.rows;
        asm("" : "+r"(rows));
        if (rows == MR && t.cols == NR && t.a_row_step == 1 && t.a_step == MR && t.b_step == NR)
            return packed_tile<V, MR, NR / V::lanes>(t);
        find(t.rows, t.cols, t.a_step == 1)(t);
    }
    static Function find(int rows, int cols, bool on_rows) {
        const int vectors = (cols + V::lanes - 1) / V::lanes;
        const bool is_ragged = cols % V::lanes != 0;
        if (on_rows && rows > Low && rows <= highest(vectors, MR, Budget))
            return table.of_tall[rows - 1][vectors - 1][is_ragged];
        return (on_rows && rows <= Low ? table.of_rows : table.of)[rows - 1][vectors - 1][is_ragged];
    }
};

template <class V, int MR, int Budget, int Low>
constexpr MicroKernel<typename V::Element> micro_kernel(
    double rate, typename MicroKernel<typename V::Element>::Packer pack = nullptr) {
    using All = Tiles<V, MR, Budget, Low>;
    MicroKernel<typename V::Element> kernel{
        MR, All::NR, Low, V::lanes, rate, {}, {}, All::run, All::find, {}, PassingTiles<V, Low, Budget>::run, pack};
    for (int vectors = 1; vectors <= kernel.most_vectors; ++vectors)
        kernel.highest[vectors] = highest(vectors, MR, Budget);
    for (int rows = 1; rows <= MR; ++rows) kernel.widths[rows] = vectors_wide(rows, Budget) * V::lanes;
    for (int rows = 1; rows <= Low; ++rows) kernel.passed_widths[rows] = passed_vectors(rows, Budget) * V::lanes;
    return kernel;
}

}  // namespace
}  // namespace tw::cpu
