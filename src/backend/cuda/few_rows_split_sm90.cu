// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// few_rows_split: 17 to 128 rows of f32 against a wall of weights along k that is read once, as it lies. Turned round:
// the weights are the unit's rows, 128 a tile, and go through registers, where each is cut into two parts of tf32.
//
//     weights, 32 of k a stage           few rows, 32 of k a stage          of each step of k
//   +--------------------------+       +--------------------------+
//   | TMA -> 64 rows, group 0  |   x   | TMA -> large parts, here |   ->    small * large
//   | TMA -> 64 rows, group 1  |       |        small ones, beside|       + large * small + large * large
//   +--------------------------+       +--------------------------+
//
// Every 64 of k the unit's sums, which it truncates, are added to others in registers. Blocks take tiles by turns;
// where there are few tiles k is cut, and add_parts adds the parts. Where TMA can't fetch an operand, few_rows_anywhere
// does it.
// Needs: sm_90a. 3 times 2mnk flops for 4nk bytes: the memory is the limit.
#include <algorithm>

#include "backend/cuda/device/device.hpp"
#include "backend/cuda/device/launch.hpp"
#include "backend/cuda/device/tensor_map.hpp"
#include "backend/cuda/epilogue/fused.cuh"
#include "backend/cuda/few/add_parts.hpp"
#include "backend/cuda/few/rows.hpp"
#include "backend/cuda/few/split_tile.cuh"
#include "backend/cuda/heuristics_few_rows.hpp"
#include "backend/cuda/heuristics_parts.hpp"
#include "backend/cuda/ladder.hpp"
#include "backend/cuda/operands/aligned.hpp"
#include "backend/cuda/operands/product.cuh"
#include "backend/cuda/tiles/few_rows.cuh"

namespace tw::cuda {
namespace {

using namespace split_tile;

template <class C>
__global__ void __launch_bounds__(threads, 1)
    few_rows_split(const __grid_constant__ CUtensorMap weights, const __grid_constant__ CUtensorMap tokens, Work work) {
    extern __shared__ char shared[];
    const Memory<C> memory{(ptx::shared_address(shared) + 1023) & ~1023u};
    const int warp = __shfl_sync(~0u, static_cast<int>(threadIdx.x) / 32, 0), lane = static_cast<int>(threadIdx.x) % 32;
    ptx::let_next_kernel_begin();
    if (threadIdx.x == consumers) {
        ptx::prefetch_map(weights);
        ptx::prefetch_map(tokens);
        for (int s = 0; s < C::STAGES; ++s) {
            ptx::init_barrier(memory.full(s), 1);
            ptx::init_barrier(memory.empty(s), consumers / 32);
        }
        ptx::publish_barriers();
    }
    __syncthreads();
    ptx::wait_for_kernel_before();
    if (warp >= consumers / 32) {
        ptx::give_registers<40>();
        if (threadIdx.x == consumers) fetch(memory, weights, tokens, work);
        return;
    }
    ptx::take_registers<232>();
    Turn<C::STAGES> turn;
    int beside = 0;  // whose turn it is of the two places for small parts
    each_item(work, [&](int tile, int part, int from, int end) {
        float sums[C::N / 2] = {}, unit[C::N / 2] = {};
        for (int step = from; step < end; ++step, turn.next(), beside ^= 1) {
            ptx::wait_barrier(memory.full(turn.stage), turn.parity);
            cut_tokens<C>(memory.tokens(turn.stage), memory.small(beside));
            ptx::publish_to_async_proxy();
            ptx::sync_named(1, consumers);
            const int of_now = (step - from) % of_period;
            multiply<C>(unit, memory, turn.stage, beside, of_now > 0);
            __syncwarp();
            if (lane == 0) ptx::arrive(memory.empty(turn.stage));
            if (of_now == of_period - 1 || step + 1 == end)
#pragma unroll
                for (int i = 0; i < C::N / 2; ++i) sums[i] += unit[i];
        }
        store<C>(sums, work, part, tile * BM + warp * 16 + lane / 4, lane % 4 * 2, from, end);
    });
}

bool suits(const Matrix& m) { return m.col_step == 1 && suits_tma(m.data, m.row_step * 4); }

/// The product with the few rows as A, and how it is cut.
struct Few {
    Call call;
    bool turned;
    int parts;

