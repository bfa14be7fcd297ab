// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// r9's tf32 where an operand lies across k, so that TMA brings lines of k; read once, never copied. Its words go
// through registers to the unit's side of 64; the other operand lies along k.
//
//    32 of k, as TMA lays them                      a lane's words of 8 of k: lines t and t + 4 (t = lane % 4)
//   +--------+--------+--------+--------+           of rows 16 (g / 4) + g % 4 + 4 j (g = lane / 4) of one box,
//   | 32 x 32 of the first operand, a box each |    where eight rows and four lines are 32 banks of shared memory
//   +--------+--------+--------+--------+
//
// Needs: sm_90a. 2mnk flops; 128 x WIDTH x 32 of them for (128 + WIDTH / 2) x 128 bytes from L2.
#include "backend/cuda/async/across.hpp"
#include "backend/cuda/async/across_sums.cuh"
#include "backend/cuda/async/by_majors.cuh"
#include "backend/cuda/async/feed.cuh"
#include "backend/cuda/device/launch.hpp"
#include "backend/cuda/device/tensor_map.hpp"
#include "backend/cuda/operands/copied_rows.hpp"
#include "backend/cuda/ptx/shared_store.cuh"
#include "backend/cuda/ptx/wgmma_registers.cuh"

namespace tw::cuda {
namespace {

constexpr int box_bytes = 32 * 128;

template <int WIDTH_>
struct AcrossShape {
    static constexpr int WIDTH = WIDTH_, consumers = 2, threads = 384;
    using Ring = Pipeline<128, WIDTH, sm90::r9_stages(128 + WIDTH, 0, 1), 2>;
};

/// Where a lane's words stand in a stage: of its two rows, and of two lines of each 8 of k.
struct Words {
    std::uint32_t at[2][2];
    int first_row;  ///< of the warp's, which are 4 and 4 again, 16 further on

