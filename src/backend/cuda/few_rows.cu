// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// few_rows: a few rows times a wall of weights, as fast as the weights can be read. The weights take the unit's 16
// rows, the few rows of A its 8 columns; the warps of a block share 16 (32) rows of weights and deal their k out among
// themselves.
//
//        k: warp 0 | warp 1 | ...  | warp 15 | warp 0 ...
//      +--------+--------+     +--------+
//   16 | lane: 16 bytes of row l/4      |  each lane copies exactly the 16 bytes that it will multiply, STAGES ahead,
//      |       16 bytes of row l/4 + 8  |  into a queue of its own in shared memory: nobody waits for anybody
//      +--------+--------+     +--------+
//
// f32 is cut into two tf32 parts in registers, three products. Every 128 bytes of k the unit's sums are added to f32
// ones, since the unit truncates. The warps' sums are added in order. A result that is not finite is computed anew.
// Needs: sm_80, k contiguous in A and in the weights. 2mnk flops for 4nk (2nk) bytes: the memory is the limit.
#include "backend/cuda/device/device.hpp"
#include "backend/cuda/device/launch.hpp"
#include "backend/cuda/heuristics_few_rows.hpp"
#include "backend/cuda/ladder.hpp"
#include "backend/cuda/operands/aligned.hpp"
#include "backend/cuda/operands/batched.hpp"
#include "backend/cuda/operands/product.cuh"
#include "backend/cuda/ptx/cp_async.cuh"
#include "backend/cuda/ptx/team.cuh"
#include "backend/cuda/tiles/few_rows.cuh"

namespace tw::cuda {
namespace {

/// How a warp's queue is cut: `rows` times 16 rows of weights, `groups` times 8 of tokens, `vectors` times 16 bytes of
/// each row a step, STAGES steps.
template <int warps_, int rows_, int groups_, int vectors_, int STAGES_>
struct Queue {
    static constexpr int warps = warps_, threads = 32 * warps;
    static constexpr int rows = rows_, groups = groups_, vectors = vectors_, STAGES = STAGES_;
    static constexpr int of_weights = 2 * rows, of_row = of_weights + groups, lines = of_row * vectors;
    static constexpr int BN = 16 * rows, results = groups * 8 * BN;
    static constexpr std::size_t bytes = warps * STAGES * lines * std::size_t{512},
                                 shared = bytes + warps * results * 4;
};

/// One warp's way through its share of the block's tiles: tile after tile, and in each its every warps-th step.
template <class Q, int k_of_step>
struct Cursor {
    int tile, k, first_k;

