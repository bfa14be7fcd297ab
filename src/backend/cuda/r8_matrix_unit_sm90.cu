// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// r8_matrix_unit: the matrix unit, plainly. Two warpgroups load a tile of A and of B with any steps into shared memory,
// then each multiplies 64 rows by all of B's: no pipeline, no TMA, so that only the unit itself is new.
//
//      A: BM x 128 bytes of k        B: BN x 128 bytes of k              C: BM x BN
//     +----------------+            +----------------+             +---------------------+
//     | rows, swizzled |  wgmma     | rows, swizzled |    ->       | warpgroup 0: 64 x BN|
//     +----------------+            +----------------+             | warpgroup 1: 64 x BN|
//                                                                  +---------------------+
//
// f32 is rounded to tf32 on its way. Needs: sm_90a. It is also what r9 hands operands to that the engine can't fetch.
#include "backend/cuda/device/device.hpp"
#include "backend/cuda/device/launch.hpp"
#include "backend/cuda/epilogue/groups.cuh"
#include "backend/cuda/epilogue/output_of.cuh"
#include "backend/cuda/ladder.hpp"
#include "backend/cuda/operands/aligned.hpp"
#include "backend/cuda/operands/product.cuh"
#include "backend/cuda/ptx/bulk_copy.cuh"
#include "backend/cuda/ptx/cp_async.cuh"
#include "backend/cuda/ptx/tf32.cuh"
#include "backend/cuda/ptx/wgmma.cuh"