    __device__ Words(int consumer, int thread) {
        const int lane = thread % 32, warp = thread / 32, g = lane / 4, t = lane % 4;
        const int box = 2 * consumer + warp / 2, chunk = 4 * (g / 4) + 2 * (warp % 2);
        first_row = box * 32 + warp % 2 * 8;
#pragma unroll
        for (int i = 0; i < 2; ++i)
#pragma unroll
            for (int half = 0; half < 2; ++half) {
                const int line = t + 4 * half;
                at[i][half] =
                    static_cast<std::uint32_t>(box * box_bytes + line * 128 + (((chunk + i) ^ line) << 4) + g % 4 * 4);
            }
    }
    __device__ void load(std::uint32_t (&words)[4][4], std::uint32_t stage) const {
#pragma unroll
        for (int q = 0; q < 4; ++q)
#pragma unroll
            for (int x = 0; x < 4; ++x) words[q][x] = ptx::load_word(stage + at[x % 2][x / 2] + q * 1024);
    }
};

/// By every thread. `lanes`: those of a block that give a stage back.
template <class P, int lanes>
__device__ void begin(const P& pipe, const CUtensorMap& a, const CUtensorMap& b) {
    if (threadIdx.x == 0) {
        ptx::prefetch_map(a), ptx::prefetch_map(b);
        for (int s = 0; s < P::STAGES; ++s) {
            ptx::init_barrier(pipe.full(s), 1);
            ptx::init_barrier(pipe.empty(s), lanes * P::CLUSTER);
        }
        ptx::publish_barriers();
    }
    P::arrive_all(), P::wait_for_all();
}

template <class S>
__global__ void __launch_bounds__(S::threads, 1)
    across_tiles(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, Elements c,
                 Raster raster, int steps) {
    extern __shared__ char memory[];
    using P = typename S::Ring;
    constexpr int lanes = 4 * S::consumers;  // that give a stage back, one of each warp
    const P pipe(memory);
    begin<P, lanes>(pipe, a, b);
    const int group = __shfl_sync(~0u, static_cast<int>(threadIdx.x) / 128, 0),
              thread = static_cast<int>(threadIdx.x) % 128;
    const int first = static_cast<int>(blockIdx.x) / P::CLUSTER, clusters = static_cast<int>(gridDim.x) / P::CLUSTER;
    ptx::let_next_kernel_begin();
    ptx::wait_for_kernel_before();

    Turn<P::STAGES> turn;
    int row, col;
    if (group == S::consumers) {
        ptx::give_registers<P::producer_registers>();
        for (int tile = first; thread == 0 && tile < raster.count(); tile += clusters) {
            raster.place(tile, row, col);
            const int first_row = (row * P::CLUSTER + P::rank()) * P::BM,
                      first_col = col * S::WIDTH + P::rank() * P::b_share;
            for (int step = 0; step < steps; ++step, turn.next()) {
                const std::uint32_t full = pipe.full(turn.stage);
                ptx::wait_barrier(pipe.empty(turn.stage), turn.parity ^ 1);
                ptx::expect_bytes(full, P::stage_bytes);
#pragma unroll
                for (int box = 0; box < P::BM / 32; ++box)
                    ptx::load_box(pipe.a_tile(turn.stage) + box * box_bytes, a, full, first_row + box * 32, step * 32);
                ptx::load_box_to_all(pipe.b_tile(turn.stage) + P::rank() * P::b_share * 128, b, full,
                                     static_cast<std::uint16_t>(3), step * 32, first_col);
            }
        }
    } else {
        ptx::take_registers<P::consumer_registers>();
        using Unit = ptx::UnitOfRegisters<S::WIDTH, float>;
        const Words words(group, thread);
        float sums[S::WIDTH / 2];
        std::uint32_t even[4][4], odd[4][4];
        const auto release = [&](int stage) {
            if (thread % 32 < P::CLUSTER) ptx::arrive_at(pipe.empty(stage), thread % 32);
        };
        for (int tile = first; tile < raster.count(); tile += clusters) {
            int before = 0;
            raster.place(tile, row, col);
            bring_old_closer<S::WIDTH>(c, (row * P::CLUSTER + P::rank()) * P::BM + group * 64, col * S::WIDTH, thread);
#pragma unroll
            for (float& sum : sums) sum = 0;  // dead stores: they end the live range of the sums before
            const auto step = [&](std::uint32_t(&of)[4][4], bool keep) {
                ptx::wait_barrier(pipe.full(turn.stage), turn.parity);
                words.load(of, pipe.a_tile(turn.stage));
                const std::uint64_t bt = ptx::tile_descriptor(pipe.b_tile(turn.stage));
                ptx::pin(sums);
                ptx::fence_products();
#pragma unroll
                for (int q = 0; q < 4; ++q) Unit::add(sums, of[q], bt + q * (32 >> 4), keep || q > 0);
                ptx::commit_products();
                if (keep) {
                    ptx::wait_for_products<1>();
                    release(before);
                }
                before = turn.stage;
                turn.next();
            };
            for (int i = 0; i < steps; i += 2) {
                step(even, i > 0);
                if (i + 1 < steps) step(odd, true);
            }
            ptx::wait_for_products<0>();
            ptx::pin(sums);
            if (steps > 0) release(before);
            raster.place(tile, row, col);
            store<S::WIDTH>(sums, c, (row * P::CLUSTER + P::rank()) * P::BM + words.first_row, col * S::WIDTH,
                            thread % 32);
        }
    }
    P::arrive_all(), P::wait_for_all();
}

/// The call with the operand that lies across k as A: its lines of k, and the other operand's rows along k.
template <class S>
Status start(const Call& call, const Matrix& lines, const Matrix& rows, bool bias_down) {
    using P = typename S::Ring;
    const std::int64_t m = call.m(), n = call.n(), k = call.k();
    CUtensorMap of_a, of_b;
    const auto map = [](CUtensorMap& to, const Matrix& of, int box) {
        return describe(to, {.data = of.data,
                             .type = Type::f32,
                             .inner = of.cols,
                             .outer = of.rows,
                             .row_bytes = of.row_step * 4,
                             .box_inner = 32,
                             .box_outer = box,
                             .rounds_to_tf32 = true});
    };
    if (const Status bad = map(of_a, lines, 32); !bad) return bad;
    if (const Status bad = map(of_b, rows, P::b_share); !bad) return bad;
    const Elements c{.data = static_cast<float*>(call.c.data),
                     .row_step = call.c.row_step,
                     .col_step = call.c.col_step,
                     .rows = static_cast<int>(m),
                     .cols = static_cast<int>(n),
                     .alpha = static_cast<float>(call.alpha),
                     .beta = static_cast<float>(call.beta),
                     .fused = fused(call.epilogue),
                     .bias_down = bias_down,
                     .first = tensor_of<const float>(call.a),
                     .second = tensor_of<const float>(call.b.transposed())};
    const Raster raster{static_cast<int>(tiles_over(m, 256)), static_cast<int>(tiles_over(n, S::WIDTH)), 8};
    const int fit = multiprocessors() / P::CLUSTER, clusters = raster.count() < fit ? raster.count() : fit;
    return launch(across_tiles<S>,
                  {.blocks = static_cast<unsigned>(clusters * P::CLUSTER),
                   .threads = S::threads,
                   .shared = P::shared,
                   .cluster = P::CLUSTER,
                   .overlaps = true},
                  call.stream, of_a, of_b, c, raster, static_cast<int>(tiles_over(k, 32)));
}

/// Turns what lies across k, and copies what begins elsewhere than at 16 bytes.
Status bring(Matrix& rows, std::span<std::byte>& scratch, void* stream) {
    if (rows.row_step == 1) return turn(rows, scratch, stream);
    const CopiedRows copy{.from = rows, .to = scratch.data(), .pitch = (rows.cols + 3) / 4 * 4};
    rows.data = copy.to, rows.row_step = copy.pitch;
    return copy_rows({&copy, 1}, stream);
}

}  // namespace

Status run_across(const Call& given, bool bias_down, const Tile& asked) {
    const bool turns = first_across(given) == sm90::FirstAcross::b;
    const Call call = turns ? across(given) : given;
    const Matrix lines = call.a.transposed();
    Matrix rows = call.b.transposed();
    std::span<std::byte> scratch = call.scratch;
    if (!is_aligned(rows, rows.data))
        if (const Status bad = bring(rows, scratch, call.stream); !bad) return bad;
    const int width = sm90::across_widths.has(asked.n) ? asked.n : sm90::across_width(sm90::sizes_of(call));
    return by_width<sm90::across_widths>(width, [&](auto of) -> Status {
        return start<AcrossShape<decltype(of)::value>>(call, lines, rows, bias_down != turns);
    });
}

}  // namespace tw::cuda
