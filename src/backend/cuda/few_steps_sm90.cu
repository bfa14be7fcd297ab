// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// few_steps: f32 products by three of tf32 parts, cut where they are used: no pass before, nothing in scratch, rows
// that begin anywhere, and batches. A's rows go through registers to the unit's side of 64; B's columns lie in shared
// memory along k, and are cut there once for all rows of the tile. Of a long k and few tiles the blocks of a cluster
// have a part each.
//
//        A: as it lies        B: as the unit reads it        two stages of 32 of k; while a block cuts, the others
//      +---------------+        +-----------------+          of its multiprocessor multiply
//      |  64 rows of   |   x    | large | small   |   ->  C
//      |  each group   |        +-----------------+
//      +---------------+
//
// Needs: sm_90a. 6mnk flops of the unit, and mnk / 64 elements of L2 or more.
#include <algorithm>

#include "backend/cuda/device/device.hpp"
#include "backend/cuda/device/launch.hpp"
#include "backend/cuda/device/spread.hpp"
#include "backend/cuda/epilogue/fused.cuh"
#include "backend/cuda/epilogue/output_of.cuh"
#include "backend/cuda/few/all_numbers.hpp"
#include "backend/cuda/few/heuristics_steps.hpp"
#include "backend/cuda/few/inside_call.cuh"
#include "backend/cuda/few/inside_parts.cuh"
#include "backend/cuda/few/inside_products.cuh"
#include "backend/cuda/few/rows.hpp"
#include "backend/cuda/heuristics_parts.hpp"
#include "backend/cuda/operands/aligned.hpp"
#include "backend/cuda/operands/batched.hpp"
#include "backend/cuda/operands/product.cuh"
#include "backend/cuda/ptx/bulk_copy.cuh"
#include "backend/cuda/ptx/team.cuh"
#include "backend/cuda/tiles/sum_anew.cuh"

