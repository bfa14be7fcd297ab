// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// r8_mma_sync: the matrix unit as every chip since Ampere has it: a warp multiplies fragments that it holds in
// registers. r7's hierarchy around it: asynchronous copies STAGES deep, and the fragments of step k + 16 are read
// during step k.
//
//   block BM x BN, 64 of k a stage     warp 64 x 64: 4 x 8 products of 16 x 8      rows of 128 bytes, swizzled:
//   +--------+--------+                +--+--+--+--+--+--+--+--+                   ldmatrix reads 8 rows without
//   |   w0   |   w1   |                |16 x 8 |  |  |  |  |  |                   a bank conflict, as they lie
//   +--------+--------+                +--+--+--+--+--+--+--+--+                   or turned
//   |   w2   |   w3   |                ...
//   +--------+--------+
//
// Needs: sm_80, and rows of 16 bytes' multiple: others are copied into that form first. The smallest tiles load any
// steps; they are for operands that there is no scratch for. On Hopper it is the older way: mma.sync reaches 6 tenths
// of what wgmma does.
#include <type_traits>

#include "backend/cuda/device/device.hpp"
#include "backend/cuda/device/launch.hpp"
#include "backend/cuda/epilogue/from_shared.cuh"
#include "backend/cuda/epilogue/output_of.cuh"
#include "backend/cuda/ladder.hpp"
#include "backend/cuda/operands/aligned.hpp"
#include "backend/cuda/operands/product.cuh"
#include "backend/cuda/ptx/mma.cuh"
#include "backend/cuda/ptx/shared_load.cuh"
#include "backend/cuda/tiles/heuristics_sm90.hpp"
#include "backend/cuda/tiles/swizzled_operand.cuh"

