// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// r7_hierarchical: blocks of warps of threads. Shared memory is filled by asynchronous copies STAGES deep, and each
// warp reads the fragments of step k + 1 while it multiplies those of step k.
//
//   block BM x BN            warp WM x WN                   thread: TM x TN in groups of 4 x 4
//   +----+----+----+----+    +--+--+--+--+  8 x 4 lanes     ####  ####  ####  ####
//   | w0 | w1 | w2 | w3 |    |  |  |  |  |  each 4 rows     ####  ####  ####  ####
//   +----+----+----+----+    +--+--+--+--+  by 4 columns    (the groups of a warp stand WM/2 and 16 columns apart, so
//   | w4 | w5 | w6 | w7 |    |  |  |  |  |  at a time        that its 16-byte loads are broadcasts and whole lines)
//   +----+----+----+----+    +--+--+--+--+
//
// Needs: sm_80. 6 loads of 16 bytes for 128 products: at 8 x 8 a thread they would take as long as the products do,
// since an SM hands out 128 bytes of shared memory a cycle and has 128 multipliers.
#include "backend/cuda/device.hpp"
#include "backend/cuda/fused.cuh"
#include "backend/cuda/ladder.hpp"
#include "backend/cuda/launch.hpp"
#include "backend/cuda/product.cuh"
#include "backend/cuda/ptx/cp_async.cuh"

namespace tw::cuda {
namespace {

/// Which way a tile's elements lie in global memory, seen from its k-major place in shared memory.
enum class Lie { along_k, scattered, across_k, across_k_by_4 };

/// Fills a tile of BK rows of `width`, k-major with `pitch` floats a row; a thread copies every jump-th piece.
template <int BK, int width, int pitch, int threads>
class AsyncTile {
public:
    __device__ AsyncTile(const float* data, std::int64_t k_step, std::int64_t other_step, std::int64_t k_end,
                         std::int64_t first, std::int64_t end, Lie lie)
        : k_step_(k_step), k_left_(static_cast<int>(k_end)), by_4_(lie == Lie::across_k_by_4) {
        const int thread = static_cast<int>(threadIdx.x), wide = by_4_ ? width / 4 : width;
        const bool along_k = lie == Lie::along_k;
        const int q = along_k ? thread % BK : thread / wide, x = (along_k ? thread / BK : thread % wide) * (by_4_ ? 4 : 1);
        q_jump_ = along_k ? 0 : threads / wide;
        x_jump_ = along_k ? threads / BK : 0;
        place_ = (q * pitch + x) * 4;
        k_left_ -= q;
        x_left_ = static_cast<int>(end - first < width ? end - first : width) - x;
        from_ = data + q * k_step + (first + x) * other_step;
        jump_ = q_jump_ * k_step + x_jump_ * other_step;
    }

