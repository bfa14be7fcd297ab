// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// One thread keeps a ring of stages full: A's and B's boxes of one step of k, whichever way the operands lie. Blocks of
// a cluster stand below one another and share B's tile: each fetches some of its rows for all, or, where B lies across
// k, all of its columns for some of k.
#pragma once

#include "backend/cuda/operands/depths.hpp"
#include "backend/cuda/tiles/pipeline.cuh"

namespace tw::cuda {

/// Those of a batch's products, one after the other, whose operands are matrices of one map.
struct BatchRaster {
    Raster one;
    int products;
    Depths depths;

    __host__ __device__ int count() const { return one.count() * products; }
    __device__ int product_of(int tile) const { return products > 1 ? tile / one.count() : 0; }
    __device__ void place(int tile, int& row, int& col) const {
        one.place(tile - product_of(tile) * one.count(), row, col);
    }
};

/// What the maps of a launch say, and the kernel must know.
struct Feed {
    int steps;                ///< of k
    int depth;                ///< elements of k in a step
    int bytes;                ///< that come for a stage
    bool reads_once;          ///< B's tiles are read by one block alone
    bool old_by_box = false;  ///< what is added to comes by boxes
    int early = 0;            ///< blocks that may ask L2 before their wait for what others read, too
    int pieces = 0;           ///< tiles, and parts of some: a register less than if each block counted them
};

template <class P, ptx::Major a_major, ptx::Major b_major>
struct Feeder {
    const P& pipe;
    const CUtensorMap &a, &b;
    Feed feed;
    std::uint64_t policy;

    __device__ Feeder(const P& p, const CUtensorMap& a_map, const CUtensorMap& b_map, Feed f)
        : pipe(p), a(a_map), b(b_map), feed(f), policy(f.reads_once ? ptx::leaves_l2_first() : ptx::stays_as_usual()) {}

    /// Asks L2 for a tile's first steps before the wait for the kernel in front. L2 is coherent, so that this is right
    /// even where they are that kernel's result.
    __device__ void bring_closer(const BatchRaster& raster, int tile, int width, int from, int end) const {
        int row, col;
        raster.place(tile, row, col);
        const int first_row = (row * P::CLUSTER + P::rank()) * P::BM, first_col = col * width;
        end = min(end, from + P::STAGES);
        if (feed.reads_once) {
            for (int step = from; step < end; ++step) prefetch_b(step, first_col);
        } else if (static_cast<int>(blockIdx.x) < feed.early) {
            if (raster.products > 1)
                share(row, col, raster.one, first_row, first_col, from, end, raster.depths.of(raster.product_of(tile)));
            else share(row, col, raster.one, first_row, first_col, from, end);
        }
    }

