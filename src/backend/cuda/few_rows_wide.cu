// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// few_rows_wide: few rows of f64, c64 or c128, as they lie. The weights are read once, 8 or 16 bytes a lane,
// neighbouring lanes neighbours; the next 128 bytes of each lane are on their way while it multiplies.
//
//     k contiguous: lanes along k                     n contiguous: 32 columns, a lane each
//      warp 0, 1, 2, 3: 2 rows each, of k: 0 to 256     lane 0 1 2 ... 31
//      warp 4, 5, 6, 7: the same,     256 to 512       +-----------------+  8 warps, each 16 of k,
//      and so on with the next 512                     |    16 of k      |  then the next 128
//                                                      +-----------------+
//
// What a block needs of the few rows comes to shared memory a chunk ahead. Each sum is a lane's, then the lanes', then
// the warps'; where there are too few blocks for the chip, k is cut, and a second kernel adds the parts by a tree of
// pairs. Needs: sm_80. 2mnk flops (8mnk of complex numbers) for 8nk or 16nk bytes: up to 8 rows the memory is the
// limit.
#include <cstdlib>

#include "backend/cuda/device/device.hpp"
#include "backend/cuda/device/launch.hpp"
#include "backend/cuda/epilogue/fused.cuh"
#include "backend/cuda/few/add_parts.hpp"
#include "backend/cuda/few/wide_tile.cuh"
#include "backend/cuda/heuristics_parts.hpp"
#include "backend/cuda/ladder.hpp"
#include "backend/cuda/operands/aligned.hpp"
#include "backend/cuda/operands/batched.hpp"
#include "backend/cuda/tiles/few_rows.cuh"

