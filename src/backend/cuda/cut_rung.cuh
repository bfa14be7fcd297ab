// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Tiles that would fill a last wave in part: each is cut along k into parts, which all multiprocessors share. A part's
// sums go to scratch as they stood in registers, and a second kernel adds them, first part first. Where no whole wave
// goes in front of them, the parts of a tile are a cluster, whose blocks add what each has in its shared memory.
//
//     8 tiles, 6 at once                 the last two in 3 parts each
//    | 0 1 2 3 4 5 | 6 7 . . . . |      | 0 1 2 3 4 5 | 6a 6b 6c 7a 7b 7c | +
//
// The parts follow from the shape and the number of multiprocessors: a call has the same bits on every run.
#pragma once

#include <type_traits>

#include "backend/cuda/banded_rung.cuh"
#include "backend/cuda/heuristics_dmma.hpp"
#include "backend/cuda/ptx/cluster_memory.cuh"
#include "backend/cuda/ptx/shared_load.cuh"
#include "backend/cuda/ptx/team.cuh"

namespace tw::cuda {

/// Flat tiles, and tiles in parts, have machine code for Hopper alone: nobody has timed them elsewhere. The host asks
/// is_for_parts() first; what is not there stops with an error.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
inline constexpr bool has_parts = false;
#else
inline constexpr bool has_parts = true;
#endif

/// Of the operands only one of so many shares of k, in steps of BK.
template <class T>
__device__ void take_share(Product<T>& p, int share, int shares, int BK) {
    const int k = static_cast<int>(p.k()), steps = (k + BK - 1) / BK;
    const auto begin = [&](int i) { return min(static_cast<int>(std::int64_t{i} * steps / shares) * BK, k); };
    const int from = begin(share);
    p.a.data += from * p.a.layout.col_step, p.b.data += from * p.b.layout.row_step;
    p.a.layout.cols = p.b.layout.rows = begin(share + 1) - from;
}

/// Groups of warps of a block, each of which multiplies a share of k.
template <class Shape>
inline constexpr int groups_of = [] {
    if constexpr (requires { Shape::GROUPS; }) return Shape::GROUPS;
    else return 1;
}();

struct CutTiles {
    int whole = 0;            ///< tiles in front of those that are cut
    int parts = 1;            ///< of each tile behind them
    double2* sums = nullptr;  ///< of all parts: [part][16 bytes of a thread's][thread]; none: a tile's are a cluster
    bool is_deep = false;     ///< blocks are so few that a multiprocessor has room for more stages of each

    __host__ __device__ int pieces(int tiles) const { return parts > 1 ? whole + (tiles - whole) * parts : tiles; }
    __device__ bool is_part(int piece) const { return has_parts && parts > 1 && piece >= whole; }
    template <class Shape>
    __device__ bool is_left_out() const {
        if (has_parts || (Shape::BM >= Shape::BN && groups_of<Shape> == 1 && parts == 1)) return false;
        __trap();
        return true;
    }
    /// What adds parts, where there are none.
    __device__ static bool adds_nothing() {
        if (!has_parts) __trap();
        return !has_parts;
    }
    __device__ int tile(int piece) const { return is_part(piece) ? whole + (piece - whole) / parts : piece; }
    template <class Shape>
    __device__ double2* of(int piece) const {
        return sums + std::int64_t{piece - whole} * Shape::sums * Shape::threads + threadIdx.x;
    }
    /// Where a part's sums go: the stages in shared memory have been read by all threads before it returns.
    template <class Shape>
    __device__ double2* place(int piece, void* shared) const {
        if (sums) return of<Shape>(piece);
        __syncthreads();
        return static_cast<double2*>(shared) + threadIdx.x;
    }