    explicit Few(const Call& given) : call(given), turned(given.m() > given.n()) {
        if (turned) call = across(call);
        parts = parts_of(call.m(), call.n(), call.k());
    }
    std::size_t sums_bytes() const { return sums_bytes(call.m(), call.n(), parts); }
    static std::size_t sums_bytes(std::int64_t few, std::int64_t rows, int parts) {
        return static_cast<std::size_t>(few * pitch(rows) * parts + 31) / 32 * 32 * sizeof(float);
    }
    static std::int64_t pitch(std::int64_t n) { return (n + 3) / 4 * 4; }
    /// The kernel writes C itself.
    bool is_direct() const { return parts == 1 && call.alpha == 1 && call.beta == 0 && call.epilogue.is_empty(); }

    /// By shape alone: as many as a chip has multiprocessors for.
    static int parts_of(std::int64_t few, std::int64_t rows, std::int64_t k) {
        int best = 1;
        for (int parts = 1; parts <= 16 && k / parts >= 256; parts *= 2)
            if (nanoseconds(few, rows, k, parts) < nanoseconds(few, rows, k, best)) best = parts;
        return best;
    }
    /// A stage of 32 of k takes what the unit needs for it, or what the memory gives to all, or to one: of 64 rows and
    /// three products 880 ns, of 128 rows 1400.
    static double nanoseconds(std::int64_t few, std::int64_t rows, std::int64_t k, int parts) {
        const auto items = tiles_over(rows, BM) * parts;
        const auto waves = static_cast<double>(tiles_over(items, parts::chip)),
                   active = static_cast<double>(std::min<std::int64_t>(items, parts::chip));
        const double columns = few <= 32 ? 32 : few <= 64 ? 64 : 128;
        const double stage = std::max({BM * BK * 4.0 * active / 3200, 280.0, 380 + 7.8 * columns});
        const double share = static_cast<double>(tiles_over(tiles_over(k, BK), parts));
        return few::launch + 1500 + waves * share * stage + (parts > 1 ? parts::adding(few, rows, parts) : 0);
    }
};

template <int N>
Status start(const Few& of, const Call& given) {
    using C = Cut<N>;
    const Call& call = of.call;
    const std::int64_t m = call.m(), n = call.n(), k = call.k(), pitch = Few::pitch(n);
    const BoxedMatrix of_weights{call.b.data, Type::f32, k, n, call.b.col_step * 4, BK, BM};
    CUtensorMap weights, tokens;
    if (const Status bad = describe(weights, of_weights); !bad) return bad;
    if (const Status bad = describe(tokens, {call.a.data, Type::f32, k, m, call.a.row_step * 4, BK, N}); !bad)
        return bad;
    const bool direct = of.is_direct();
    const int steps = static_cast<int>(tiles_over(k, BK)), tiles = static_cast<int>(tiles_over(n, BM));
    auto* const sums = static_cast<float*>(direct ? call.c.data : static_cast<void*>(call.scratch.data()));
    const Work work{tiles,
                    of.parts,
                    steps,
                    static_cast<int>(tiles_over(steps, of.parts)),
                    sums,
                    direct ? call.c.row_step : pitch,
                    direct ? call.c.col_step : 1,
                    m * pitch,
                    tensor_of<const float>(call.a),
                    tensor_of<const float>(call.b.transposed())};
    const Status done = launch(few_rows_split<C>,
                               {.blocks = static_cast<unsigned>(std::min(tiles * of.parts, multiprocessors())),
                                .threads = threads,
                                .shared = C::shared,
                                .overlaps = true},
                               call.stream, weights, tokens, work);
    if (!done || direct) return done;
    return add_parts(given,
                     {sums, of.turned ? 1 : pitch, of.turned ? pitch : 1, m * pitch, 0, of.parts, static_cast<int>(k)});
}

Status run_fused(const Call& given) {
    Few of(given);
    if (!suits(of.call.a)) {  // few rows that lie across k are soon turned
        std::span<std::byte> behind = of.call.scratch.subspan(std::min(of.call.scratch.size(), of.sums_bytes()));
        if (const Status bad = turn(of.call.a, behind, of.call.stream); !bad) return bad;
    }
    if (!suits(of.call.a) || !suits(of.call.b.transposed())) return few_rows_anywhere_f32.run(given, {});
    if (of.call.m() <= 32) return start<32>(of, given);
    if (of.call.m() <= 64) return start<64>(of, given);
    return start<128>(of, given);
}

/// The problem as it is turned.
struct Sides {
    std::int64_t few, rows, k;
    bool tokens_along, along;  ///< k
    int parts;

