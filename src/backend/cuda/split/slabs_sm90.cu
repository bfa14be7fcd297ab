// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// r10_split in slabs of k (Options::slabs): a tile takes all its slabs one after the other, and adds their sums in the
// tree on the way. Each slab is scaled and cut as if it were alone, so its bits are r10's own. Sums that wait for the
// other half of a node wait in the L2, in memory of the consumer's own, as the threads hold them:
//
//    slab           0       1          2       3                4 slabs, levels 0 and 1
//    + the waiting          p0                 p0, then p1
//    = goes to      p0      p1         p0      C
//
// While one consumer reads and writes them the other multiplies. Slab by slab C and matrices of sums went through the
// device's memory 15 times for 8 slabs, and each slab ended with a wave of its own.
#include "backend/cuda/device/device.hpp"
#include "backend/cuda/device/entry.hpp"
#include "backend/cuda/device/launch.hpp"
#include "backend/cuda/device/tensor_map.hpp"
#include "backend/cuda/operands/product.cuh"
#include "backend/cuda/split/slabs.cuh"
#include "backend/cuda/split/slabs.hpp"
#include "backend/cuda/split/split.hpp"
#include "backend/cuda/tiles/heuristics_sm90.hpp"

namespace tw::cuda {
namespace {

template <class P, Parts parts>
__global__ void __launch_bounds__(P::threads, 1)
    split_slabs(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, ScaledOutput out,
                LateRows late, Slabs slabs, Raster raster, int steps, int period) {
    extern __shared__ char memory[];
    const P pipe(memory);
    pipe.init(a, b);
    ptx::let_next_kernel_begin();
    ptx::wait_for_kernel_before();

    constexpr int left = 40;  // of 504 registers, for late rows
    const int group = __shfl_sync(~0u, static_cast<int>(threadIdx.x) / 128, 0),
              thread = static_cast<int>(threadIdx.x) % 128;
    if (group == 0) {
        ptx::give_registers<left>();
        if (thread == 0) {
            const int a_rows = static_cast<int>(out.c.rows()), b_rows = static_cast<int>(out.c.cols());
            produce_slabs<P>(pipe, a, b, raster, steps, slabs.count, a_rows, b_rows, [&](int row, int col) {
                wait_for_rows(late.a, late.a_done, late.a_first, row, P::BM);
                wait_for_rows(late.b, late.b_done, late.b_first, col, P::b_share);
            });
        } else if (thread >= 32) {
            split_late_slabs<parts>(late, slabs);
        }
        P::arrive_all();
    } else {
        ptx::take_registers<(504 - left) / 2>();
        using Places = Staging<P::BN>;
        const int consumer = group - 1, rank = P::rank(), clusters = static_cast<int>(gridDim.x) / P::CLUSTER;
        const std::uint32_t buffers = pipe.base + P::staging + consumer * Places::boxes;
        const std::uint32_t columns = pipe.base + P::staging + 2 * Places::boxes + consumer * Places::of_columns;
        float sums[P::BN / 2];
        Notes<P::BN> notes;
        Turn<P::STAGES> turn;
        for (int tile = static_cast<int>(blockIdx.x) / P::CLUSTER; tile < raster.count(); tile += clusters) {
            int row, col;
            raster.place(tile, row, col);
            const int first_row = (row * P::CLUSTER + rank) * P::BM + consumer * 64, first_col = col * P::BN;
            for (int slab = 0; slab < slabs.count; ++slab) {
                sum_slab<P, parts>(sums, pipe, turn, steps, period, consumer, thread,
                                   [&] { notes.fetch(slabs.of(slab, out), first_row, first_col, thread); });
                const bool is_last = slab + 1 == slabs.count;
                if (is_last && tile + clusters >= raster.count()) P::arrive_all();
                const int own = computed_here(thread);
                const Waiting<P::BN> waiting(slabs, consumer, own);
                settle<P::BN, parts>(sums, notes, slabs.of(slab, out), waiting, slabs.levels, buffers, columns,
                                     first_row, first_col, consumer, own);
                int level = 0;
#pragma unroll 1
                for (int others = slab; others & 1; others >>= 1, ++level)
                    waiting.each(sums, level, [](float& x, float sum) { x = __fadd_rn(x, sum); });
                if (is_last)
                    store_sums<P::BN>(sums, out, first_row + FragmentPlace(own).row,
                                      first_col + FragmentPlace(own).col);
                else waiting.put(sums, level);
            }
        }
    }
    P::wait_for_all();
}

using Wide = Pipeline<128, 192, 5, 2, 2 * Staging<192>::of_consumer>;
constexpr Parts parts = Parts::fp16x3;

/// As SplitScratch has it, for all slabs: their parts below one another, and their notes. Tallies serve one slab after
/// the other.
struct SlabScratch {
    std::uint16_t *a_parts, *b_parts;
    int* notes;
    unsigned *counters, *a_tallies, *b_tallies;
    float4* sums;
    std::size_t bytes = 0;