    /// Of the operands only what a part of a tile multiplies, steps of BK of k.
    template <class T>
    __device__ void take(Product<T>& p, int piece, int BK) const {
        take_share(p, (piece - whole) % parts, parts, BK);
    }
};

/// Of a thread's sums, 16 bytes each, what is added at once.
inline constexpr int sums_at_once = 4;
__device__ inline void add_16_bytes(double2& sum, const double2& x) { sum.x += x.x, sum.y += x.y; }
__device__ inline void add_16_bytes(float4& sum, const float4& x) {
    sum.x += x.x, sum.y += x.y, sum.z += x.z, sum.w += x.w;
}

/// What a thread of the kernel that adds has of them, and of how many parts it reads those before it adds any: of 64
/// parts, two at a time, it waited for memory 32 times.
inline constexpr int added_at_once = 2, parts_at_once = 8;

/// Those of a tile that was cut, from the first on: its parts', added.
template <class Shape, class V>
__device__ void add_parts_of(const CutTiles& cut, int first, V (&sums)[added_at_once]) {
    const double2* from = cut.of<Shape>(cut.whole + static_cast<int>(blockIdx.x) * cut.parts) + first * Shape::threads;
    constexpr int part_apart = Shape::sums * Shape::threads;
    const auto add_next = [&](auto parts) {
        double2 read[parts][added_at_once];
#pragma unroll
        for (int part = 0; part < parts; ++part)
#pragma unroll
            for (int q = 0; q < added_at_once; ++q) read[part][q] = from[part * part_apart + q * Shape::threads];
#pragma unroll
        for (int part = 0; part < parts; ++part)
#pragma unroll
            for (int q = 0; q < added_at_once; ++q) add_16_bytes(sums[q], reinterpret_cast<const V&>(read[part][q]));
        from += parts * part_apart;
    };
#pragma unroll
    for (int q = 0; q < added_at_once; ++q) sums[q] = {};
    int left = cut.parts;
#pragma unroll 1
    for (; left >= parts_at_once; left -= parts_at_once) add_next(std::integral_constant<int, parts_at_once>{});
#pragma unroll 1
    for (; left > 1; left -= 2) add_next(std::integral_constant<int, 2>{});
    if (left == 1) add_next(std::integral_constant<int, 1>{});
}

/// The same where a tile's parts are a cluster of so many blocks, or groups of warps of one, which have their sums in
/// shared memory behind one another as in scratch: each adds a share of them, a multiple of `unit`. finish(first, last,
/// sums) has those before the last.
template <class Shape, class V = double2, int unit = 1, class Finish>
__device__ void add_in_cluster(int blocks, const void* shared, const Finish& finish) {
    constexpr int units = Shape::sums / unit, groups = groups_of<Shape>, of_group = Shape::threads / groups;
    const bool alone = groups > 1 && blocks == 1;
    const int thread = static_cast<int>(threadIdx.x), shares = blocks * groups,
              mine = (alone ? 0 : ptx::rank_in_cluster() * groups) + thread / of_group,
              last = (mine + 1) * units / shares * unit;
    const std::uint32_t from = ptx::shared_address(shared) + thread % of_group * 16;
    if (alone) __syncthreads();
    else ptx::sync_cluster();
#pragma unroll 1
    for (int first = mine * units / shares * unit; first < last; first += sums_at_once) {
        V sums[sums_at_once] = {};
#pragma unroll(groups > 1 ? 1 : 2)
        for (int block = 0; block < blocks; ++block) {
            double2 read[groups][sums_at_once];
#pragma unroll
            for (int i = 0; i < groups * sums_at_once; ++i) {
                const int g = i / sums_at_once, q = i % sums_at_once;
                const std::uint32_t at = from + (g * Shape::sums + min(first + q, last - 1)) * of_group * 16;
                read[g][q] = alone ? ptx::load_two_doubles(at) : ptx::read_two_doubles_in(at, block);
            }
#pragma unroll
            for (int i = 0; i < groups * sums_at_once; ++i)
                add_16_bytes(sums[i % sums_at_once],
                             reinterpret_cast<const V&>(read[i / sums_at_once][i % sums_at_once]));
        }
        finish(first, last, sums);
    }
    if (!alone) ptx::sync_cluster();  // nobody leaves while his sums are read
}

/// A part's sums, 16 bytes of a thread's each: to scratch, or added with the other parts' and finished.
template <class Shape, class V, int unit = 1, class SumsOf, class Finish>
__device__ void hand_over(const CutTiles& cut, int piece, void* shared, const SumsOf& sums_of, const Finish& finish) {
    V* const to = reinterpret_cast<V*>(cut.place<Shape>(piece, shared));
#pragma unroll
    for (int q = 0; q < Shape::sums; ++q) to[q * Shape::threads] = sums_of(q);
    ptx::let_next_kernel_begin();
    if (!cut.sums) add_in_cluster<Shape, V, unit>(cut.parts, shared, finish);
}

/// The same of a block's groups: what they add up is a part's, or is finished.
template <class Shape, class SumsOf, class Finish>
__device__ void hand_over_groups(const CutTiles& cut, int piece, void* shared, const SumsOf& sums_of,
                                 const Finish& finish) {
    constexpr int of_group = Shape::of_group;
    double2* const to = static_cast<double2*>(shared) +
                        static_cast<int>(threadIdx.x) / of_group * Shape::sums * of_group + Shape::thread();
    __syncthreads();  // the stages have been read by all threads
#pragma unroll
    for (int q = 0; q < Shape::sums; ++q) to[q * of_group] = sums_of(q);
    const bool is_part = cut.is_part(piece), in_scratch = is_part && cut.sums;
    double2* const part = cut.sums + std::int64_t{piece - cut.whole} * Shape::sums * of_group + Shape::thread();
    add_in_cluster<Shape>(is_part && !in_scratch ? cut.parts : 1, shared,
                          [&](int first, int last, const double2(&added)[sums_at_once]) {
                              if (!in_scratch) return finish(first, last, added);
#pragma unroll
                              for (int q = 0; q < sums_at_once; ++q)
                                  if (first + q < last) part[(first + q) * of_group] = added[q];
                          });
}

/// Without parts where there is no scratch for their sums.
template <class Shape>
CutTiles cut_tiles(const Call& call, int parts) noexcept {
    const auto tiles = static_cast<std::int64_t>(bands_of<Shape>(call).tiles());
    const std::int64_t wave = std::int64_t{multiprocessors()} * Shape::blocks, whole = tiles / wave * wave;
    const auto bytes =
        static_cast<std::size_t>((tiles - whole) * parts * Shape::sums * Shape::threads) * 16 / groups_of<Shape>;
    if (parts == 1 || call.batch || tiles == whole) return {};
    const dmma::PacedShape shape{Shape::BM, Shape::BN, Shape::blocks, 0, {}};
    if (dmma::is_cluster(shape, parts, tiles, multiprocessors())) return {0, parts, nullptr};
    if (bytes > call.scratch.size()) return {};
    return {static_cast<int>(whole), parts, reinterpret_cast<double2*>(call.scratch.data())};
}

/// A block for each tile, or for each part of one. Shapes that have so many more stages use them where they fit.
template <class Shape>
Pieces pieces_of(const Call& call, CutTiles& cut, std::size_t stage_bytes, bool early) noexcept {
    const bool together = cut.parts > 1 && !cut.sums;
    const auto blocks = static_cast<unsigned>(cut.pieces(static_cast<int>(bands_of<Shape>(call).tiles())));
    std::size_t stages = Shape::STAGES * stage_bytes;
    if constexpr (requires { Shape::DEEP; }) {
        const std::size_t deep = Shape::DEEP * stage_bytes;
        cut.is_deep = early && shared_when_spread(0, std::int64_t{blocks} * products_of(call)) >= deep;
        if (cut.is_deep) stages = deep;
    }
    const std::size_t sums = std::size_t{16} * Shape::sums * Shape::threads;
    return {.blocks = blocks,
            .shared = together || groups_of<Shape> > 1 ? std::max(stages, sums) : stages,
            .cluster = together ? static_cast<unsigned>(cut.parts) : 1,
            .begins_early = early};
}

/// Where parts are no clusters, a second kernel has a block for each two sums of a thread of those that were cut.
template <class Shape, class T, class More>
Status launch_cut(void (*multiply)(Product<T>, Bands, Places, TileMap, CutTiles, More),
                  void (*add)(Product<T>, Bands, CutTiles, More), std::size_t stage_bytes, const Call& call,
                  const TileMap& only, int parts, const More& more, bool early = false) noexcept {
    CutTiles cut = cut_tiles<Shape>(call, parts);
    const Pieces pieces = pieces_of<Shape>(call, cut, stage_bytes, early);
    const Status done = launch_pieces<Shape>(multiply, pieces, call, only, cut, more);
    if (!done || !cut.sums) return done;
    const Bands bands = bands_of<Shape>(call);
    return launch(add,
                  {.blocks = bands.tiles() - static_cast<unsigned>(cut.whole),
                   .threads = Shape::threads / groups_of<Shape>,
                   .products = Shape::sums / added_at_once,
                   .overlaps = true},
                  call.stream, product_of<T>(call), bands, cut, more);
}

}  // namespace tw::cuda
