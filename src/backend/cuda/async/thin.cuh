// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Small tiles, two blocks on a multiprocessor: one begins while the other ends. Where C has few tiles and k is long,
// the blocks of a cluster each take a part of k, leave their sums in shared memory, and add some columns each: by a
// tree of pairs, so that the bits follow from k and the count of parts alone.
//
//    part 0   | sums |  \                         columns of part 0 finish here
//    part 1   | sums |  /  +  \                   ... of part 1 here
//    part 2   | sums |  \      +   = C
//    part 3   | sums |  /  +  /
#pragma once

#include "backend/cuda/async/by_majors.cuh"
#include "backend/cuda/async/old_pairs.cuh"
#include "backend/cuda/async/tiles.cuh"
#include "backend/cuda/ptx/cluster_memory.cuh"
#include "backend/cuda/ptx/shared_store.cuh"
#include "backend/cuda/tiles/heuristics_many_sm90.hpp"

namespace tw::cuda {

/// blocks: on a multiprocessor. plain: k is whole, and a tile's end is finish_plainly. Small products are over before
/// their code has come: 57 to 66 shapes of each took an H200 .85 to .91 of the time of a kernel with an epilogue.
template <int BM_, int BN_, int blocks_ = 2, bool plain_ = false>
struct ThinShape {
    static constexpr bool plain = plain_;
    static constexpr int BM = BM_, BN = BN_, blocks = blocks_, consumers = BM / 64, threads = 128 * consumers + 32;
    /// Of many short products, which more than two blocks are for, k is whole.
    static constexpr bool cuts_into(int parts) { return blocks == 2 && !plain && sm90::r9_has_thin(BM, BN, parts); }
    static constexpr bool cuts = cuts_into(4) || cuts_into(8);
    template <class T>
    static constexpr bool reads_old = sizeof(T) == 2 && !plain;
    /// Where B lies across k a tile has 64 columns of it.
    template <ptx::Major b_major>
    using Ring = Pipeline<BM, b_major == ptx::Major::k ? BN : 64,
                          sm90::r9_stages(BM + (b_major == ptx::Major::k ? BN : 64), 0, blocks), 1>;
};

/// The columns of this part: of all parts' sums, each [sum][thread] at `sums_at`.
template <int parts, class T, class S>
__device__ void finish_part(std::uint32_t sums_at, int part, const Output& out, int first_row, int first_col, int group,
                            int thread) {
    constexpr int width = S::BN / parts, count = width / 2, columns = 128 * S::consumers;
    float sums[count];
#pragma unroll
    for (int i = 0; i < count; ++i) {
        const auto place = static_cast<std::uint32_t>(((part * count + i) * columns + group * 128 + thread) * 4);
        float of[parts];
#pragma unroll
        for (int p = 0; p < parts; ++p) {
            std::uint32_t bits[1];
            ptx::read_in(sums_at + place, p, bits);
            of[p] = __uint_as_float(bits[0]);
        }
#pragma unroll
        for (int apart = 1; apart < parts; apart *= 2)
#pragma unroll
            for (int p = 0; p < parts; p += 2 * apart) of[p] += of[p + apart];
        sums[i] = of[0];
    }
    finish_groups<T, width>(sums, out, first_row, first_col + part * width, thread);
}

template <class S, class T, ptx::Major a_major, ptx::Major b_major>
__global__ void __launch_bounds__(S::threads, S::blocks)
    thin_tiles(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, Output out,
               BatchRaster raster, Feed feed, int parts, [[maybe_unused]] AgainFrom again) {
    extern __shared__ char memory[];
    using P = typename S::template Ring<b_major>;
    const P pipe(memory);
    pipe.init(a, b);
    const int group = __shfl_sync(~0u, static_cast<int>(threadIdx.x) / 128, 0),
              thread = static_cast<int>(threadIdx.x) % 128;
    const int tile = static_cast<int>(blockIdx.x) / parts, part = static_cast<int>(blockIdx.x) % parts;
    const int share = (feed.steps + parts - 1) / parts, from = min(part * share, feed.steps),
              end = min(from + share, feed.steps);
    int row, col;
    raster.place(tile, row, col);
    const int first_row = row * S::BM, first_col = col * S::BN, product = raster.product_of(tile);
    const Feeder<P, a_major, b_major> feeder(pipe, a, b, feed);
    if (group == S::consumers && thread == 0) feeder.bring_closer(raster, tile, S::BN, from, end);
    ptx::let_next_kernel_begin();
    ptx::wait_for_kernel_before();

    Turn<P::STAGES> turn;
    float sums[S::BN / 2];
    Output mine = raster.products > 1 ? out.of(product, raster.depths.of(product).c) : out;
    constexpr bool reads_old = S::template reads_old<T>;
    [[maybe_unused]] OldPairs<T, reads_old ? S::BN : 8> old;
    const int own_row = first_row + group * 64;
    if (group < S::consumers) {
        if constexpr (reads_old)
            if (parts == 1) old.ask(mine, own_row, first_col, thread);
        if (!S::plain && part == 0 && !old.is_here()) bring_old_closer<T, S::BN>(mine, own_row, first_col, thread);
        Multiplier<P, S::BN, T, a_major, b_major>::tile(sums, pipe, turn, end - from, group, thread, [] {});
    } else if (thread == 0) {
        if (raster.products > 1) feeder.tile(turn, first_row, first_col, from, end, raster.depths.of(product));
        else feeder.tile(turn, first_row, first_col, from, end);
    }
    constexpr bool is_whole = !S::cuts || std::is_same_v<T, float>;
    if (parts == 1 || is_whole) {
        if (group >= S::consumers) return;
        if constexpr (std::is_same_v<T, float>) {  // whose k is never cut
            const AgainFrom from_all = raster.products > 1 ? again.of(raster.depths.of(product)) : again;
            make_again<S::BN>(sums, from_all, own_row, first_col, thread);
        }
        if constexpr (reads_old) old.add(sums, mine);
        if constexpr (S::plain) finish_plainly<T, S::BN>(sums, mine, own_row, first_col, thread);
        else finish_groups<T, S::BN>(sums, mine, own_row, first_col, thread);
        return;
    }
    if constexpr (!is_whole) {
        __syncwarp();
        __syncthreads();  // the ring is read: sums may lie there
        if (group < S::consumers) {
#pragma unroll
            for (int i = 0; i < S::BN / 2; ++i)
                ptx::store_float(
                    pipe.base + static_cast<std::uint32_t>((i * 128 * S::consumers + group * 128 + thread) * 4),
                    sums[i]);
        }
        ptx::sync_cluster();
        if (group < S::consumers) {
            if constexpr (S::cuts_into(4))
                if (parts == 4) finish_part<4, T, S>(pipe.base, part, mine, own_row, first_col, group, thread);
            if constexpr (S::cuts_into(8))
                if (parts == 8) finish_part<8, T, S>(pipe.base, part, mine, own_row, first_col, group, thread);
        }
        ptx::sync_cluster();  // a block must not exit while its peers read its shared memory
    }
}

template <class S, class T, ptx::Major a_major, ptx::Major b_major>
Status start_thin(const Job& job) {
    using P = typename S::template Ring<b_major>;
    constexpr bool a_along = a_major == ptx::Major::k, b_along = b_major == ptx::Major::k;
    const int a_rows = a_along ? rows_of_box<S::BM>(job) : S::BM;
    CUtensorMap a, b;
    if (const Status bad = describe_operand(a, job, true, a_along ? a_rows : 64); !bad) return bad;
    if (const Status bad = describe_operand(b, job, false, b_along ? S::BN : 64); !bad) return bad;
    Depths depths;
    if (const Status bad = depths_of(job, depths); !bad) return bad;
    const Raster one{static_cast<int>(tiles_over(job.m(), S::BM)), static_cast<int>(tiles_over(job.n(), S::BN)), 8};
    const BatchRaster raster{one, depths.size, depths};
    const Feed feed{.steps = job.steps(),
                    .depth = job.depth(),
                    .bytes = a_rows * 128 + P::b_bytes,
                    .reads_once = one.down == 1 && !job.is_deep(),
                    .early = job.begins_early() ? multiprocessors() * S::blocks : 0};
    const int parts = -job.tile.k;
    return launch(thin_tiles<S, T, a_major, b_major>,
                  {.blocks = static_cast<unsigned>(raster.count() * parts),
                   .threads = S::threads,
                   .shared = P::shared,
                   .cluster = static_cast<unsigned>(parts),
                   .overlaps = true},
                  job.call.stream, a, b, output_of(job), raster, feed, parts, again_from(job));
}

template <class T, ptx::Major a, ptx::Major b>
Status run_plain(const Job& job) {
    const bool small = job.tile.m == 64 && job.tile.n == 64 && job.is_deep();
    // 192 x 128 x 16, 1479 times, took an H200 57 us by blocks of one tile each, 46 by such without an epilogue, and 30
    // by these.
    if constexpr (a == ptx::Major::k)
        if (small && sm90::r9_are_very_many(sm90::sizes_of(job.call)))
            return start_tiles<TileShape<64, 64, 1, b, 4>, T, a, b>(job);
    // Of many short products few stages are in use: more blocks hide each other's beginnings and ends.
    if (small && job.steps() <= 2) return start_thin<ThinShape<64, 64, 4, true>, T, a, b>(job);
    if (job.tile.m == 128) return start_thin<ThinShape<128, 64, 2, true>, T, a, b>(job);
    return job.tile.n == 64 ? start_thin<ThinShape<64, 64, 2, true>, T, a, b>(job)
                            : start_thin<ThinShape<64, 32, 2, true>, T, a, b>(job);
}

template <class T>
Status run_thin(const Job& job) {
    return by_majors<T>(job, [&](auto a, auto b) {
        constexpr auto of_a = decltype(a)::value, of_b = decltype(b)::value;
        if constexpr (sizeof(T) == 2) {
            if (job.tile.k == -1 && ends_plainly(job)) return run_plain<T, of_a, of_b>(job);
        } else if (job.is_deep() && job.steps() <= 2 && job.tile.m == 64 && job.tile.n == 64) {
            return start_thin<ThinShape<64, 64, 4>, T, of_a, of_b>(job);
        }
        if (job.tile.m == 128) return start_thin<ThinShape<128, 64>, T, of_a, of_b>(job);
        return job.tile.n == 64 ? start_thin<ThinShape<64, 64>, T, of_a, of_b>(job)
                                : start_thin<ThinShape<64, 32>, T, of_a, of_b>(job);
    });
}

}  // namespace tw::cuda