    SlabScratch(std::byte* first, std::int64_t m, std::int64_t n, std::int64_t k, int slabs, int levels) noexcept {
        const std::int64_t length = k / slabs, pitch = parts_pitch(parts, length);
        const auto take = [&]<class T>(T*& place, std::int64_t count) {
            place = first ? reinterpret_cast<T*>(first + bytes) : nullptr;
            bytes += (static_cast<std::size_t>(count) * sizeof(T) + 127) / 128 * 128;
        };
        take(a_parts, slabs * m * pitch);
        take(b_parts, slabs * n * pitch);
        take(notes, slabs * (m + n));
        take(counters, static_cast<std::int64_t>(LateRows::counters(m, n)));
        take(a_tallies, tallies_of(m, length));
        take(b_tallies, tallies_of(n, length));
        take(sums, std::int64_t{multiprocessors()} * 2 * (levels + 1) * Waiting<Wide::BN>::matrix);
    }
};

constexpr int levels_of(int slabs) { return slabs > 1 ? 1 + levels_of(slabs / 2) : 0; }

/// The rows that come first, of each slab.
Status split_first_of_each(const LateRows& late, const Slabs& slabs, void* stream) {
    for (int slab = 0; slab < slabs.count; ++slab) {
        LateRows one = late;
        one.a = slabs.of(slab, late.a, true), one.b = slabs.of(slab, late.b, false);
        if (const Status bad = split_first(one, parts, stream); !bad) return bad;
    }
    return {};
}

Status run(const Kernel&, const Call& call, int count) {
    using P = Wide;
    const std::int64_t m = call.m(), n = call.n(), length = call.k() / count, pitch = parts_pitch(parts, length);
    const int levels = levels_of(count);
    const SlabScratch own(call.scratch.data(), m, n, call.k(), count, levels);
    auto a_rows = tensor_of<const float>(call.a), b_rows = tensor_of<const float>(call.b.transposed());
    a_rows.layout.cols = b_rows.layout.cols = length;
    const Slabs slabs{
        count, levels,  length * a_rows.layout.col_step, length * b_rows.layout.col_step, m * pitch, n * pitch,
        m + n, own.sums};
    const Raster raster{static_cast<int>(tiles_over(m, P::BM * P::CLUSTER)), static_cast<int>(tiles_over(n, P::BN)), 8};
    const int fit = multiprocessors() / P::CLUSTER, clusters = raster.count() < fit ? raster.count() : fit;
    LateRows late{{a_rows, own.a_parts, own.notes, own.a_tallies},
                  {b_rows, own.b_parts, own.notes + m, own.b_tallies},
                  static_cast<int>(m),
                  static_cast<int>(n),
                  own.counters,
                  own.counters + 1,
                  own.counters + 1 + tiles_over(m, LateRows::block)};
    int last_row, last_col;  // of the tiles that come first, all at once
    raster.place(clusters - 1, last_row, last_col);
    if (raster.count() > clusters && last_row < raster.group &&
        last_col < sm90::r10_first_columns(layout_of(parts).parts, call.k()))
        late.leave(std::int64_t{raster.group} * P::BM * P::CLUSTER, (last_col + 1) * std::int64_t{P::BN});
    if (const Status bad = split_first_of_each(late, slabs, call.stream); !bad) return bad;

    CUtensorMap a_map, b_map;
    const auto boxes = [&](const std::uint16_t* data, std::int64_t rows, int high) {
        return BoxedMatrix{data, Type::f16, pitch, rows, pitch * 2, P::row_elements, high};
    };
    if (const Status bad = describe(a_map, boxes(own.a_parts, count * m, P::BM)); !bad) return bad;
    if (const Status bad = describe(b_map, boxes(own.b_parts, count * n, P::b_share)); !bad) return bad;
    const ScaledOutput out{tensor_of<float>(call.c),          a_rows, b_rows, own.notes, own.notes + m,
                           {own.a_parts, own.b_parts, pitch}, 1,      0,      fused({}), false};
    const int depth = layout_of(parts).depth, steps = static_cast<int>(tiles_over(length, depth));
    return launch(split_slabs<P, parts>,
                  {.blocks = static_cast<unsigned>(clusters * P::CLUSTER),
                   .threads = P::threads,
                   .shared = P::shared,
                   .cluster = P::CLUSTER,
                   .overlaps = true},
                  call.stream, a_map, b_map, out, late, slabs, raster, steps, (length <= 2048 ? 64 : 128) / depth);
}

/// Slabs of one length: their steps, and what is promoted, are alike then. Few tiles are done sooner slab by slab, in
/// smaller ones (512 x 512 x 16384 in 0.84 of the time).
bool takes(const Kernel& kernel, const Problem& p, int slabs) {
    const std::int64_t clusters = tiles_over(p.m, Wide::BM * Wide::CLUSTER) * tiles_over(p.n, Wide::BN);
    return 4 * clusters >= multiprocessors() && kernel.order == split_order + static_cast<int>(parts) &&
           p.k % slabs == 0 && std::max(p.m, p.n) * slabs < INT32_MAX;
}

std::size_t scratch_bytes(const Kernel&, const Problem& p, int slabs) {
    return SlabScratch(nullptr, p.m, p.n, p.k, slabs, levels_of(slabs)).bytes;
}

constexpr SlabProducts door{takes, scratch_bytes, run};

}  // namespace
}  // namespace tw::cuda

extern "C" TW_API const tw::SlabProducts* tilewright_cuda_slabs(unsigned long long stamp) noexcept {
    return stamp == tw::cuda::contract_stamp ? &tw::cuda::door : nullptr;
}