    /// The next BK rows.
    __device__ void fill(std::uint32_t tile) {
        const float* from = from_;
        std::uint32_t to = tile + place_;
        const std::uint32_t jump = (q_jump_ * pitch + x_jump_) * 4;
        if (by_4_) {
            const int width_valid = x_left_ < 0 ? 0 : x_left_ < 4 ? x_left_ * 4 : 16;
#pragma unroll
            for (int s = 0; s < BK * width / 4 / threads; ++s, from += jump_, to += jump) {
                const int valid = s * q_jump_ < k_left_ ? width_valid : 0;
                ptx::copy_16(to, from, valid);
            }
        } else {
#pragma unroll
            for (int s = 0; s < BK * width / threads; ++s, from += jump_, to += jump) {
                const bool valid = s * q_jump_ < k_left_ && s * x_jump_ < x_left_;
                ptx::copy_4(to, from, valid);
            }
        }
        from_ += BK * k_step_;
        k_left_ -= BK;
    }

private:
    const float* from_;
    std::int64_t k_step_, jump_;
    int k_left_, q_jump_, x_jump_, x_left_;
    std::uint32_t place_;
    bool by_4_;
};

template <int BM_, int BN_, int BK_, int WM_, int WN_, int STAGES_>
struct Shape {
    static constexpr int BM = BM_, BN = BN_, BK = BK_, WM = WM_, WN = WN_, STAGES = STAGES_;
    static constexpr int lanes_down = 8, lanes_across = 4;
    static constexpr int TM = WM / lanes_down, TN = WN / lanes_across;
    static constexpr int threads = 32 * (BM / WM) * (BN / WN);
    static constexpr int a_pitch = BM + 4, b_pitch = BN + 4;
    static constexpr int stage_floats = BK * (a_pitch + b_pitch);
    static constexpr std::size_t shared = sizeof(float) * STAGES * stage_floats;
};

template <int groups>
__device__ void read_groups(float (&to)[groups * 4], const float* from, int apart) {
#pragma unroll
    for (int g = 0; g < groups; ++g) {
        const float4 four = *reinterpret_cast<const float4*>(from + g * apart);
        to[4 * g] = four.x, to[4 * g + 1] = four.y, to[4 * g + 2] = four.z, to[4 * g + 3] = four.w;
    }
}

template <class S>
__global__ void __launch_bounds__(S::threads, 1) hierarchical(Product<float> p, TileGrid grid, Lie a_lie, Lie b_lie, Fused fused) {
    extern __shared__ __align__(16) float stages[];
    const std::int64_t first_row = grid.row() * std::int64_t{S::BM}, first_col = grid.col() * std::int64_t{S::BN};
    const Layout &al = p.a.layout, &bl = p.b.layout;
    AsyncTile<S::BK, S::BM, S::a_pitch, S::threads> a(p.a.data, al.col_step, al.row_step, al.cols, first_row, al.rows,
                                                      a_lie);
    AsyncTile<S::BK, S::BN, S::b_pitch, S::threads> b(p.b.data, bl.row_step, bl.col_step, bl.rows, first_col, bl.cols,
                                                      b_lie);
    const std::uint32_t base = ptx::shared_address(stages);
    const auto fill = [&](int stage) {
        const std::uint32_t tile = base + static_cast<std::uint32_t>(stage * S::stage_floats * 4);
        a.fill(tile), b.fill(tile + S::BK * S::a_pitch * 4);
        ptx::commit_copies();
    };

    const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
    constexpr int warps_across = S::BN / S::WN;
    const int row = warp / warps_across * S::WM + lane / S::lanes_across * 4;
    const int col = warp % warps_across * S::WN + lane % S::lanes_across * 4;
    constexpr int rows_apart = S::lanes_down * 4, cols_apart = S::lanes_across * 4;

    float sums[S::TM][S::TN] = {};
    float down[2][S::TM], across[2][S::TN];
    const auto read = [&](int to, const float* stage, int q) {
        read_groups<S::TM / 4>(down[to], stage + q * S::a_pitch + row, rows_apart);
        read_groups<S::TN / 4>(across[to], stage + S::BK * S::a_pitch + q * S::b_pitch + col, cols_apart);
    };

#pragma unroll
    for (int s = 0; s < S::STAGES - 1; ++s) fill(s);
    ptx::wait_for_copies<S::STAGES - 2>();
    __syncthreads();
    read(0, stages, 0);

    int stage = 0;
    for (std::int64_t k = 0; k < p.k(); k += S::BK) {
        const int free_stage = (stage + S::STAGES - 1) % S::STAGES, next = (stage + 1) % S::STAGES;
        fill(free_stage);
#pragma unroll 16
        for (int q = 0; q < S::BK; ++q) {
            if (q + 1 == S::BK) {
                ptx::wait_for_copies<S::STAGES - 2>();
                __syncthreads();
                read((q + 1) % 2, stages + next * S::stage_floats, 0);
            } else {
                read((q + 1) % 2, stages + stage * S::stage_floats, q + 1);
            }
#pragma unroll
            for (int i = 0; i < S::TM; ++i)
#pragma unroll
                for (int j = 0; j < S::TN; ++j) sums[i][j] += down[q % 2][i] * across[q % 2][j];
        }
        stage = next;
    }

#pragma unroll
    for (int i = 0; i < S::TM; ++i)
#pragma unroll
        for (int j = 0; j < S::TN; ++j)
            p.store(first_row + row + i / 4 * rows_apart + i % 4, first_col + col + j / 4 * cols_apart + j % 4, sums[i][j]);

    // Each thread finishes what it wrote: from registers, a copy of the activations for each of its sums would be needed.
    if (fused.empty) return;
    const std::int64_t rows = p.c.rows(), cols = p.c.cols();
#pragma unroll 1
    for (int i = 0; i < S::TM; ++i)
#pragma unroll 4
        for (int j = 0; j < S::TN; ++j) {
            const std::int64_t y = first_row + row + i / 4 * rows_apart + i % 4, x = first_col + col + j / 4 * cols_apart + j % 4;
            if (y < rows && x < cols) p.c(y, x) = fused.of(p.c(y, x), y, x);
        }
}

bool by_4(const void* data, std::int64_t step) {
    return reinterpret_cast<std::uintptr_t>(data) % 16 == 0 && step % 4 == 0;
}

Lie lie_of(const void* data, std::int64_t k_step, std::int64_t other_step) {
    if (other_step == 1) return by_4(data, k_step) ? Lie::across_k_by_4 : Lie::across_k;
    return k_step == 1 ? Lie::along_k : Lie::scattered;
}

template <class S>
Status run_with(const Call& call) {
    const auto [grid, blocks] = tiling(call, S::BM, S::BN);
    return launch(hierarchical<S>, {.blocks = blocks, .threads = S::threads, .shared = S::shared}, call.stream,
                  product_of<float>(call), grid, lie_of(call.a.data, call.a.col_step, call.a.row_step),
                  lie_of(call.b.data, call.b.row_step, call.b.col_step), fused(call.epilogue));
}

using Wide = Shape<128, 256, 16, 64, 64, 3>;
using Small = Shape<64, 64, 16, 32, 32, 3>;

Status run(const Call& call, const Tile& tile) {
    const bool fills = tiles_over(call.m(), Wide::BM) * tiles_over(call.n(), Wide::BN) >= multiprocessors();
    return with_epilogue(call, tile.n == Wide::BN || (tile == Tile{} && fills) ? run_with<Wide> : run_with<Small>);
}

double nanoseconds(const Problem& p, int) { return nanoseconds_at(p, 50, Wide::BM, Wide::BN); }

constexpr Tile tiles[] = {{}, {128, 256, 16}, {64, 64, 16}};
constexpr const char* idea = "blocks, warps and threads each have a tile; copies and register loads run ahead of the products";

}  // namespace

const Kernel r7_hierarchical_f32{
    .name = "cuda.r7_hierarchical.f32",
    .rung = Rung::hierarchical,
    .in = Type::f32, .out = Type::f32, .sum = Type::f32,
    .scheme = &plain_f32,
    .needs = feature::sm80,
    .tiles = tiles,
    .fuses_epilogue = true,
    .idea = idea,
    .takes = fits_ints,
    .sum_bound = sequential_sum_bound<float>,
    .nanoseconds = nanoseconds,
    .scratch_bytes = nullptr,
    .run = run,
    .order = sequential_order,
};

}  // namespace tw::cuda
