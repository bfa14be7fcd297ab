// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Where the instruction sets begin. A micro-kernel computes one tile of C over one block of k with the vectors of its
// processor; everything above it is written once, in code that runs anywhere. This header is all that a file with
// extra instructions may share with the rest, so it holds plain data and nothing that could be linked.
//
// All micro-kernels sum in one order: a tile starts from zero, takes the terms of a block of k one after the other,
// each with one rounding (the portable one with two), and is added to C when the block is through. So a result's bits
// depend on its row of A, its column of B and k, and on nothing else: not on the tile, its neighbours, the steps or the
// vectors' width.
#pragma once

#include <cstdint>

#include "backend/cpu/product/slab_steps.hpp"
#include "tilewright/types.hpp"

namespace tw::cpu {

/// C = alpha A B + beta C for `rows` x `cols` results. C is not read when beta is 0.
template <class T>
struct MicroTile {
    std::int64_t k;
    const T* a;  ///< element (i, p) at a[i * a_row_step + p * a_step]
    std::int64_t a_row_step, a_step;
    const T* b;  ///< element (p, j) at b[p * b_step + j]
    std::int64_t b_step;
    T* c;  ///< element (i, j) at c[i * c_row_step + j]
    std::int64_t c_step;
    T alpha, beta;
    int rows, cols;
    /// What L2 is asked for while a whole tile on packed panels is computed: so many lines of so many
    /// rows.
    const T* ahead = nullptr;
    std::int64_t ahead_step = 0, ahead_rows = 0, ahead_lines = 0;
};

/// A tile over a few rows of B that pass by, for sums that wait in memory until the block of k is through. A is packed.
template <class T>
struct PassingTile {
    MicroTile<T> tile;  ///< added to C when the block ends; but for its B:
    const void* b;      ///< of `b_type`, T or a narrow one: element (p, j) at b[p * b_step + j]
    Type b_type;
    std::int64_t b_step;
    T* sums;  ///< whole vectors: a row's end is rounded up to one
    std::int64_t sums_step;
    const void* asked;         ///< as wide a piece of a row of B that is asked for meanwhile, the next one `b_step` on,
    std::int64_t asked_every;  ///< one each so many rows of this tile; 0: the processor sees to it
    T* kept;            ///< where to leave a copy of these rows of B, whole vectors of each side by side; null: nowhere
    bool begins, ends;  ///< the first, the last rows of B in their block of k
    std::int64_t tiles = 1;  ///< side by side, of as many columns each; several: none is kept or asked for
};

/// Rows of A that a TurnedTile has at most: all registers hold their sums, and a square of B.
constexpr int most_turned = 6;
constexpr int most_in_halves = 3;  ///< rows: with more of them turning is no longer most of the work

/// A few packed rows of A against columns of B that are contiguous along k, over one block of k or a part of it.
template <class T>
struct TurnedTile {
    std::int64_t k;
    const T* a;     ///< element (i, p) at a[p * rows + i]
    const void* b;  ///< of `b_type`, T or a narrow one: element (p, j) at b[j * b_step + p]
    Type b_type;
    std::int64_t b_step;
    T* sums;  ///< row after row; each has room for whole vectors
    std::int64_t sums_step, cols;
    int rows;
    const void* ahead = nullptr;  ///< as many columns that come next, the same steps apart; null: nothing is asked for
    bool in_halves = false;       ///< by 16-byte vectors rather than 32-byte ones, of at most `most_in_halves` rows
};

template <class T>
struct MicroKernel {
    static constexpr int most_rows = 14, most_results = 512, most_low = 8, most_vectors = 8;
    using Function = void (*)(const MicroTile<T>&);
    using Packer = void (*)(const T* from, std::int64_t row_step, std::int64_t step, int rows, std::int64_t k, T* to,
                            std::int64_t width);

    int mr, nr;                     ///< the tile that keeps every register busy
    int low;                        ///< as many rows as there are registers for addresses: for an A that is not packed
    int lanes;                      ///< elements in a vector
    double rate;                    ///< products a nanosecond that it is expected to reach, for choose()
    int widths[most_rows + 1];      ///< [rows]: the widest tile with that many rows
    int highest[most_vectors + 1];  ///< [vectors]: the most rows of a tile so wide where a_step is 1; 0: there is none
    Function run;                   ///< 1 <= rows <= mr, 1 <= cols <= widths[rows]; or what `highest` says
    Function (*find)(int rows, int cols, bool on_rows);  ///< what `run` would call; on_rows: a_step is 1

    int passed_widths[most_low + 1];
    void (*pass)(const PassingTile<T>&);  ///< 1 <= rows <= low, 1 <= cols <= passed_widths[rows]
    /// pack.hpp's pack_panel() of one panel of narrow rows that are contiguous along k.
    using NarrowPacker = void (*)(Type type, const void* from, std::int64_t row_step, int rows, std::int64_t k, T* to,
                                  std::int64_t width);
    Packer pack;  ///< pack.hpp's pack_panel() where row_step or step is 1; null: that is as quick
    void (*turn)(const TurnedTile<T>&);  ///< 1 <= rows <= most_turned; null: it has none
    NarrowPacker pack_narrow;            ///< null: it has none, as no kernel of f64 has
    /// mr x nr results on packed panels, alpha is 1: beta C is added to the sum of all slabs. `buffers`: mr x nr each.
    void (*sum_slabs)(const MicroTile<T>&, const SlabSteps&, T* buffers);
};

extern const MicroKernel<float> micro_portable_f32, micro_avx2_f32, micro_avx512_f32, micro_neon_f32;
extern const MicroKernel<double> micro_portable_f64, micro_avx2_f64, micro_avx512_f64, micro_neon_f64;
/// The same tiles but for the whole one on packed panels: each element of A is broadcast by an instruction of its own.
extern const MicroKernel<float> micro_avx512_apart_f32;
extern const MicroKernel<double> micro_avx512_apart_f64;

/// AVX-512 turns narrow operands, and columns that fill no vector of its own, as AVX2 does.
void turned_avx2_f32(const TurnedTile<float>&);
void turned_avx2_f64(const TurnedTile<double>&);
void packed_narrow_avx2(Type type, const void* from, std::int64_t row_step, int rows, std::int64_t k, float* to,
                        std::int64_t width);

}  // namespace tw::cpu
