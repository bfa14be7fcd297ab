// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// few_rows_fma: few rows without the matrix unit: any steps, any alignment, and the roundings of plain f32.
// Neighbouring lanes load neighbouring elements of the weights, one each, and have the next sixteen on their way while
// they multiply.
//
//     k contiguous: 4 rows, lanes along k           n contiguous: 32 columns, a lane each
//        warp 0   | warp 1   | ...                    lane 0 1 2 ... 31
//      +----------+----------+                       +-----------------+
//    4 | 128 of k | 128 of k |  then the next 1024   | warp 0: 16 of k |
//      +----------+----------+                       | warp 1: 16 of k |  then the next 256
//
// What the block needs of the few rows stands in shared memory, as f32. Each sum is a lane's, then the lanes', then the
// warps', in their order.
// Needs: any device. 2mnk flops for 4nk (2nk) bytes: up to 8 rows the memory is the limit, beyond them the FMA.
#include <algorithm>

#include "backend/cuda/device/device.hpp"
#include "backend/cuda/device/launch.hpp"
#include "backend/cuda/epilogue/element.cuh"
#include "backend/cuda/epilogue/output_of.cuh"
#include "backend/cuda/few/lane_sums.cuh"
#include "backend/cuda/heuristics_few_rows.hpp"
#include "backend/cuda/ladder.hpp"
#include "backend/cuda/operands/aligned.hpp"
#include "backend/cuda/operands/batched.hpp"
#include "backend/cuda/operands/product.cuh"
#include "backend/cuda/tiles/few_rows.cuh"

namespace tw::cuda {
namespace {

constexpr int loads = 16;  // of a lane, on their way

/// along: the weights' k is contiguous. M: rows of A, at most.
template <bool along_, int M_>
struct Cut {
    static constexpr bool along = along_;
    static constexpr int M = M_, warps = along ? 8 : 16, threads = 32 * warps;
    static constexpr int BN = along ? 4 : 32;            ///< rows of weights of a block
    static constexpr int own = along ? BN : 1;           ///< of a lane
    static constexpr int of_warp = along ? 128 : loads;  ///< of k, of each CHUNK
    static constexpr int CHUNK = warps * of_warp, results = M * BN;
    static constexpr std::size_t shared = 4 * (CHUNK * M > warps * results ? CHUNK * M : warps * results);
};

template <class T>
struct Operands {
    Tensor<const T> tokens, weights;  ///< rows along k, both
    Output out;
    Places places;
    bool turned;  ///< the tokens are B's columns

