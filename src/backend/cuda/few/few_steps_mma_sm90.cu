// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// few_steps_mma: small products and batches at tf32, which may lie across k: mma.sync takes fragments out of any
// layout, so that nothing is copied or turned before. Four warps a block, several blocks beside one another, two to six
// stages of 32 of k on their way. Of a long k and few tiles the blocks of a cluster have a part each.
//
//       A: as it lies         B: as it lies            a warp's fragments of 16 lines and 8 of k
//      +-------------+      +---------------+          +----+----+
//      | rows of k,  |  x   | rows of k, or |    ->    | w0 | w1 |  rounded as they are read   ->  C
//      +-------------+      | lines across  |          | w2 | w3 |
//                           +---------------+          +----+----+
//
// mma.sync reaches 6 tenths of what wgmma does: larger products are r9's, and so is a B that lies along k for TMA.
// Needs: sm_90a, and operands whose rows or columns are contiguous. 2mnk flops; mnk / 16 elements of L2.
#include <algorithm>

#include "backend/cuda/device/device.hpp"
#include "backend/cuda/device/launch.hpp"
#include "backend/cuda/device/spread.hpp"
#include "backend/cuda/epilogue/fused.cuh"
#include "backend/cuda/epilogue/output_of.cuh"
#include "backend/cuda/few/heuristics_mma.hpp"
#include "backend/cuda/few/inside_call.cuh"
#include "backend/cuda/few/inside_parts.cuh"
#include "backend/cuda/few/mma_stage.cuh"
#include "backend/cuda/few/rows.hpp"
#include "backend/cuda/ptx/bulk_copy.cuh"
#include "backend/cuda/ptx/tf32.cuh"
#include "backend/cuda/tiles/sum_anew.cuh"