namespace tw::cuda {
namespace {

constexpr int BM = 128, BN = 128, threads = 256, row_bytes = 128;

/// What the unit multiplies, as it is stored.
__device__ inline float as_unit(float x) { return ptx::round_to_tf32(x); }
__device__ inline __half as_unit(__half x) { return x; }
__device__ inline __nv_bfloat16 as_unit(__nv_bfloat16 x) { return x; }

/// How an operand's rows along k are read: 16 bytes along k at a time, 16 bytes across it (stored as they lie), or
/// element by element, whatever the steps.
enum class Way { along_k, across_k, any };

/// 128 rows of 128 bytes, each 16 bytes where the swizzle wants them. Across k: two runs of 64 rows, k after k.
template <class T, Way way>
__device__ void load_tile(char* tile, const Tensor<const T>& rows, int first_row, int first_k) {
    constexpr int depth = row_bytes / sizeof(T);
    const int thread = static_cast<int>(threadIdx.x);
    const int rows_left = static_cast<int>(rows.rows()) - first_row, k_left = static_cast<int>(rows.cols()) - first_k;
    const T* from = &rows(first_row, first_k);
    if constexpr (way == Way::any) {
        constexpr int at_once = 8;
        const bool k_first = rows.layout.row_step != 1;
        for (int first = thread; first < BM * depth; first += at_once * threads) {
            T held[at_once];
#pragma unroll
            for (int s = 0; s < at_once; ++s) {
                const int x = first + s * threads, row = k_first ? x / depth : x % BM, k = k_first ? x % depth : x / BM;
                const bool inside = row < rows_left && k < k_left;
                held[s] = inside ? as_unit(from[row * rows.layout.row_step + k * rows.layout.col_step]) : T(0.0f);
            }
#pragma unroll
            for (int s = 0; s < at_once; ++s) {
                const int x = first + s * threads, row = k_first ? x / depth : x % BM, k = k_first ? x % depth : x / BM;
                const int byte = k * static_cast<int>(sizeof(T));
                *reinterpret_cast<T*>(tile + row * row_bytes + ((byte / 16 ^ row % 8) << 4) + byte % 16) = held[s];
            }
        }
    } else if constexpr (std::is_same_v<T, float> && way == Way::across_k) {
        // The unit takes tf32 along k alone: 4 x 4 elements are turned in registers.
        const int row = thread % 32 * 4, k = thread / 32 * 4;
        float held[4][4];
#pragma unroll
        for (int i = 0; i < 4; ++i)
#pragma unroll
            for (int j = 0; j < 4; ++j) {
                const bool inside = k + i < k_left && row + j < rows_left;
                held[i][j] = inside ? as_unit(from[(k + i) * rows.layout.col_step + row + j]) : 0;
            }
#pragma unroll
        for (int j = 0; j < 4; ++j)
            *reinterpret_cast<float4*>(tile + (row + j) * row_bytes + ((k / 4 ^ (row + j) % 8) << 4)) =
                make_float4(held[0][j], held[1][j], held[2][j], held[3][j]);
    } else {
        constexpr int in_16_bytes = 16 / sizeof(T), pieces = BM * row_bytes / 16 / threads,
                      pieces_of_row = BM / in_16_bytes;
        uint4 held[pieces];
        int place[pieces];
#pragma unroll
        for (int s = 0; s < pieces; ++s) {
            const int x = thread + s * threads;
            const int row = way == Way::along_k ? x / 8 : x % pieces_of_row * in_16_bytes;
            const int k = way == Way::along_k ? x % 8 * in_16_bytes : x / pieces_of_row;
            const int line = way == Way::along_k ? row : row / 64 * 64 + k,
                      piece = way == Way::along_k ? x % 8 : row % 64 / in_16_bytes;
            place[s] = line * row_bytes + ((piece ^ line % 8) << 4);
            const T* at = from + row * rows.layout.row_step + k * rows.layout.col_step;
            const int left =
                way == Way::along_k ? (row < rows_left ? k_left - k : 0) : (k < k_left ? rows_left - row : 0);
            if (left >= in_16_bytes) {
                held[s] = *reinterpret_cast<const uint4*>(at);
            } else {
                __align__(16) T few[in_16_bytes];
#pragma unroll
                for (int i = 0; i < in_16_bytes; ++i) few[i] = i < left ? at[i] : T(0.0f);
                held[s] = *reinterpret_cast<const uint4*>(few);
            }
        }
#pragma unroll
        for (int s = 0; s < pieces; ++s) {
            if constexpr (std::is_same_v<T, float>) {
                float* x = reinterpret_cast<float*>(&held[s]);
#pragma unroll
                for (int i = 0; i < 4; ++i) x[i] = as_unit(x[i]);
            }
            *reinterpret_cast<uint4*>(tile + place[s]) = held[s];
        }
    }
}

template <class T, Way a_way, Way b_way>
__global__ void __launch_bounds__(threads, 1)
    matrix_unit(Tensor<const T> a, Tensor<const T> b, Output out, TileGrid grid, Places places) {
    __shared__ __align__(1024) char a_tile[BM * row_bytes], b_tile[BN * row_bytes];
    a.data = places.a(a.data), b.data = places.b(b.data);
    move_to_product(out, places);
    constexpr int depth = row_bytes / sizeof(T);
    constexpr bool turned = b_way == Way::across_k && !std::is_same_v<T, float>;
    constexpr int b_step = turned ? 16 * row_bytes : 32;  // bytes to the unit's next k
    using Unit = ptx::MatrixUnit<BN, T, ptx::Major::k, turned ? ptx::Major::other : ptx::Major::k>;
    const int group = static_cast<int>(threadIdx.x) / 128, thread = static_cast<int>(threadIdx.x) % 128;
    const int first_row = grid.row() * BM, first_col = grid.col() * BN, k = static_cast<int>(a.cols());
    const std::uint64_t at = ptx::tile_descriptor(ptx::shared_address(a_tile) + group * 64 * row_bytes);
    const std::uint64_t bt = ptx::tile_descriptor(ptx::shared_address(b_tile), turned ? 64 * row_bytes : 16);

    float sums[BN / 2];
#pragma unroll
    for (float& x : sums) x = 0;
    for (int first = 0; first < k; first += depth) {
        load_tile<T, a_way>(a_tile, a, first_row, first);
        load_tile<T, b_way>(b_tile, b, first_col, first);
        ptx::publish_to_async_proxy();
        __syncthreads();
        ptx::pin(sums);
        ptx::fence_products();
#pragma unroll
        for (int q = 0; q < 4; ++q) Unit::add(sums, at + q * (32 >> 4), bt + q * (b_step >> 4), first + q);
        ptx::commit_products();
        ptx::wait_for_products<0>();
        ptx::pin(sums);
        __syncthreads();
    }
    constexpr int at_once = 16;
    each_slice<BN, at_once>(sums, [&](auto& slice, int col) {
        finish_elements<T, at_once>(slice, out, first_row + group * 64, first_col + col, thread);
    });
}

template <class T, Way a, Way b>
Status start(const Call& call) {
    const auto [grid, blocks] = tiling(call, BM, BN);
    Places places;
    std::span<std::byte> scratch = call.scratch;
    if (const Status bad = place_products(call, scratch, places); !bad) return bad;
    const Launch how{.blocks = blocks, .threads = threads, .products = static_cast<unsigned>(products_of(call))};
    return launch(matrix_unit<T, a, b>, how, call.stream, tensor_of<const T>(call.a),
                  tensor_of<const T>(call.b.transposed()), output_of(call), grid, places);
}

/// 16 bytes at a time where one step is 1 and the other keeps to multiples of 16 bytes.
Way way_of(const Matrix& rows, std::uintptr_t address_bits) {
    const auto in_16_bytes = static_cast<std::int64_t>(16 / size_of(rows.type));
    if (address_bits % 16 != 0) return Way::any;
    if (rows.col_step == 1 && rows.row_step % in_16_bytes == 0) return Way::along_k;
    return rows.row_step == 1 && rows.col_step % in_16_bytes == 0 ? Way::across_k : Way::any;
}

template <class T>
Status run_fused(const Call& call) {
    const Way a = way_of(call.a, a_of(call).address_bits()), b = way_of(call.b.transposed(), b_of(call).address_bits());
    if (a == Way::along_k && b == Way::along_k) return start<T, Way::along_k, Way::along_k>(call);
    if (a == Way::along_k && b == Way::across_k) return start<T, Way::along_k, Way::across_k>(call);
    return start<T, Way::any, Way::any>(call);
}

template <class T>
Status run(const Call& call, const Tile&) {
    return with_epilogue(call, run_fused<T>);
}

/// 65 TFLOP/s where operands lie well, 23 where they don't: r9 takes those that do. C is stored element by element:
/// bf16 1334 x 2692 x 25 took an H200 29 us.
double nanoseconds(const Problem& p, int) {
    return nanoseconds_at(p, p.in == Type::f32 ? 20 : 30, BM, BN) + static_cast<double>(p.m * p.n) / 170;
}

/// 8 of k at a time: 9 errors of 2^-25 and one of 2^-23.
double tf32_sum_bound(std::int64_t k) { return gamma(6.5 * static_cast<double>((k + 7) / 8) + 2, unit_f32); }

constexpr Batching batching{takes_batch, places_bytes};
constexpr Tile tiles[] = {{BM, BN, 64}};

template <class T>
constexpr Kernel row(const char* name, Type in, Type out) {
    constexpr bool is_tf32 = sizeof(T) == 4;
    return {.name = name,
            .rung = Rung::matrix_unit,
            .in = in,
            .out = out,
            .sum = Type::f32,
            .scheme = is_tf32 ? &tf32x1 : &plain_f32,
            .needs = feature::sm90a,
            .tiles = tiles,
            .fuses_epilogue = true,
            .idea = "the matrix unit itself: two warpgroups fill shared memory, then multiply 64 rows each",
            .takes = fits_ints,
            .sum_bound = is_tf32 ? tf32_sum_bound : matrix_unit_sum_bound,
            .nanoseconds = nanoseconds,
            .run = run<T>,
            .order = is_tf32 ? tf32_order : matrix_unit_order,
            .batching = &batching};
}

}  // namespace

Status run_plainly(const Call& call) noexcept {
    if (call.a.type == Type::f32) return run<float>(call, {});
    return call.a.type == Type::bf16 ? run<__nv_bfloat16>(call, {}) : run<__half>(call, {});
}

constinit const Kernel r8_matrix_unit_f32 = row<float>("cuda.r8_matrix_unit.f32.tf32", Type::f32, Type::f32);
constinit const Kernel r8_matrix_unit_bf16 = row<__nv_bfloat16>("cuda.r8_matrix_unit.bf16", Type::bf16, Type::bf16);
constinit const Kernel r8_matrix_unit_bf16_f32 =
    row<__nv_bfloat16>("cuda.r8_matrix_unit.bf16.f32", Type::bf16, Type::f32);
constinit const Kernel r8_matrix_unit_f16 = row<__half>("cuda.r8_matrix_unit.f16", Type::f16, Type::f16);
constinit const Kernel r8_matrix_unit_f16_f32 = row<__half>("cuda.r8_matrix_unit.f16.f32", Type::f16, Type::f32);

}  // namespace tw::cuda