namespace tw::cuda {
namespace {

using namespace inside;

/// From here on the unit adds up the products of a whole stage by itself.
constexpr int least_k_of_whole_stages = 64;

/// x, but what follows from it is reckoned once more, and not kept in registers meanwhile.
__device__ inline int read_again(int x) {
    asm volatile("" : "+r"(x));
    return x;
}

/// The blocks of a cluster have a part of k each, and a part of the tile's rows to add up.
template <class S, bool a_across, bool b_across>
__global__ void __launch_bounds__(S::threads, S::blocks)
    few_steps(Lie a, Lie b, int all_of_k, int stages, Output out, Ending ending, bool turned, TileGrid grid,
              Places places, int parts, int each) {
    extern __shared__ char shared[];
    const std::uint32_t base = (ptx::shared_address(shared) + 1023) & ~1023u;
    const Memory<S, a_across> memory{base};
    const PartOf part(grid, parts, all_of_k);
    const int first_row_here = part.row * S::BM, first_col_here = part.col * S::N;
    // Of this part of k: there is no register for its length.
    const auto rest_from = [&](int from) { return min(each, all_of_k - ptx::rank_in_cluster() * each) - from; };
    ptx::let_next_kernel_begin();
    ptx::wait_for_kernel_before();  // it may write the operands, and the addresses of a batch
    const std::int64_t a_line = a_across ? 1 : a.pitch, a_deep = a_across ? a.pitch : 1,
                       b_line = b_across ? 1 : b.pitch, b_deep = b_across ? b.pitch : 1;
    const auto a_from = [&](int row) { return places.a(static_cast<const float*>(a.data)) + row * a_line; };
    const auto b_from = [&](int col) { return places.b(static_cast<const float*>(b.data)) + col * b_line; };
    const float* const a_data = a_from(first_row_here) + part.first * a_deep;
    const float* const b_data = b_from(first_col_here) + part.first * b_deep;
    const bool by_stages = rest_from(0) >= least_k_of_whole_stages;
    float sums[S::N / 2] = {};
    const auto bring = [&](int from, int stage) {
        if (const int rest = rest_from(from); rest > 0) {
            bring_a<S, a_across>(memory.a(stage), a, a_data + from * a_deep, a.width - first_row_here, rest);
            bring_b<S, b_across>(memory.b(stage), b, b_data + from * b_deep, b.width - first_col_here, rest);
        }
        ptx::commit_copies();
    };
    const auto prepare = [&](int step, int stage, int on_their_way) {
        wait_for_all_but(on_their_way);
        __syncthreads();
        cut_b<S>(memory.b(stage), memory.small_b(step));
        ptx::publish_to_async_proxy();
    };
    int stage = 0;
#pragma unroll 1
    for (int step = -stages; rest_from(step * BK) > 0; ++step) {
        const int next = stage + 1 == stages ? 0 : stage + 1;
        if (step >= 0) {
            const int row = row_of_warp();
            const PartsOfB of_b{ptx::tile_descriptor(memory.b(stage)), ptx::tile_descriptor(memory.small_b(step))};
            const int left = (min(rest_from(step * BK), BK) + of_unit - 1) / of_unit;
            const auto prepare_next = [&] {
                if (rest_from((step + 1) * BK) > 0) prepare(step + 1, next, stages - 2);
            };
            if (by_stages && left == BK / of_unit) {
                multiply_whole<S, a_across>(sums, memory.a(stage), row, of_b, prepare_next);
            } else {
                multiply_one_by_one<S, a_across>(sums, memory.a(stage), row, of_b, left);
                prepare_next();
            }
            __syncthreads();  // the next is cut, and nobody reads this one
        }
        bring((step + stages) * BK, stage);
        if (step == -1) {
            prepare(0, next, stages - 1);
            __syncthreads();
        }
        stage = next;
    }
    ptx::wait_for_copies<0>();
    __syncthreads();  // what was read is where the sums will be

    keep<S>(sums, base + row_of_warp() * S::row_bytes);
    const PartOf of(grid, read_again(parts), all_of_k);
    const int first_row = of.row * S::BM, first_col = of.col * S::N;
    const Share share = add_parts<S>(base, of, first_row, are_finite(sums), out);
    if (!__syncthreads_and(share.finite))
        make_tile_again<S>(share, first_row, first_col, out, [&](int i, int j) {
            return sum_anew(0, all_of_k, [&](int q, float sum) {
                return fmaf(a_from(first_row + i)[q * a_deep], b_from(first_col + j)[q * b_deep], sum);
            });
        });
    move_to_product(out, places);
    const int top = first_row + share.first;
    if (ending == Ending::by_element) store_by_element<S>(share.kept, out, top, first_col, turned);
    else if (ending == Ending::by_16) store_rows_by_16<S>(share.kept, out, top, first_col);
    else store_rows<S>(share.kept, out, top, first_col);
    if (parts > 1) ptx::wait_for_cluster();  // the others may read what this block has until then
}

/// As many as fit beside one another in what the blocks of a multiprocessor have, and no more than there is k for.
template <class S, bool a_across>
int stages_of(int k, std::int64_t blocks) {
    const std::int64_t beside = std::min<std::int64_t>(S::blocks, tiles_over(blocks, multiprocessors()));
    const auto room = static_cast<int>(228 * 1024 / beside - 1024);
    int best = 2;
    for (const int stages : {3, 4, 6})
        if (S::template shared<a_across>(stages) <= room && (stages - 1) * BK < k) best = stages;
    return best;
}

template <class S, bool a_across, bool b_across>
Status start(const Call& call, bool turned, int parts) {
    Places places;
    std::span<std::byte> scratch = call.scratch;
    if (const Status bad = place_products(call, scratch, places); !bad) return bad;
    const int k = static_cast<int>(call.k());
    const std::int64_t a_pitch = a_across ? call.a.col_step : call.a.row_step,
                       b_pitch = b_across ? call.b.row_step : call.b.col_step;
    const Lie a{call.a.data, a_pitch, static_cast<int>(call.m()), by_of_a(call)};
    const Lie b{call.b.data, b_pitch, static_cast<int>(call.n()), by_of_b(call)};
    const auto [grid, blocks] = tiling(call, S::BM, S::N);
    const auto products = static_cast<unsigned>(products_of(call));
    // Clusters don't find the last places.
    const std::int64_t all = std::int64_t{blocks} * products * parts * (parts > 1 ? 5 : 4) / 4;
    const int stages = stages_of<S, a_across>((k + parts - 1) / parts, all);
    return launch(few_steps<S, a_across, b_across>,
                  {.blocks = blocks * static_cast<unsigned>(parts),
                   .threads = S::threads,
                   .shared = shared_when_spread(S::template shared<a_across>(stages), all),
                   .cluster = static_cast<unsigned>(parts),
                   .products = products,
                   .overlaps = true},
                  call.stream, a, b, k, stages, output_of(call), ending_of(call), turned, grid, places, parts,
                  static_cast<int>(tiles_over(k, BK * parts)) * BK);
}

template <class S>
Status start_as_they_lie(const Call& call, bool turned, int parts) {
    const bool a_across = call.a.col_step != 1, b_across = call.b.row_step != 1;
    if (a_across && b_across) return start<S, true, true>(call, turned, parts);
    if (b_across) return start<S, false, true>(call, turned, parts);
    return a_across ? start<S, true, false>(call, turned, parts) : start<S, false, false>(call, turned, parts);
}

using High = Shape<2, 64, 2>;
using Square = Shape<1, 64, 4>;
using Narrow = Shape<1, 32, 4>;

Status run(const Call& call, const Tile& asked) {
    return with_epilogue(call, [&](const Call& given) {
        const bool turns = is_turned(given) != is_low(given.m(), given.n());
        const Turned turned(given);
        const Call& one = turns ? turned.call : given;
        const Problem p{.m = given.m(), .n = given.n(), .k = given.k(), .a = form_of(given.a), .b = form_of(given.b)};
        const int parts = asked == Tile{} ? steps::cut_of(p, parts::chip).parts : asked.k / BK;
        const Tile tile = asked == Tile{} ? steps::quickest(sm90::sizes_of(one), lies_of(one), parts).tile : asked;
        if (tile.n == 32) return start_as_they_lie<Narrow>(one, turns, parts);
        return tile.m == 64 ? start_as_they_lie<Square>(one, turns, parts) : start_as_they_lie<High>(one, turns, parts);
    });
}

bool takes(const Problem& p) { return fits_ints(p) && p.a != Form::strided && p.b != Form::strided; }

/// The unit's error is of the largest that it adds, 9 of 2^-25 and one of 2^-23 for 8 of k: small products, which come
/// first, add a 2000th of that. Stages, or 8 of k each, are one sum more, and alpha and beta two.
double sum_bound(std::int64_t k) {
    const auto all = static_cast<double>((k + 7) / 8);
    constexpr double of_8 = 6.5, with_small = of_8 * (1 + 0x1p-8);
    if (k < least_k_of_whole_stages) return gamma(with_small + all + 2, unit_f32);
    return gamma(with_small * BK / of_unit + static_cast<double>(k) / BK + 4 + 2, unit_f32);
}

/// Sides that batches have, and attention's heads. Larger cubes are as likely to be one product; with tf32's accuracy
/// r9 takes most; 32 x 256 x 32, 1247 times, took 54 us, r7 50, and 16 x 256 x 96, 15 times, 5.1 and 3.2.
bool come_in_batches(const Problem& p) {
    const bool is_short = is_low(p.m, p.n) ? p.m <= 16 || p.k <= 64 : p.k <= 16;
    const bool is_large_cube = p.m == p.n && p.n == p.k && p.m > 128;
    const bool are_heads = p.k <= 128 || p.k == p.m || std::max({p.m, p.n, p.k}) <= 512;  // 1536 x 128 x 1152 is not
    return parts::may_be_many(p.m, p.n, p.k) && are_heads && p.m % 4 == 0 && p.n % 4 == 0 && p.k % 4 == 0 &&
           !is_short && !is_large_cube && !little::is_of_tf32(p);
}

/// A batch's products have the bits of each alone, so that shapes which come in batches cost what one of many does:
/// a 20th of what is said of one, which is less than any other row's.
double nanoseconds(const Problem& p, int) {
    const double own = steps::alone_nanoseconds(p) * (come_in_batches(p) ? .05 : 1);
    // One product takes less than three: 100 x 256 x 64, 257 times, took 32 us, by few_steps_mma 22.
    return little::is_of_tf32(p) ? std::max(own, 1.01 * mma::nanoseconds(p)) : own;
}

constexpr Batching batching{takes_batch, places_bytes};
/// Every tile, and k whole or in parts.
constexpr Tile tiles[] = {{},           {128, 64, 32}, {128, 64, 64}, {128, 64, 128}, {128, 64, 256},
                          {64, 64, 32}, {64, 64, 64},  {64, 64, 128}, {64, 64, 256},  {64, 32, 32},
                          {64, 32, 64}, {64, 32, 128}, {64, 32, 256}};

}  // namespace

constinit const Kernel few_steps_f32{
    .name = "cuda.few_steps.f32.tf32x3",
    .rung = Rung::none,
    .in = Type::f32,
    .out = Type::f32,
    .sum = Type::f32,
    .scheme = &tf32x3_of_all,
    .needs = feature::sm90a,
    .tiles = tiles,
    .fuses_epilogue = true,
    .idea = "batches, small products and a short k: parts of tf32, cut where the unit reads them",
    .takes = takes,
    .sum_bound = sum_bound,
    .nanoseconds = nanoseconds,
    .run = run,
    .batching = &batching};

}  // namespace tw::cuda