namespace tw::cuda {
namespace {

using namespace inside;

/// The blocks of a cluster have a part of k each, and a part of the tile's rows to add up.
template <class S, bool a_across, bool b_across>
__global__ void __launch_bounds__(S::threads, S::blocks)
    few_steps_mma(Lie a, Lie b, int all_of_k, int stages, Output out, Ending ending, bool turned, TileGrid grid,
                  Places places, int parts) {
    extern __shared__ __align__(128) char shared[];
    constexpr int a_bytes = S::A::template a_bytes<a_across>, stage_bytes = S::template stage_bytes<a_across, b_across>;
    const std::uint32_t base = ptx::shared_address(shared);
    const PartOf of(grid, parts, all_of_k);
    const int first_row = of.row * S::BM, first_col = of.col * S::N, k = of.end;
    ptx::let_next_kernel_begin();
    ptx::wait_for_kernel_before();  // it may write the operands, and the addresses of a batch
    const std::int64_t a_line = a_across ? 1 : a.pitch, a_deep = a_across ? a.pitch : 1,
                       b_line = b_across ? 1 : b.pitch, b_deep = b_across ? b.pitch : 1;
    const float* const a_data = places.a(static_cast<const float*>(a.data)) + first_row * a_line;
    const float* const b_data = places.b(static_cast<const float*>(b.data)) + first_col * b_line;
    const auto bring = [&](int from, int stage) {
        if (from < k) {
            const std::uint32_t to = base + stage * stage_bytes;
            bring_a<typename S::A, a_across>(to, a, a_data + from * a_deep, a.width - first_row, k - from);
            bring_a<typename S::B, b_across>(to + a_bytes, b, b_data + from * b_deep, b.width - first_col, k - from);
        }
        ptx::commit_copies();
    };
    Sums<S> sums = {};
    const int row = S::row_of_warp(), col = S::col_of_warp();
    for (int s = 0; s < stages - 1; ++s) bring(of.first + s * BK, s);
    int stage = 0, last = stages - 1;
#pragma unroll 1
    for (int from = of.first; from < k; from += BK) {
        wait_for_all_but(stages - 2);
        __syncthreads();  // it is there for all, and nobody reads the one before
        bring(from + (stages - 1) * BK, last);
        const std::uint32_t here = base + stage * stage_bytes;
        multiply_stage<S, a_across, b_across>(sums, here, here + a_bytes, row, col, min(k - from, BK));
        last = stage;
        stage = stage + 1 == stages ? 0 : stage + 1;
    }
    ptx::wait_for_copies<0>();
    __syncthreads();  // what was read is where the sums will be

    const bool finite = keep<S>(sums, base + row * S::row_bytes + col * 4);
    const Share share = add_parts<S>(base, of, first_row, finite, out);
    if (!__syncthreads_and(share.finite))
        make_tile_again<S>(share, first_row, first_col, out, [&](int i, int j) {
            return sum_anew(0, all_of_k, [&](int q, float sum) {
                return fmaf(ptx::round_to_tf32(a_data[i * a_line + q * a_deep]),
                            ptx::round_to_tf32(b_data[j * b_line + q * b_deep]), sum);
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
template <class S, bool a_across, bool b_across>
int stages_of(int k, std::int64_t blocks) {
    const std::int64_t beside = std::min<std::int64_t>(S::blocks, tiles_over(blocks, multiprocessors()));
    const auto room = static_cast<int>(228 * 1024 / beside - 1024);
    int best = 2;
    for (const int stages : {3, 4, 6})
        if (S::template shared<a_across, b_across>(stages) <= room && (stages - 2) * BK < k) best = stages;
    return best;
}

template <class S, bool a_across, bool b_across>
Status start(const Call& call, bool turned, int parts) {
    Places places;
    std::span<std::byte> scratch = call.scratch;
    if (const Status bad = place_products(call, scratch, places); !bad) return bad;
    const int k = static_cast<int>(call.k());
    const Lie a{call.a.data, a_across ? call.a.col_step : call.a.row_step, static_cast<int>(call.m()), by_of_a(call)};
    const Lie b{call.b.data, b_across ? call.b.row_step : call.b.col_step, static_cast<int>(call.n()), by_of_b(call)};
    const auto [grid, blocks] = tiling(call, S::BM, S::N);
    const auto products = static_cast<unsigned>(products_of(call));
    // Clusters don't find the last places.
    const std::int64_t all = std::int64_t{blocks} * products * parts * (parts > 1 ? 5 : 4) / 4;
    const int stages = stages_of<S, a_across, b_across>((k + parts - 1) / parts, all);
    return launch(few_steps_mma<S, a_across, b_across>,
                  {.blocks = blocks * static_cast<unsigned>(parts),
                   .threads = S::threads,
                   .shared = shared_when_spread(S::template shared<a_across, b_across>(stages), all),
                   .cluster = static_cast<unsigned>(parts),
                   .products = products,
                   .overlaps = true},
                  call.stream, a, b, k, stages, output_of(call), ending_of(call), turned, grid, places, parts);
}

template <class S>
Status start_as_they_lie(const Call& call, bool turned, int parts) {
    const bool a_across = call.a.col_step != 1, b_across = call.b.row_step != 1;
    if (a_across && b_across) return start<S, true, true>(call, turned, parts);
    if (b_across) return start<S, false, true>(call, turned, parts);
    return a_across ? start<S, true, false>(call, turned, parts) : start<S, false, false>(call, turned, parts);
}

using High = WarpShape<4, 1, 2, 4, 3>;
using Square = WarpShape<2, 2, 2, 2, 4>;
using Narrow = WarpShape<4, 1, 1, 2, 5>;
using Little = WarpShape<2, 2, 1, 1, 6>;

Status run(const Call& call, const Tile& asked) {
    return with_epilogue(call, [&](const Call& given) {
        const bool turns = is_turned(given) != is_low(given.m(), given.n());
        const Turned turned(given);
        const Call& one = turns ? turned.call : given;
        const Problem p{.m = given.m(), .n = given.n(), .k = given.k(), .a = form_of(given.a), .b = form_of(given.b)};
        const int parts = asked == Tile{} ? mma::parts_of(p) : asked.k / BK;
        const Tile tile = asked == Tile{} ? mma::quickest(sm90::sizes_of(one), lies_for_mma(one), parts).tile : asked;
        if (tile.m == 32) return start_as_they_lie<Little>(one, turns, parts);
        if (tile.m == 128) return start_as_they_lie<High>(one, turns, parts);
        return tile.n == 32 ? start_as_they_lie<Narrow>(one, turns, parts)
                            : start_as_they_lie<Square>(one, turns, parts);
    });
}

bool takes(const Problem& p) { return fits_ints(p) && p.a != Form::strided && p.b != Form::strided; }

/// 8 of k at a time, as wgmma does them.
double sum_bound(std::int64_t k) { return gamma(6.5 * static_cast<double>((k + 7) / 8) + 2, unit_f32); }

constexpr Batching batching{takes_batch, places_bytes};

/// Every tile, and k whole or in parts.
struct Tiles {
    Tile of[17]{};

    constexpr Tiles() {
        std::size_t count = 1;
        for (const mma::Pace& pace : mma::paces)
            for (int parts = 1; parts <= mma::most_parts; parts *= 2)
                of[count++] = {pace.tile.m, pace.tile.n, parts * BK};
    }
};
constexpr Tiles tiles;

}  // namespace

constinit const Kernel few_steps_mma_tf32{
    .name = "cuda.few_steps_mma.f32.tf32x1",
    .rung = Rung::none,
    .in = Type::f32,
    .out = Type::f32,
    .sum = Type::f32,
    .scheme = &tf32x1,
    .needs = feature::sm90a,
    .tiles = tiles.of,
    .fuses_epilogue = true,
    .idea = "batches, small products and a short k at tf32: a warp's fragments, however B lies",
    .takes = takes,
    .sum_bound = sum_bound,
    .nanoseconds = [](const Problem& p, int) { return mma::nanoseconds(p); },
    .run = run,
    .batching = &batching};

}  // namespace tw::cuda