    /// One tile's steps. `deep`: which matrices of the maps, if they have many.
    template <class... Deep>
    __device__ void tile(Turn<P::STAGES>& turn, int first_row, int first_col, int from, int end, Deep... deep) const {
        const int rank = P::rank();
        for (int step = from; step < end; ++step, turn.next()) {
            const std::uint32_t full = pipe.full(turn.stage);
            ptx::wait_barrier(pipe.empty(turn.stage), turn.parity ^ 1);
            ptx::expect_bytes(full, static_cast<std::uint32_t>(feed.bytes));
            const int k = step * feed.depth;
            load_a(pipe.a_tile(turn.stage), full, k, first_row, deep.a...);
            load_b(pipe.b_tile(turn.stage), full, k, first_col, rank, deep.b...);
        }
    }

private:
    /// Of what all tiles of a product read each box is asked for by one of them.
    template <class... Deep>
    __device__ void share(int row, int col, const Raster& of, int first_row, int first_col, int from, int end,
                          Deep... deep) const {
        for (int step = from + col; step < end; step += of.across) prefetch_a(step, first_row, deep.a...);
        for (int step = from + row; step < end; step += of.down) prefetch_b(step, first_col, deep.b...);
    }
    template <class... Deep>
    __device__ void prefetch_a(int step, int first, Deep... deep) const {
        const int k = step * feed.depth;
        if constexpr (a_major == ptx::Major::k) ptx::prefetch_box(a, k, first, deep...);
        else
            for (int run = 0; run < P::BM / 64; ++run) ptx::prefetch_box(a, first + run * 64, k, deep...);
    }
    template <class... Deep>
    __device__ void prefetch_b(int step, int first, Deep... deep) const {
        const int k = step * feed.depth, rank = P::rank();
        if constexpr (b_major == ptx::Major::k) ptx::prefetch_box(b, k, first + rank * P::b_share, deep...);
        else
            for (int run = 0; run < P::BN / 64; ++run)
                ptx::prefetch_box(b, first + run * 64, k + rank * (64 / P::CLUSTER), deep...);
    }
    template <class... Deep>
    __device__ void load_a(std::uint32_t to, std::uint32_t full, int k, int first, Deep... deep) const {
        if constexpr (a_major == ptx::Major::k) {
            ptx::load_box(to, a, full, k, first, deep...);
        } else {
#pragma unroll
            for (int run = 0; run < P::BM / 64; ++run)
                ptx::load_box(to + run * 64 * 128, a, full, first + run * 64, k, deep...);
        }
    }
    template <class... Deep>
    __device__ void load_b(std::uint32_t to, std::uint32_t full, int k, int first, int rank, Deep... deep) const {
        constexpr auto everybody = static_cast<std::uint16_t>((1 << P::CLUSTER) - 1);
        const auto load = [&](std::uint32_t place, int inner, int outer) {
            if constexpr (P::CLUSTER > 1) ptx::load_box_to_all(place, b, full, everybody, inner, outer, deep...);
            else if constexpr (sizeof...(Deep) > 0) ptx::load_box(place, b, full, inner, outer, deep...);
            else ptx::load_box(place, b, full, inner, outer, policy);
        };
        if constexpr (b_major == ptx::Major::k) {
            load(to + rank * P::b_share * 128, k, first + rank * P::b_share);
        } else {
            constexpr int share = 64 / P::CLUSTER;
#pragma unroll
            for (int run = 0; run < P::BN / 64; ++run)
                load(to + (run * 64 + rank * share) * 128, first + run * 64, k + rank * share);
        }
    }
};

/// The unit's work on one stage, four times 32 bytes of k.
template <class P, int width, class T, ptx::Major a_major, ptx::Major b_major>
struct Multiplier {
    using Unit = ptx::MatrixUnit<width, T, a_major, b_major>;
    static constexpr bool a_along = a_major == ptx::Major::k, b_along = b_major == ptx::Major::k;

    __device__ static void add(float (&sums)[width / 2], const P& pipe, int stage, int consumer, bool keep) {
        constexpr int run = 64 * 128, a_step = a_along ? 32 : 16 * 128, b_step = b_along ? 32 : 16 * 128;
        const std::uint64_t at = ptx::tile_descriptor(pipe.a_tile(stage) + consumer * run, a_along ? 16 : run);
        const std::uint64_t bt = ptx::tile_descriptor(pipe.b_tile(stage), b_along ? 16 : run);
        ptx::pin(sums);
        ptx::fence_products();
#pragma unroll
        for (int q = 0; q < 4; ++q) Unit::add(sums, at + q * (a_step >> 4), bt + q * (b_step >> 4), keep || q > 0);
        ptx::commit_products();
    }

    /// All steps of a tile; begun() when the first one's products are on their way.
    template <class Begun>
    __device__ static void tile(float (&sums)[width / 2], const P& pipe, Turn<P::STAGES>& turn, int steps, int consumer,
                                int thread, const Begun& begun) {
        int before = 0;
#pragma unroll
        for (float& sum : sums) sum = 0;  // dead stores: they end the live range of the sums before
        for (int step = 0; step < steps; ++step, turn.next()) {
            ptx::wait_barrier(pipe.full(turn.stage), turn.parity);
            add(sums, pipe, turn.stage, consumer, step > 0);
            if (step > 0) {
                ptx::wait_for_products<1>();
                pipe.release(before, thread);
            } else {
                begun();
            }
            before = turn.stage;
        }
        ptx::wait_for_products<0>();
        ptx::pin(sums);
        if (steps > 0) pipe.release(before, thread);
    }
};

}  // namespace tw::cuda
