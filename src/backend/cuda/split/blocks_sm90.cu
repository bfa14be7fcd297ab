// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Splitting both operands where k is short and not contiguous in one of them, as in a row-major B, in one launch. A
// block has 16 rows and 512 of k in its registers; as many blocks as k has parts of that are a cluster and tell each
// other what they found:
//
//    16 rows   | block 0: 512 of k | block 1: 512 of k |      largest, classes, losses: in each block's shared memory,
//                                                             read by the others
//
// Each element is read once and each part written once. A thread has eight neighbours of k at a time: their parts are
// 16 bytes each. Long rows go by columns_sm90.cu: 64 bytes at a time are few (2048 of k in tf32: 63 us there, 74 here).
#include "backend/cuda/device/launch.hpp"
#include "backend/cuda/operands/product.cuh"
#include "backend/cuda/ptx/cluster_memory.cuh"
#include "backend/cuda/ptx/team.cuh"
#include "backend/cuda/split/kernels.hpp"
#include "backend/cuda/split/notes.cuh"

namespace tw::cuda {
namespace {

constexpr int rows_of_block = 16, of_row = 16, threads = rows_of_block * of_row, eights = 4;
constexpr int depth_of_block = of_row * eights * 8;

/// One operand's part of the launch: so many clusters.
struct Share {
    Splitting one;
    unsigned clusters;
    bool along, by_4;  ///< k is contiguous, and can be read 16 bytes at a time
};

/// What a cluster finds out about its rows.
struct Found {
    unsigned largest[rows_of_block], classes[rows_of_block], units[rows_of_block];
};

/// f(x, y) folded over the ranks of the cluster.
template <class F>
__device__ unsigned of_all_ranks(const unsigned* here, unsigned ranks, const F& f) {
    std::uint32_t all[1], one[1];
    ptx::read_in(ptx::shared_address(here), 0, all);
#pragma unroll 1
    for (unsigned rank = 1; rank < ranks; ++rank) {
        ptx::read_in(ptx::shared_address(here), static_cast<int>(rank), one);
        all[0] = f(all[0], one[0]);
    }
    return all[0];
}

/// The same over the threads of a warp that have the same row.
template <class F>
__device__ unsigned of_row_in_warp(unsigned x, bool along, const F& f) {
    if (!along) return f(x, __shfl_xor_sync(~0u, x, 16));
#pragma unroll
    for (int distance = 8; distance > 0; distance /= 2) x = f(x, __shfl_xor_sync(~0u, x, distance));
    return x;
}

/// A thread's part of its row: what lies outside is 0.
struct Eights {
    const float* row;
    std::int64_t step;
    int end;  ///< 0 where there is no row
    bool by_4;
    float x[eights][8];

