// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Every tile of an instruction set, as a table by its rows, its vectors and whether the last vector is cut short; and
// the MicroKernel that reads it.
#pragma once

#include <algorithm>
#include <utility>

#include "backend/cpu/micro/micro_tile.hpp"
#include "backend/cpu/micro/passing_tile.hpp"
#include "backend/cpu/micro/tile_widths.hpp"

namespace tw::cpu {
namespace {

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

    template <int Folded>
    static void run(const MicroTile<T>& t) {
        // Read one by one: both at once would have to wait until the last tile's sums have left for C, as the two were
        // stored one by one.
        int rows = t.rows;
        asm("" : "+r"(rows));
        if (rows == MR && t.cols == NR && t.a_row_step == 1 && t.a_step == MR && t.b_step == NR)
            return packed_tile<V, MR, NR / V::lanes, Folded>(t);
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

/// `Folded`: of the whole tile on packed panels; the other tiles are the same functions whatever it is.
template <class V, int MR, int Budget, int Low, int Folded = V::broadcasts_folded>
constexpr MicroKernel<typename V::Element> micro_kernel(
    double rate, typename MicroKernel<typename V::Element>::Packer pack = nullptr,
    void (*turn)(const TurnedTile<typename V::Element>&) = nullptr,
    typename MicroKernel<typename V::Element>::NarrowPacker pack_narrow = nullptr) {
    using All = Tiles<V, MR, Budget, Low>;
    MicroKernel<typename V::Element> kernel{MR,
                                            All::NR,
                                            Low,
                                            V::lanes,
                                            rate,
                                            {},
                                            {},
                                            All::template run<Folded>,
                                            All::find,
                                            {},
                                            PassingTiles<V, Low, Budget>::run,
                                            pack,
                                            turn,
                                            pack_narrow,
                                            packed_tile_in_slabs<V, MR, All::NR / V::lanes, Folded>};
    for (int vectors = 1; vectors <= kernel.most_vectors; ++vectors)
        kernel.highest[vectors] = highest(vectors, MR, Budget);
    for (int rows = 1; rows <= MR; ++rows) kernel.widths[rows] = vectors_wide(rows, Budget) * V::lanes;
    for (int rows = 1; rows <= Low; ++rows) kernel.passed_widths[rows] = passed_vectors(rows, Budget) * V::lanes;
    return kernel;
}

}  // namespace
}  // namespace tw::cpu