    explicit Sides(const Problem& p) : few(std::min(p.m, p.n)), rows(std::max(p.m, p.n)), k(p.k) {
        const bool left = p.a == Form::row_major, right = p.b == Form::col_major, turned = p.m > p.n;
        tokens_along = turned ? right : left, along = turned ? left : right;
        parts = Few::parts_of(few, rows, k);
    }
};

/// Without gaps between rows, TMA can fetch the weights, and the few rows or a copy of them. What lies across k is
/// few_rows_anywhere's: 128 x 14336 x 4096 took this kernel 202 us, that one 125.
bool takes(const Problem& p) {
    const Sides s(p);
    return fits_ints(p) && s.few > most_tokens && s.few <= 128 && !parts::may_be_many(p.m, p.n, p.k) &&
           p.a != Form::strided && p.b != Form::strided && s.along && s.k % 4 == 0;
}

double nanoseconds(const Problem& p, int) {
    const Sides s(p);
    const double turning = s.tokens_along ? 0 : 2500 + static_cast<double>(s.few * s.k) * 8 / 1100;
    // Rows of C that begin anywhere: 34 x 50257 x 768 took 74 us, r9 43.
    const double loose = p.n % 4 == 0 ? 0 : .012 * static_cast<double>(p.m * p.n);
    return turning + loose + Few::nanoseconds(s.few, s.rows, s.k, s.parts);
}

std::size_t scratch_bytes(const Problem& p, const Tile&, int threads) {
    const Sides s(p);
    return std::max(Few::sums_bytes(s.few, s.rows, s.parts) + turned_bytes(s.few, s.k),
                    few_rows_anywhere_f32.scratch_bytes(p, {}, threads));
}

/// Inside the unit 8 of k at a time, 9 errors of 2^-25 and one of 2^-23; then the periods, and the parts' tree.
double sum_bound(std::int64_t k) {
    constexpr int products = 3;
    const auto all = static_cast<double>(k), inside = std::min(all, double{of_period * BK});
    return gamma(6.5 * products * (inside + 7) / 8 + all / (of_period * BK) + 12, unit_f32);
}

}  // namespace

constinit const Kernel few_rows_split_f32{
    .name = "cuda.few_rows_split.f32.tf32x3",
    .rung = Rung::none,
    .in = Type::f32,
    .out = Type::f32,
    .sum = Type::f32,
    .scheme = &tf32x3,
    .needs = feature::sm90a,
    .fuses_epilogue = true,
    .idea = "17 to 128 rows, many weights: these go through registers, cut into parts of tf32 on their way",
    .takes = takes,
    .sum_bound = sum_bound,
    .nanoseconds = nanoseconds,
    .scratch_bytes = scratch_bytes,
    .run = [](const Call& call, const Tile&) { return with_epilogue(call, run_fused); }};

}  // namespace tw::cuda
