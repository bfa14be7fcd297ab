// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Tiles that would fill a last wave in part: each is cut along k into parts, which all multiprocessors share. A part's
// sums go to scratch as they stood in registers, and a second kernel adds them, first part first.
//
//     8 tiles, 6 at once                 the last two in 3 parts each
//    | 0 1 2 3 4 5 | 6 7 . . . . |      | 0 1 2 3 4 5 | 6a 6b 6c 7a 7b 7c | +
//
// The parts follow from the shape and the number of multiprocessors: a call has the same bits on every run.
#pragma once

#include "backend/cuda/banded_rung.cuh"

namespace tw::cuda {

/// Flat tiles, and tiles in parts, have machine code for Hopper alone: nobody has timed them elsewhere. The host asks
/// is_for_parts() first; what is not there stops with an error.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
inline constexpr bool has_parts = false;
#else
inline constexpr bool has_parts = true;
#endif

struct CutTiles {
    int whole = 0;            ///< tiles in front of those that are cut
    int parts = 1;            ///< of each tile behind them
    double2* sums = nullptr;  ///< of all parts: [part][16 bytes of a thread's][thread]

    __host__ __device__ int pieces(int tiles) const { return parts > 1 ? whole + (tiles - whole) * parts : tiles; }
    __device__ bool is_part(int piece) const { return has_parts && parts > 1 && piece >= whole; }
    template <class Shape>
    __device__ bool is_left_out() const {
        if (has_parts || (Shape::BM >= Shape::BN && parts == 1)) return false;
        __trap();
        return true;
    }
    __device__ int tile(int piece) const { return is_part(piece) ? whole + (piece - whole) / parts : piece; }
    template <class Shape>
    __device__ double2* of(int piece) const {
        return sums + std::int64_t{piece - whole} * Shape::sums * Shape::threads + threadIdx.x;
    }
    template <class Shape>
    __device__ void keep(int piece, const double (&pairs)[Shape::sums][2]) const {
        double2* const to = of<Shape>(piece);
#pragma unroll
        for (int q = 0; q < Shape::sums; ++q) to[q * Shape::threads] = make_double2(pairs[q][0], pairs[q][1]);
    }

    /// Of the operands only what a part of a tile multiplies, steps of BK of k.
    template <class T>
    __device__ void take(Product<T>& p, int piece, int BK) const {
        const int k = static_cast<int>(p.k()), steps = (k + BK - 1) / BK, part = (piece - whole) % parts;
        const auto begin = [&](int i) { return min(static_cast<int>(std::int64_t{i} * steps / parts) * BK, k); };
        const int from = begin(part);
        p.a.data += from * p.a.layout.col_step, p.b.data += from * p.b.layout.row_step;
        p.a.layout.cols = p.b.layout.rows = begin(part + 1) - from;
    }
};

/// So many 16 bytes of a thread's sums of a tile that was cut, from the first on: its parts', added.
template <class Shape, int mine>
__device__ void add_parts_of(const CutTiles& cut, int first, double2 (&sums)[mine]) {
    const double2* from = cut.of<Shape>(cut.whole + static_cast<int>(blockIdx.x) * cut.parts) + first * Shape::threads;
#pragma unroll
    for (int q = 0; q < mine; ++q) sums[q] = {};
#pragma unroll 2
    for (int part = 0; part < cut.parts; ++part, from += Shape::sums * Shape::threads) {
        double2 read[mine];
#pragma unroll
        for (int q = 0; q < mine; ++q) read[q] = from[q * Shape::threads];
#pragma unroll
        for (int q = 0; q < mine; ++q) sums[q].x += read[q].x, sums[q].y += read[q].y;
    }
}
/// Of a thread's sums what each thread of the second kernel has.
inline constexpr int sums_at_once = 4;

/// Without parts where there is no scratch for their sums.
template <class Shape>
CutTiles cut_tiles(const Call& call, int parts) noexcept {
    const auto tiles = static_cast<std::int64_t>(bands_of<Shape>(call).tiles());
    const std::int64_t wave = std::int64_t{multiprocessors()} * Shape::blocks, whole = tiles / wave * wave;
    const auto bytes = static_cast<std::size_t>((tiles - whole) * parts * Shape::sums * Shape::threads) * 16;
    if (parts == 1 || call.batch || tiles == whole || bytes > call.scratch.size()) return {};
    return {static_cast<int>(whole), parts, reinterpret_cast<double2*>(call.scratch.data())};
}

/// A block for each tile, or for each part of one; then one for each four sums of a thread of those that were cut.
template <class Shape, class T, class More>
Status launch_cut(void (*multiply)(Product<T>, Bands, Places, TileMap, CutTiles, More),
                  void (*add)(Product<T>, Bands, CutTiles, More), std::size_t stage_bytes, const Call& call,
                  const TileMap& only, int parts, const More& more) noexcept {
    const CutTiles cut = cut_tiles<Shape>(call, parts);
    const Bands bands = bands_of<Shape>(call);
    const auto pieces = static_cast<unsigned>(cut.pieces(static_cast<int>(bands.tiles())));
    const Status done = launch_pieces<Shape>(multiply, stage_bytes, call, only, pieces, cut, more);
    if (!done || cut.parts == 1) return done;
    return launch(add,
                  {.blocks = bands.tiles() - static_cast<unsigned>(cut.whole),
                   .threads = Shape::threads,
                   .products = Shape::sums / sums_at_once},
                  call.stream, product_of<T>(call), bands, cut, more);
}

}  // namespace tw::cuda