    __device__ Cursor(int warp) : tile(static_cast<int>(blockIdx.x)), k(warp * k_of_step), first_k(k) {}
    __device__ void next(int k_end) {
        k += Q::warps * k_of_step;
        if (k >= k_end) k = first_k, tile += static_cast<int>(gridDim.x);
    }
};

template <class T, class Q>
__global__ void __launch_bounds__(Q::threads) few_rows(FewRows<T> p, bool by_16, Places places, bool turned) {
    constexpr int in_16_bytes = 16 / sizeof(T), k_of_vector = 4 * in_16_bytes, k_of_step = Q::vectors * k_of_vector;
    extern __shared__ uint4 queues[];
    ptx::let_next_kernel_begin();
    ptx::wait_for_kernel_before();
    p.tokens.data = turned ? places.b(p.tokens.data) : places.a(p.tokens.data);
    p.weights.data = turned ? places.a(p.weights.data) : places.b(p.weights.data);
    p.c.data = places.c(static_cast<char*>(p.c.data));
    const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
    uint4* queue = queues + warp * Q::STAGES * Q::lines * 32 + lane;
    const std::uint32_t queue_address = ptx::shared_address(queue);
    float* of_warps = reinterpret_cast<float*>(reinterpret_cast<char*>(queues) + Q::bytes);  // [warp][token][weight]

    const int k_end = static_cast<int>(p.weights.cols()), weights = static_cast<int>(p.weights.rows());
    const int tokens = static_cast<int>(p.tokens.rows()), tiles = (weights + Q::BN - 1) / Q::BN;
    const int own_row = lane / 4, own_k = lane % 4 * in_16_bytes;

    const auto fetch = [&](int stage, const Cursor<Q, k_of_step>& at) {
#pragma unroll
        for (int line = 0; line < Q::of_row; ++line) {
            const bool of_weights = line < Q::of_weights;
            const Tensor<const T>& from = of_weights ? p.weights : p.tokens;
            const int row =
                own_row + 8 * (of_weights ? line : line - Q::of_weights) + (of_weights ? at.tile * Q::BN : 0);
            const bool inside = at.tile < tiles && row < (of_weights ? weights : tokens);
            const T* start = from.data + row * from.layout.row_step;
#pragma unroll
            for (int v = 0; v < Q::vectors; ++v) {
                const int k = at.k + v * k_of_vector + own_k, left = inside ? k_end - k : 0,
                          place = v * Q::of_row + line;
                const int bytes = left <= 0 ? 0 : left < in_16_bytes ? left * static_cast<int>(sizeof(T)) : 16;
                if (by_16) {
                    ptx::copy_16(queue_address + (stage * Q::lines + place) * 512, bytes ? start + k : from.data,
                                 bytes);
                    continue;
                }
                __align__(16) T gathered[in_16_bytes];
#pragma unroll
                for (int i = 0; i < in_16_bytes; ++i)
                    gathered[i] = i < left ? start[(k + i) * from.layout.col_step] : T(0.0f);
                queue[(stage * Q::lines + place) * 32] = *reinterpret_cast<const uint4*>(gathered);
            }
        }
        ptx::commit_copies();
    };

    Cursor<Q, k_of_step> ahead(warp);
#pragma unroll sizeof(T) == 4 ? Q::STAGES - 1 : 1
    for (int s = 0; s < Q::STAGES - 1; ++s, ahead.next(k_end)) fetch(s, ahead);
    int stage = 0;
    for (int tile = static_cast<int>(blockIdx.x); tile < tiles; tile += static_cast<int>(gridDim.x)) {
        float sums[Q::rows][Q::groups][4] = {};
        // A warp whose first step lies behind the end walks one empty step a tile, as `ahead` does.
        int k = warp * k_of_step;
        do {
            fetch(stage == 0 ? Q::STAGES - 1 : stage - 1, ahead);
            ahead.next(k_end);
            ptx::wait_for_copies<Q::STAGES - 1>();
            const uint4* here = queue + stage * Q::lines * 32;
#pragma unroll
            for (int r = 0; r < Q::rows; ++r)
#pragma unroll
                for (int g = 0; g < Q::groups; ++g) {
                    float unit[4] = {};
#pragma unroll
                    for (int v = 0; v < Q::vectors; ++v) {
                        const uint4* vector = here + v * Q::of_row * 32;
                        multiply_16_bytes<T>(unit, vector[2 * r * 32], vector[(2 * r + 1) * 32],
                                             vector[(Q::of_weights + g) * 32]);
                    }
#pragma unroll
                    for (int i = 0; i < 4; ++i) sums[r][g][i] += unit[i];
                }
            stage = stage + 1 == Q::STAGES ? 0 : stage + 1;
            k += Q::warps * k_of_step;
        } while (k < k_end);

        __syncthreads();  // the results before these have been read
#pragma unroll
        for (int r = 0; r < Q::rows; ++r)
#pragma unroll
            for (int g = 0; g < Q::groups; ++g)
#pragma unroll
                for (int i = 0; i < 4; ++i)
                    of_warps[warp * Q::results + (g * 8 + lane % 4 * 2 + i % 2) * Q::BN + r * 16 + own_row +
                             i / 2 * 8] = sums[r][g][i];
        __syncthreads();
        for (int x = static_cast<int>(threadIdx.x); x < Q::results; x += Q::threads)
            complete<Q::warps>(p, x / Q::BN, tile * Q::BN + x % Q::BN, of_warps + x, Q::results);
    }
}

template <class Q, class T>
Status start(const FewRows<T>& p, bool by_16, const Call& given) {
    std::span<std::byte> scratch = given.scratch;
    Places places;
    if (const Status bad = place_products(given, scratch, places); !bad) return bad;
    const std::int64_t tiles = tiles_over(p.weights.layout.rows, Q::BN), fit = multiprocessors();
    const auto blocks = static_cast<unsigned>(tiles < fit ? tiles : fit);
    return launch(few_rows<T, Q>,
                  {.blocks = blocks,
                   .threads = Q::threads,
                   .shared = Q::shared,
                   .products = static_cast<unsigned>(products_of(given)),
                   .overlaps = true},
                  given.stream, p, by_16, places, given.m() > most_tokens);
}

bool rows_start_at_16(const Matrix& m, std::uintptr_t address_bits) {
    return m.col_step == 1 && address_bits % 16 == 0 &&
           m.row_step * static_cast<std::int64_t>(size_of(m.type)) % 16 == 0;
}

template <class T>
Status run(const Call& given, const Tile&) {
    const Call call = given.m() > most_tokens ? across(given) : given;
    const Matrix weights = call.b.transposed();
    const FewRows<T> p{tensor_of<const T>(call.a), tensor_of<const T>(weights), call.c, static_cast<float>(call.alpha),
                       static_cast<float>(call.beta)};
    const std::uintptr_t all_bits = a_of(given).address_bits() | b_of(given).address_bits();
    const bool by_16 = rows_start_at_16(call.a, all_bits) && rows_start_at_16(weights, all_bits);
    constexpr int vectors = sizeof(T) == 4 ? 2 : 1;  // two of the narrow types spill
    if (call.m() <= 8) return start<Queue<16, 1, 1, vectors, 8 / vectors>>(p, by_16, given);
    return start<Queue<16, 2, 2, 1, 4>>(p, by_16, given);
}

/// The ring that few_rows_async has and this lacks gains a twentieth.
double nanoseconds(const Problem& p, int) { return 1.05 * few::nanoseconds_along_k(p, multiprocessors_for_costs()); }

/// A step holds at most 32 (f32) or 64 of k: its products inside the unit, then the steps of a warp, then the warps.
template <class T>
double sum_bound(std::int64_t k) {
    const double of_step = 128 / sizeof(T), units = sizeof(T) == 4 ? 3 * of_step / 8 : of_step / 8;
    return gamma(11 * units + 2 * static_cast<double>(k) / (of_step * 16) + 1 + 16 + 2, unit_f32);
}

constexpr Batching batching{[](const Call& call) { return call.batch->size <= most_products; }, places_bytes};
constexpr Tile tiles[] = {{16, 16, 128}};

template <class T>
constexpr Kernel row(const char* name, Type in, Type out) {
    return {.name = name,
            .rung = Rung::none,
            .in = in,
            .out = out,
            .sum = Type::f32,
            .scheme = sizeof(T) == 4 ? &tf32x3 : &plain_f32,
            .needs = feature::sm80,
            .tiles = tiles,
            .idea = "few rows, many weights: every lane queues 16 bytes of its own, the unit multiplies as they come",
            .takes = has_few_rows,
            .sum_bound = sum_bound<T>,
            .nanoseconds = nanoseconds,
            .run = run<T>,
            .batching = &batching};
}

}  // namespace

constinit const Kernel few_rows_f32 = row<float>("cuda.few_rows.f32", Type::f32, Type::f32);
constinit const Kernel few_rows_bf16 = row<__nv_bfloat16>("cuda.few_rows.bf16", Type::bf16, Type::bf16);
constinit const Kernel few_rows_bf16_f32 = row<__nv_bfloat16>("cuda.few_rows.bf16.f32", Type::bf16, Type::f32);
constinit const Kernel few_rows_f16 = row<__half>("cuda.few_rows.f16", Type::f16, Type::f16);
constinit const Kernel few_rows_f16_f32 = row<__half>("cuda.few_rows.f16.f32", Type::f16, Type::f32);

}  // namespace tw::cuda