namespace tw::cuda {
namespace {

using few::Cut, few::Operands, few::threads;

template <class C>
__global__ void __launch_bounds__(threads, 2) few_rows_wide(Operands<typename C::N> p, few::WideShares by) {
    using N = typename C::N;
    extern __shared__ __align__(16) char memory[];
    N* const staged = reinterpret_cast<N*>(memory);
    p.move_to_product();
    const int warp = static_cast<int>(threadIdx.x) / 32, group = warp % by.groups, slice = warp / by.groups;
    const int pass = static_cast<int>(blockIdx.x) % by.passes, block = static_cast<int>(blockIdx.x) / by.passes;
    const int part = block % by.parts, first_row = block / by.parts * by.groups * C::rows;
    const int all = static_cast<int>(p.product.a.rows()), first_token = pass * C::M,
              tokens = min(C::M, all - first_token);
    const int chunk = by.slices() * C::of_warp, own_k = slice * C::of_warp, own_row = first_row + group * C::rows;
    const int from = part * by.length, end = min(from + by.length, static_cast<int>(p.product.k()));

    typename C::Part sums[C::own * C::M][C::parts] = {};
    N ahead[C::loads];
    few::load<C>(ahead, p, own_row, from + own_k, end);
    few::fetch(staged, p, first_token, tokens, from, end, chunk);
    for (int k = from, now = 0; k < end; k += chunk, now = C::M * chunk - now) {
        N w[C::loads];
#pragma unroll
        for (int e = 0; e < C::loads; ++e) w[e] = p.of_weight(ahead[e]);
        few::load<C>(ahead, p, own_row, k + chunk + own_k, end);
        few::fetch(staged + C::M * chunk - now, p, first_token, tokens, k + chunk, end, chunk);
        ptx::wait_for_copies<1>();
        __syncthreads();
        few::multiply<C>(sums, w, staged + now + own_k, tokens, chunk);
        __syncthreads();  // what the next copies stand over has been read
    }
    ptx::wait_for_copies<0>();
    __syncthreads();
    few::keep<C>(staged + warp * C::results, sums);
    __syncthreads();
    const int rows = static_cast<int>(p.product.b.cols());
    p.product.c.data = p.places.c(p.product.c.data);
#pragma unroll 1
    for (int x = static_cast<int>(threadIdx.x); x < by.groups * C::results; x += threads) {
        const int y = x % C::results, i = first_token + (C::along ? y % C::M : y / 32),
                  j = first_row + x / C::results * C::rows + (C::along ? y / C::M : y % 32);
        if (i >= min(all, first_token + C::M) || j >= rows) continue;
        N sum = staged[x];
        for (int s = 1; s < by.slices(); ++s) sum = sum + staged[s * by.groups * C::results + x];
        sum = p.of_sum(sum);
        if (p.partial) p.partial[((std::int64_t{part} * gridDim.y + blockIdx.y) * all + i) * rows + j] = sum;
        else p.product.store(i, j, sum);
    }
}

template <class C>
Status start(const Call& call, const Operands<typename C::N>& operands, const few::WideShares& by) {
    const auto tiles = static_cast<unsigned>(tiles_over(call.n(), by.groups * C::rows));
    const Launch how{.blocks = tiles * static_cast<unsigned>(by.parts * by.passes),
                     .threads = threads,
                     .shared = C::shared(by),
                     .products = static_cast<unsigned>(products_of(call))};
    return launch(few_rows_wide<C>, how, call.stream, operands, by);
}

/// Along k where that lies closer together.
bool lies_along(const Matrix& b) { return std::abs(b.row_step) <= std::abs(b.col_step) || b.cols == 1; }

template <class N>
few::WideShares shares_of(const Call& few_rows) {
    return few::wide_shares(few_rows.m(), few_rows.n(), few_rows.k(), lies_along(few_rows.b), sizeof(N));
}

bool is_few_on_right(const Call& call) { return call.m() > most_tokens; }
Call with_few_left(const Call& call) { return is_few_on_right(call) ? across(call) : call; }

template <class N>
Status run(const Call& given, const Tile&) {
    const bool turned = is_few_on_right(given);
    Call call = with_few_left(given);
    few::WideShares by = shares_of<N>(call);
    const std::size_t bytes = by.bytes(call.m(), call.n(), sizeof(N), products_of(call));
    if (bytes > call.scratch.size()) by.parts = 1, by.length = static_cast<int>(call.k());
    const bool a_whole = a_of(given).address_bits() % sizeof(N) == 0,
               b_whole = b_of(given).address_bits() % sizeof(N) == 0;
    Operands<N> operands{product_of<N>(call),        {},     turned, turned ? a_whole : b_whole,
                         turned ? b_whole : a_whole, nullptr};
    if (by.parts > 1) operands.partial = reinterpret_cast<N*>(call.scratch.data());
    std::span<std::byte> scratch = call.scratch.subspan(by.parts > 1 ? bytes : 0);
    if (const Status bad = place_products(given, scratch, operands.places); !bad) return bad;
    const Status done =
        lies_along(call.b) ? start<Cut<N, true>>(call, operands, by) : start<Cut<N, false>>(call, operands, by);
    if (!done || by.parts == 1) return done;
    const std::int64_t of_product = call.m() * call.n();
    return add_parts(given, {operands.partial, turned ? 1 : call.n(), turned ? call.n() : 1,
                             products_of(call) * of_product, of_product, by.parts, static_cast<int>(call.k())});
}

template <class N>
bool takes_batch(const Call& call) {
    return cuda::takes_batch(call) && (!by_pointers(*call.batch) || shares_of<N>(with_few_left(call)).parts == 1);
}

few::WideShares shares_of(const Problem& p) {
    const FewRowsForms forms(p);
    return few::wide_shares(forms.few, forms.rows, p.k, forms.along(), size_of(p.in));
}

std::size_t bytes_of(const Problem& p, std::int64_t products) {
    const FewRowsForms forms(p);
    // A call's steps may say the other way.
    const auto of = [&](bool along) {
        return few::wide_shares(forms.few, forms.rows, p.k, along, size_of(p.in))
            .bytes(forms.few, forms.rows, size_of(p.in), products);
    };
    return std::max(of(true), of(false));
}

template <class N>
constexpr Batching batching{takes_batch<N>, [](const Problem& p, const Tile& tile, const Batch& batch) {
                                return bytes_of(p, batch.size) + places_bytes(p, tile, batch);
                            }};

template <class N>
constexpr Kernel row(const char* name) {
    constexpr Type type = type_of<HostNumber<N>>;
    return {.name = name,
            .rung = Rung::none,
            .in = type,
            .out = type,
            .sum = type,
            .scheme = unsplit<HostNumber<N>>,
            .needs = feature::sm80,
            .idea = "few rows of 8 or 16 bytes a number, as they lie: the weights are read once, at the memory's pace",
            .takes = has_few_rows_of_any_steps,
            .sum_bound = number_sum_bound<N>,
            .nanoseconds =
                [](const Problem& p, int) {
                    const FewRowsForms forms(p);
                    // 811 of 16 x 384 x 128 of c64 in a batch took nine times as long as they should, 406 of
                    // 192 x 16 x 512 540 us (r7 285).
                    const double in_batches = forms.few > 8 && parts::may_be_many(p.m, p.n, p.k) ? 20'000 : 0;
                    // 9947 x 12 x 2089 of f64 took 109 us where bytes take 56.
                    const double of_odd = type == Type::f64 && forms.few > 8 && p.k % 2 != 0 ? 2 : 1;
                    return launch_nanoseconds + in_batches +
                           of_odd *
                               few::wide_nanoseconds(shares_of(p), forms.few, forms.rows, p.k, p.in, forms.along());
                },
            .scratch_bytes = [](const Problem& p, const Tile&, int) { return bytes_of(p, 1); },
            .run = run<N>,
            .batching = &batching<N>};
}

}  // namespace

constinit const Kernel few_rows_wide_f64 = row<double>("cuda.few_rows_wide.f64");
constinit const Kernel few_rows_wide_c64 = row<Complex<float>>("cuda.few_rows_wide.c64");
constinit const Kernel few_rows_wide_c128 = row<Complex<double>>("cuda.few_rows_wide.c128");

}  // namespace tw::cuda