namespace tw::cuda {
namespace {

template <int BM_, int BN_, int side_, int STAGES_, int blocks_>
struct Shape {
    static constexpr int BM = BM_, BN = BN_, BK = 64, WM = side_, WN = side_, STAGES = STAGES_, blocks = blocks_;
    static constexpr int warps_across = BN / WN, threads = 32 * (BM / WM) * warps_across;
    static constexpr int row_bytes = BK * 2, a_bytes = BM * row_bytes, stage_bytes = (BM + BN) * row_bytes;
    static constexpr int sums_pitch =
        (BN + 8) * 4;  ///< so that the four rows of half a warp's pairs lie in different banks
    static constexpr std::size_t shared = std::size_t{STAGES} * stage_bytes;
    static_assert(BM * sums_pitch <= STAGES * stage_bytes);
};

using Wide = Shape<128, 256, 64, 3, 1>;
using Square = Shape<128, 128, 64, 3, 2>;
using Little = Shape<64, 64, 32, 3, 2>;

/// Hopper has wide tiles alone: there the row is for those who name it.
template <class S>
inline constexpr bool is_left_out =
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ == 900
    std::is_same_v<S, Square>;
#else
    false;
#endif
bool has_square() { return (features() & feature::sm90a) == 0; }

/// Sums of a warp's 16 rows, from `to` on.
template <class S>
__device__ void keep_sums(const float (&sums)[S::WN / 2], std::uint32_t to) {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    to += lane / 4 * S::sums_pitch + lane % 4 * 8;
#pragma unroll
    for (int g = 0; g < S::WN / 8; ++g) {
        ptx::store_pair(to + g * 32, sums[4 * g], sums[4 * g + 1]);
        ptx::store_pair(to + g * 32 + 8 * S::sums_pitch, sums[4 * g + 2], sums[4 * g + 3]);
    }
}

template <class S, class T, Way a_way, Way b_way>
__global__ void __launch_bounds__(S::threads, S::blocks)
    mma_sync(Tensor<const T> a_rows, Tensor<const T> b_rows, FromShared c, TileGrid grid) {
    if (is_left_out<S>) return __trap();
    extern __shared__ __align__(1024) char stages[];
    const int first_row = grid.row() * S::BM, first_col = grid.col() * S::BN, k = static_cast<int>(a_rows.cols());
    const int warp = static_cast<int>(threadIdx.x) / 32;
    const int row = warp / S::warps_across * S::WM, col = warp % S::warps_across * S::WN;
    Operand<T, a_way, S::BM, S::threads, false> a(a_rows, first_row, row);
    Operand<T, b_way, S::BN, S::threads, true> b(b_rows, first_col, col);
    const std::uint32_t base = ptx::shared_address(stages), end = base + S::shared;
    const auto fill = [&](std::uint32_t stage) {
        a.fill(stage), b.fill(stage + S::a_bytes);
        ptx::commit_copies();
    };

    float sums[S::WM / 16][S::WN / 2] = {};
    std::uint32_t down[2][S::WM / 16][4], across[2][S::WN / 16][4];
    const auto read = [&](int to, std::uint32_t stage, int step) {
#pragma unroll
        for (int i = 0; i < S::WM / 16; ++i) a.read(down[to][i], stage, i, step);
#pragma unroll
        for (int j = 0; j < S::WN / 16; ++j) b.read(across[to][j], stage + S::a_bytes, j, step);
    };

#pragma unroll
    for (int s = 0; s < S::STAGES - 1; ++s) fill(base + s * S::stage_bytes);
    ptx::wait_for_copies<S::STAGES - 2>();
    __syncthreads();
    read(0, base, 0);

    constexpr int steps = S::BK / 16;
    std::uint32_t stage = base, free_stage = base + (S::STAGES - 1) * S::stage_bytes;
    for (int first = 0; first < k; first += S::BK) {
        const std::uint32_t next = stage + S::stage_bytes == end ? base : stage + S::stage_bytes;
        fill(free_stage);
#pragma unroll
        for (int step = 0; step < steps; ++step) {
            if (step + 1 == steps) {
                ptx::wait_for_copies<S::STAGES - 2>();
                __syncthreads();
            }
            read((step + 1) % 2, step + 1 == steps ? next : stage, (step + 1) % steps);
#pragma unroll
            for (int i = 0; i < S::WM / 16; ++i)
#pragma unroll
                for (int j = 0; j < S::WN / 8; ++j) {
                    const int turned = i % 2 ? S::WN / 8 - 1 - j : j;
                    ptx::multiply(*reinterpret_cast<float(*)[4]>(&sums[i][turned * 4]), down[step % 2][i],
                                  *reinterpret_cast<std::uint32_t(*)[2]>(&across[step % 2][turned / 2][turned % 2 * 2]),
                                  T());
                }
        }
        free_stage = stage, stage = next;
    }
    ptx::wait_for_copies<0>();
    __syncthreads();
#pragma unroll
    for (int i = 0; i < S::WM / 16; ++i) keep_sums<S>(sums[i], base + (row + i * 16) * S::sums_pitch + col * 4);
    __syncthreads();
    if (c.out.wide) store_tile<S, T, float>(base, c, first_row, first_col);
    else store_tile<S, T, T>(base, c, first_row, first_col);
}

template <class S, class T, Way a_way, Way b_way>
Status start(const Call& call, bool turned, const Tensor<const T>& a_rows, const Tensor<const T>& b_rows) {
    const Matrix& c = call.c;
    const bool aligned = reinterpret_cast<std::uintptr_t>(c.data) % (4 * size_of(c.type)) == 0;
    const bool fours = aligned && c.col_step == 1 && c.row_step % 4 == 0;
    const FromShared result{output_of(call), fours, turned};
    const auto [grid, blocks] = tiling(call, S::BM, S::BN);
    return launch(mma_sync<S, T, a_way, b_way>, {.blocks = blocks, .threads = S::threads, .shared = S::shared},
                  call.stream, a_rows, b_rows, result, grid);
}

template <class S, class T>
Status run_aligned(const Call& call, bool turned, const AlignedRows& a, const AlignedRows& b) {
    const Tensor<const T> a_rows{static_cast<const T*>(a.data), {call.m(), call.k(), a.step, 1, 0}};
    const std::int64_t n_step = b.across ? 1 : b.step, k_step = b.across ? b.step : 1;
    const Tensor<const T> b_rows{static_cast<const T*>(b.data), {call.n(), call.k(), n_step, k_step, 0}};
    return b.across ? start<S, T, Way::along_k, Way::across_k>(call, turned, a_rows, b_rows)
                    : start<S, T, Way::along_k, Way::along_k>(call, turned, a_rows, b_rows);
}

template <class T>
Status run_by_rows(const Call& call, bool turned, const Tile& tile) {
    AlignedRows a, b;
    bool possible;
    const Matrix weights = call.b.transposed();
    if (const Status bad = align_operands(call, AsRead::b_across, a, b, possible); !bad) return bad;
    if (!possible)
        return start<Little, T, Way::any, Way::any>(call, turned, tensor_of<const T>(call.a),
                                                    tensor_of<const T>(weights));
    const int columns = tile == Tile{} ? sm90::r8_mma_sync_columns(sm90::sizes_of(call)) : tile.n;
    return columns == Wide::BN || !has_square() ? run_aligned<Wide, T>(call, turned, a, b)
                                                : run_aligned<Square, T>(call, turned, a, b);
}

template <class T>
Status run(const Call& call, const Tile& tile) {
    return with_epilogue(call, [&](const Call& each) {
        const bool turned = is_turned(each);
        return run_by_rows<T>(turned ? across(each) : each, turned, tile);
    });
}

std::size_t scratch_of(const Call& call, const Tile&) {
    return aligned_bytes_of(is_turned(call) ? across(call) : call, AsRead::b_across);
}

/// Where k is short, copies of operands and C are what counts: f16 1916 x 2034 x 16 NN took an H200 14 us.
double nanoseconds(const Problem& p, int) {
    const auto copied = static_cast<double>(aligned_bytes(p, AsRead::b_across)),
               written = static_cast<double>(p.m * p.n) * static_cast<double>(size_of(p.out));
    return nanoseconds_at(p, 300, 128, 256) + written / 1000 + (copied > 0 ? 2000 + copied / 1100 : 0);
}

/// Ampere adds 8 of k at a time: 9 errors of 2^-24 and one of 2^-23; Hopper loses less.
double sum_bound(std::int64_t k) { return gamma(11 * static_cast<double>((k + 7) / 8) + 2, unit_f32); }
constexpr Tile tiles[] = {{}, {128, 256, 64}, {128, 128, 64}};

template <class T>
constexpr Kernel row(const char* name, Type in, Type out) {
    return {.name = name,
            .rung = Rung::matrix_unit,
            .in = in,
            .out = out,
            .sum = Type::f32,
            .scheme = &plain_f32,
            .needs = feature::sm80,
            .tiles = tiles,
            .fuses_epilogue = true,
            .idea = "the matrix unit of every chip since Ampere: each warp multiplies what its registers hold",
            .takes = fits_ints,
            .sum_bound = sum_bound,
            .nanoseconds = nanoseconds,
            .scratch_bytes = [](const Problem& p, const Tile&, int) { return aligned_bytes(p, AsRead::b_across); },
            .scratch_of = scratch_of,
            .run = run<T>,
            .order = mma_sync_order};
}

}  // namespace

constinit const Kernel r8_mma_sync_bf16 = row<__nv_bfloat16>("cuda.r8_mma_sync.bf16", Type::bf16, Type::bf16);
constinit const Kernel r8_mma_sync_bf16_f32 = row<__nv_bfloat16>("cuda.r8_mma_sync.bf16.f32", Type::bf16, Type::f32);
constinit const Kernel r8_mma_sync_f16 = row<__half>("cuda.r8_mma_sync.f16", Type::f16, Type::f16);
constinit const Kernel r8_mma_sync_f16_f32 = row<__half>("cuda.r8_mma_sync.f16.f32", Type::f16, Type::f32);

}  // namespace tw::cuda
