// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// r10_split in slabs of k (Options::slabs): a tile takes all its slabs one after the other, and adds their sums in the
// tree on the way. Each slab is scaled and cut as if it were alone, so its bits are r10's own. Sums that wait for the
// other half of a node wait in the L2, in memory of the consumer's own, as the threads hold them:
//
//    slab           0       1       2       3        4       5       6       7               8 slabs
//    + the waiting                          1                                2, then 1, 0
//    put to         0               1                1               2
//    added to               0               0                1
//
// What waits is on its way while the slab's sums are checked, and sums are put away, or added to what waits by the L2
// itself, while the next slab's first products run. Slab by slab C and matrices of sums went through the device's
// memory 15 times for 8 slabs, and each slab ended with a wave of its own.
#include "backend/cuda/device/entry.hpp"
#include "backend/cuda/device/launch.hpp"
#include "backend/cuda/split/product.cuh"
#include "backend/cuda/split/slabs.cuh"
#include "backend/cuda/split/slabs.hpp"

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

    constexpr int left = producer_registers<parts>;
    const int group = __shfl_sync(~0u, static_cast<int>(threadIdx.x) / 128, 0),
              thread = static_cast<int>(threadIdx.x) % 128;
    if (group == 0) {
        ptx::give_registers<left>();
        feed<P, parts>(pipe, a, b, late, raster, slabs.count * steps, thread);
    } else {
        ptx::take_registers<(504 - left) / 2>();
        using Places = Staging<P::BN>;
        const int consumer = group - 1, rank = P::rank(), clusters = static_cast<int>(gridDim.x) / P::CLUSTER;
        const std::uint32_t buffers = pipe.base + P::staging + consumer * Places::boxes;
        const std::uint32_t columns = pipe.base + P::staging + 2 * Places::boxes + consumer * Places::of_columns;
        float accumulator[P::BN / 2], sums[P::BN / 2];
        Notes<P::BN> notes;
        Turn<P::STAGES> turn;
        Left still{};
        bool exact = true;
        for (int tile = static_cast<int>(blockIdx.x) / P::CLUSTER; tile < raster.count(); tile += clusters) {
            int row, col;
            raster.place(tile, row, col);
            const int first_row = (row * P::CLUSTER + rank) * P::BM + consumer * 64, first_col = col * P::BN;
            for (int slab = 0; slab < slabs.count; ++slab) {
                const auto put_away = [&] {
                    if (slab == 0) return;
                    const int own = computed_here(thread), place = __popc((slab - 1) & slab);
                    const Waiting<P::BN> waiting(slabs, consumer, own);
                    if (still.powers) take_all_back<P::BN, parts>(sums, notes, columns, own);
                    if (still.adds) waiting.add(sums, place);
                    else waiting.put(sums, place);
                };
                sum_stages<P, parts>(
                    accumulator, sums, pipe, turn, steps, period, consumer, thread,
                    [&] { notes.fetch(slabs.of(slab, out), first_row, first_col, thread); }, put_away);
                const bool is_last = slab + 1 == slabs.count;
                if (is_last && tile + clusters >= raster.count()) P::arrive_all();
                const int own = computed_here(thread);
                still = end_slab<P::BN, parts>(sums, accumulator, exact, notes, slabs.of(slab, out),
                                               Waiting<P::BN>(slabs, consumer, own), slab, slabs, buffers, columns,
                                               first_row, first_col, consumer, own);
                if (is_last)
                    store_sums<P::BN>(sums, out, first_row + FragmentPlace(own).row,
                                      first_col + FragmentPlace(own).col);
            }
        }
    }
    P::wait_for_all();
}

template <int BN, int STAGES, int CLUSTER>
using Shape = Pipeline<128, BN, STAGES, CLUSTER, 2 * Staging<BN>::of_consumer>;
using Even = Shape<176, 5, 2>;
using Square = Shape<128, 6, 1>;
constexpr Parts parts = Parts::fp16x3;

constexpr int levels_of(int slabs) { return slabs > 1 ? 1 + levels_of(slabs / 2) : 0; }

/// Behind what a split product keeps: a matrix for each level, and one more, of each consumer.
std::size_t bytes_of_sums(int slabs) {
    return std::size_t{16} * static_cast<std::size_t>(multiprocessors() * 2 * (levels_of(slabs) + 1)) *
           Waiting<Even::BN>::matrix;
}

template <class P>
Status start(const Call& call, int count) {
    SplitProduct<P, parts> product(call, count);
    if (const Status bad = product.begin(call.stream); !bad) return bad;
    const Splitting &a = product.late.a, &b = product.late.b;
    const Slabs slabs{count,        levels_of(count),
                      a.next_rows,  b.next_rows,
                      a.next_notes, reinterpret_cast<float4*>(call.scratch.data() + product.own.bytes)};
    return launch(split_slabs<P, parts>, product.how(), call.stream, product.a_map, product.b_map, product.out,
                  product.late, slabs, product.raster, product.steps, product.period);
}

Status run(const Kernel&, const Call& call, int slabs) {
    const int columns = sm90::quickest({{Even::BN, 2, 0.99}, {Square::BN, 1, 0.93}}, sm90::sizes_of(call));
    return columns == Even::BN ? start<Even>(call, slabs) : start<Square>(call, slabs);
}

/// Slabs of one length: their steps, and what is promoted, are alike then.
bool takes(const Kernel& kernel, const Problem& p, int slabs) {
    return kernel.order == split_order + static_cast<int>(parts) && p.k % slabs == 0;
}

std::size_t scratch_bytes(const Kernel&, const Problem& p, int slabs) {
    return SplitScratch(parts, nullptr, p.m, p.n, p.k, slabs).bytes + bytes_of_sums(slabs);
}

constexpr SlabProducts door{takes, scratch_bytes, run};

}  // namespace
}  // namespace tw::cuda

extern "C" TW_API const tw::SlabProducts* tilewright_cuda_slabs(unsigned long long stamp) noexcept {
    return stamp == tw::cuda::contract_stamp ? &tw::cuda::door : nullptr;
}