    __device__ void read(int first) {
#pragma unroll
        for (int e = 0; e < eights; ++e) {
            const int k = first + e * (depth_of_block / eights);
            if (by_4) {
#pragma unroll
                for (int h = 0; h < 8; h += 4) {
                    const float4 four = k + h < end ? __ldcs(reinterpret_cast<const float4*>(row + k + h)) : float4{};
                    x[e][h] = four.x, x[e][h + 1] = four.y, x[e][h + 2] = four.z, x[e][h + 3] = four.w;
                }
            } else {
                const float* one = row + k * step;
#pragma unroll
                for (int i = 0; i < 8; ++i, one += step) x[e][i] = k + i < end ? __ldcs(one) : 0;
            }
        }
    }
    /// Of all eights' first halves, or of their second ones.
    __device__ unsigned largest_of(int half) const {
        unsigned largest = 0;
#pragma unroll
        for (int i = 0; i < 4 * eights; ++i) largest = max(largest, magnitude_bits(x[i / 4][4 * half + i % 4]));
        return largest;
    }
    /// Returns what is lost.
    template <Parts parts>
    __device__ unsigned store(std::uint16_t* to, int first, int padded, int lift, bool finite) const {
        constexpr PartsLayout layout = layout_of(parts);
        unsigned units = 0;
#pragma unroll
        for (int e = 0; e < eights; ++e) {
            const int k = first + e * (depth_of_block / eights);
            if (k >= padded) continue;
            uint2 low[layout.parts], high[layout.parts];
            cut<parts>({x[e][0], x[e][1], x[e][2], x[e][3]}, lift, finite, low);
            cut<parts>({x[e][4], x[e][5], x[e][6], x[e][7]}, lift, finite, high);
            std::uint16_t* const place = to + place_of_part<parts>(k);
#pragma unroll
            for (int p = 0; p < layout.parts; ++p)
                *reinterpret_cast<uint4*>(place + p * layout.depth) = {low[p].x, low[p].y, high[p].x, high[p].y};
            if (may_lose<parts>(__hmin2(least_of(low[0]), least_of(high[0]))))
                units += lost<parts>({x[e][0], x[e][1], x[e][2], x[e][3]}, lift) +
                         lost<parts>({x[e][4], x[e][5], x[e][6], x[e][7]}, lift);
        }
        return units;
    }
};

template <Parts parts>
__global__ void __launch_bounds__(threads, 2)
    split_blocks(Share a, Share b, std::int64_t width, unsigned ranks, unsigned* counters, int counted) {
    __shared__ Found found;
    const unsigned cluster = blockIdx.x / ranks, rank = blockIdx.x % ranks;
    const bool of_a = cluster < a.clusters;
    const auto mine = [&](const auto& of_one, const auto& of_other) { return of_a ? of_one : of_other; };
    const Tensor<const float>&rows_of_a = a.one.rows, &rows_of_b = b.one.rows;
    const bool along = mine(a.along, b.along);
    const int thread = static_cast<int>(threadIdx.x);
    // Neighbours in a warp: along k, or along the rows, whichever is contiguous.
    const int own = along ? thread / of_row : thread % rows_of_block,
              y = along ? thread % of_row : thread / rows_of_block;
    const std::int64_t first_row = (cluster - (of_a ? 0 : a.clusters)) * std::int64_t{rows_of_block},
                       rows = mine(rows_of_a.rows(), rows_of_b.rows()), row = first_row + own;
    Eights held{mine(rows_of_a.data, rows_of_b.data) +
                    row * mine(rows_of_a.layout.row_step, rows_of_b.layout.row_step) +
                    blockIdx.y * mine(a.one.next_rows, b.one.next_rows),
                mine(rows_of_a.layout.col_step, rows_of_b.layout.col_step),
                row < rows ? static_cast<int>(rows_of_a.cols()) : 0,
                mine(a.by_4, b.by_4),
                {}};
    if (thread < rows_of_block) found.largest[thread] = found.classes[thread] = found.units[thread] = 0;
    ptx::let_next_kernel_begin();
    __syncthreads();
    ptx::wait_for_kernel_before();
    for (unsigned i = blockIdx.x * threads + threadIdx.x; i < static_cast<unsigned>(counted); i += gridDim.x * threads)
        counters[i] = 0;
    const auto padded = static_cast<int>(width / layout_of(parts).parts),
               begin = static_cast<int>(rank) * depth_of_block + 8 * y;
    held.read(begin);
    const unsigned halves[2] = {held.largest_of(0), held.largest_of(1)};
    const auto greater = [](unsigned p, unsigned q) { return max(p, q); };
    const auto either = [](unsigned p, unsigned q) { return p | q; };
    const auto plus = [](unsigned p, unsigned q) { return p + q; };
    const bool speaks = along ? y == 0 : thread % 32 < rows_of_block;  // for those of its row in its warp
    unsigned largest = of_row_in_warp(max(halves[0], halves[1]), along, greater);
    if (speaks) atomicMax(found.largest + own, largest);
    ptx::sync_cluster();
    largest = of_all_ranks(found.largest + own, ranks, greater);
    const int lift = lifting_exponent(largest);
    if constexpr (parts == Parts::fp16x3) {
        unsigned classes = 0;
#pragma unroll
        for (int half = 0; half < 2; ++half)
            if (counts(__half2float(__float2half_rn(scaled(__uint_as_float(halves[half]), lift)))))
                classes |= 1u << (2 * y + half);
        classes = of_row_in_warp(classes, along, either);
        if (speaks) atomicOr(found.classes + own, classes);
    }
    const unsigned units = held.store<parts>(mine(a.one.to, b.one.to) + (row * gridDim.y + blockIdx.y) * width, begin,
                                             row < rows ? padded : 0, lift, is_finite(largest));
    if (__any_sync(~0u, units != 0)) {
        const unsigned of_row = of_row_in_warp(units, along, plus);
        if (speaks) atomicAdd(found.units + own, of_row);
    }
    ptx::sync_cluster();
    if (rank == 0 && thread < rows_of_block && first_row + thread < rows) {
        largest = of_all_ranks(found.largest + thread, ranks, greater);
        const unsigned classes = of_all_ranks(found.classes + thread, ranks, either);
        const unsigned all_units = of_all_ranks(found.units + thread, ranks, plus);
        mine(a.one.notes, b.one.notes)[first_row + thread + blockIdx.y * mine(a.one.next_notes, b.one.next_notes)] =
            with_losses(with_classes<parts>(note_of(largest), classes), all_units);
    }
    if (ranks > 1) ptx::sync_cluster();  // nobody leaves while others read
}

template <Parts parts>
Status start(const Share& a, const Share& b, int slabs, unsigned* counters, int counted, void* stream) {
    static_assert(longest_of_blocks <= 8 * depth_of_block, "a cluster has 8 blocks at most");
    const std::int64_t k = a.one.rows.layout.cols;
    const auto ranks = static_cast<unsigned>(tiles_over(k, depth_of_block));
    const Launch how{.blocks = (a.clusters + b.clusters) * ranks,
                     .threads = threads,
                     .cluster = ranks,
                     .products = static_cast<unsigned>(slabs),
                     .overlaps = true};
    return launch(split_blocks<parts>, how, stream, a, b, parts_pitch(parts, k), ranks, counters, counted);
}

}  // namespace

Status split_by_blocks(const Splitting& a, const Splitting& b, Parts parts, int slabs, unsigned* counters, int counted,
                       void* stream) noexcept {
    const auto share = [](const Splitting& one) {
        const bool along = one.rows.layout.col_step == 1;
        return Share{one, static_cast<unsigned>(tiles_over(one.rows.layout.rows, rows_of_block)), along,
                     along && one.rows.layout.cols % 4 == 0 && starts_at_16(one.rows)};
    };
    const Share of_a = share(a), of_b = share(b);
    switch (parts) {
        case Parts::fp16x1: return start<Parts::fp16x1>(of_a, of_b, slabs, counters, counted, stream);
        case Parts::fp16x3: return start<Parts::fp16x3>(of_a, of_b, slabs, counters, counted, stream);
        case Parts::bf16x6: return start<Parts::bf16x6>(of_a, of_b, slabs, counters, counted, stream);
    }
    return {};
}

}  // namespace tw::cuda