    __device__ void move_to_product() {
        tokens.data = turned ? places.b(tokens.data) : places.a(tokens.data);
        weights.data = turned ? places.a(weights.data) : places.b(weights.data);
        cuda::move_to_product(out, places);
    }
};

/// What a lane has of a chunk.
template <class C, class T>
__device__ void load(T (&w)[loads], const Tensor<const T>& weights, int first_row, int first_k) {
    const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
    const int k_end = static_cast<int>(weights.cols()), rows = static_cast<int>(weights.rows());
#pragma unroll
    for (int e = 0; e < loads; ++e) {
        const int row = first_row + (C::along ? e % C::BN : lane);
        const int k = first_k + warp * C::of_warp + (C::along ? e / C::BN * 32 + lane : e);
        w[e] = row < rows && k < k_end ? weights(row, k) : T(0.0f);
    }
}

/// The few rows' part of a chunk, [token][k].
template <class C, class T>
__device__ void stage(float* to, const Tensor<const T>& tokens, int first_k) {
    const int rows = static_cast<int>(tokens.rows()), k_end = static_cast<int>(tokens.cols());
    for (int x = static_cast<int>(threadIdx.x); x < C::M * C::CHUNK; x += C::threads) {
        const int i = x / C::CHUNK, k = first_k + x % C::CHUNK;
        to[x] = i < rows && k < k_end ? value(tokens(i, k)) : 0;
    }
}

template <class C, class T>
__device__ void multiply(float (&sums)[C::own * C::M], const T (&w)[loads], const float* tokens) {
    const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
    const float* here = tokens + warp * C::of_warp;
#pragma unroll
    for (int s = 0; s < 4; ++s)
#pragma unroll
        for (int i = 0; i < C::M; ++i) {
            if constexpr (C::along) {
                const float t = here[i * C::CHUNK + s * 32 + lane];
#pragma unroll
                for (int r = 0; r < C::BN; ++r)
                    sums[r * C::M + i] = fmaf(t, value(w[s * C::BN + r]), sums[r * C::M + i]);
            } else {
                const float4 t = *reinterpret_cast<const float4*>(here + i * C::CHUNK + s * 4);
                const float of_k[4] = {t.x, t.y, t.z, t.w};
#pragma unroll
                for (int e = 0; e < 4; ++e) sums[i] = fmaf(of_k[e], value(w[s * 4 + e]), sums[i]);
            }
        }
}

template <class C, class T>
__global__ void __launch_bounds__(C::threads) few_rows_fma(Operands<T> p) {
    extern __shared__ __align__(16) float memory[];
    p.move_to_product();
    const int first_row = static_cast<int>(blockIdx.x) * C::BN, k_end = static_cast<int>(p.weights.cols());
    float sums[C::own * C::M] = {};
    T ahead[loads];
    load<C>(ahead, p.weights, first_row, 0);
    for (int k = 0; k < k_end; k += C::CHUNK) {
        __syncthreads();  // what these stand over has been read
        stage<C>(memory, p.tokens, k);
        __syncthreads();
        T w[loads];
#pragma unroll
        for (int e = 0; e < loads; ++e) w[e] = ahead[e];
        load<C>(ahead, p.weights, first_row, k + C::CHUNK);
        multiply<C>(sums, w, memory);
    }

    const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
    float* const of_warp = memory + warp * C::results;  // [row of weights][token]
    __syncthreads();
    if constexpr (C::along) {
        const int first = sum_over_lanes(sums);
#pragma unroll
        for (int e = 0; e < (C::results + 31) / 32; ++e) of_warp[first + e] = sums[e];
    } else {
#pragma unroll
        for (int i = 0; i < C::M; ++i) of_warp[lane + i * 32] = sums[i];  // [token][row]
    }
    __syncthreads();
#pragma unroll 1
    for (int x = static_cast<int>(threadIdx.x); x < C::results; x += C::threads) {
        const int i = C::along ? x % C::M : x / 32, j = first_row + (C::along ? x / C::M : x % 32);
        if (i >= p.out.rows || j >= p.out.cols) continue;
        float sum = 0;
        for (int w = 0; w < C::warps; ++w) sum += memory[w * C::results + x];
        if (p.out.wide) finish_element<T, float>(sum, p.out, i, j, p.turned);
        else finish_element<T, T>(sum, p.out, i, j, p.turned);
    }
}

template <class C, class T>
Status start(const Call& call, const Operands<T>& operands) {
    const auto blocks = static_cast<unsigned>(tiles_over(operands.weights.layout.rows, C::BN));
    const Launch how{.blocks = blocks,
                     .threads = C::threads,
                     .shared = C::shared,
                     .products = static_cast<unsigned>(products_of(call))};
    return launch(few_rows_fma<C, T>, how, call.stream, operands);
}

template <class T>
Status run_fused(const Call& given) {
    const bool turned = given.m() > most_tokens;
    const Call call = turned ? across(given) : given;
    const Matrix weights = call.b.transposed();
    std::span<std::byte> scratch = call.scratch;
    Places places;
    if (const Status bad = place_products(given, scratch, places); !bad) return bad;
    const Operands<T> operands{tensor_of<const T>(call.a), tensor_of<const T>(weights), output_of(call), places,
                               turned};
    const bool few = call.m() <= 4;
    if (weights.col_step == 1)
        return few ? start<Cut<true, 4>>(call, operands) : start<Cut<true, most_tokens>>(call, operands);
    return few ? start<Cut<false, 4>>(call, operands) : start<Cut<false, most_tokens>>(call, operands);
}

/// What an H100 took: 57 us for 1105 x 13 x 2713 of f32, 398 for 16 x 8192 x 8192 and 792 for 2 x 128256 x 4096 NN; of
/// bf16 182 for 10995 x 9 x 1523, 146 for 11 x 21379 x 1502 NN. Rows of a block that the product lacks cost as much. A
/// lane loads one element at a time: of bf16 across k an H200 read 890 to 1000 bytes a nanosecond, of f32 2400.
double nanoseconds(const Problem& p, int) {
    const FewRowsForms forms(p);
    const double of_weights = static_cast<double>(forms.rows) * static_cast<double>(p.k);
    const double bytes = of_weights * static_cast<double>(size_of(p.in)),
                 flops = 2 * of_weights * (forms.few <= 4 ? 4 : 16);
    const bool wide = p.in == Type::f32;
    const double rate = forms.along() ? (wide ? 1.8e3 : 3e3) : (wide ? 5.4e3 : 7e3);
    const double chain =
        static_cast<double>(p.k) * (forms.few <= 4 ? 5 : 15);  // a block's, however few blocks there are
    // A batch of short products waits for the chains of each: 16 x 128 x 128, 62 times, took 15 us.
    const double of_many = wide && few::may_be_many(p) ? 10'000 : 0;
    return launch_nanoseconds + of_many +
           std::max({bytes / (forms.along() ? 2650
                              : wide        ? 2400
                                            : 950),
                     flops / rate, chain});
}

/// A lane's own, at most a sixteenth of k and a chunk's share; then lanes and warps.
double sum_bound(std::int64_t k) { return gamma(static_cast<double>(k) / 16 + 16 + 5 + 16 + 2, unit_f32); }

constexpr Batching batching{takes_batch, places_bytes};

template <class T>
constexpr Kernel row(const char* name, Type in, Type out) {
    return {
        .name = name,
        .rung = Rung::none,
        .in = in,
        .out = out,
        .sum = Type::f32,
        .scheme = &plain_f32,
        .fuses_epilogue = true,
        .idea = "few rows as they lie, whatever their steps: neighbouring lanes load neighbours, and multiply in f32",
        .takes = has_few_rows_of_any_steps,
        .sum_bound = sum_bound,
        .nanoseconds = nanoseconds,
        .run = [](const Call& call, const Tile&) { return with_epilogue(call, run_fused<T>); },
        .batching = &batching};
}

}  // namespace

constinit const Kernel few_rows_fma_f32 = row<float>("cuda.few_rows_fma.f32", Type::f32, Type::f32);
constinit const Kernel few_rows_fma_bf16 = row<__nv_bfloat16>("cuda.few_rows_fma.bf16", Type::bf16, Type::bf16);
constinit const Kernel few_rows_fma_bf16_f32 = row<__nv_bfloat16>("cuda.few_rows_fma.bf16.f32", Type::bf16, Type::f32);
constinit const Kernel few_rows_fma_f16 = row<__half>("cuda.few_rows_fma.f16", Type::f16, Type::f16);
constinit const Kernel few_rows_fma_f16_f32 = row<__half>("cuda.few_rows_fma.f16.f32", Type::f16, Type::f32);

}  // namespace tw::cuda
