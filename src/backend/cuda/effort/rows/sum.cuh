// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Adds the sums of buckets and tiers to y, in an order that does not depend on which block adds: over a block's warps,
// over groups of a tile's blocks, over the groups. Blocks pass their sums through global memory, in mailboxes if there
// are enough: each word says whether it has arrived, so nothing else needs to be waited for. The last blocks of a tile
// add up a slice of it each.
//
//   blocks of a tile   0 1 2 .. 30 31     slice 0: by block 30    0 + 2 + 4 ..   1 + 3 + 5 ..  ->  y
//                                         slice 1: by block 31    0 + 2 + 4 ..   1 + 3 + 5 ..  ->  y
//
// Blocks start in their order, so at most as many blocks as a tile has slices wait for one that has not started.
#pragma once

#include "backend/cuda/effort/effort.cuh"
#include "backend/cuda/ptx/flag.cuh"
#include "backend/cuda/ptx/keep.cuh"

namespace tw::cuda::effort::row_kernels {

constexpr int outputs = on_device::Rows::outputs;

__device__ inline void add(float4& sum, const float4& x) {
    sum.x = __fadd_rn(sum.x, x.x), sum.y = __fadd_rn(sum.y, x.y), sum.z = __fadd_rn(sum.z, x.z),
    sum.w = __fadd_rn(sum.w, x.w);
}

/// A block's part of a product: a chunk of a tile's inputs. Blocks are assigned to tiles by whole clusters, so that a
/// multiprocessor has one block of each product.
struct Part {
    BlockPlace at;
    int chunks, first_block;  ///< of the tile
    int begin, end;           ///< inputs

    __device__ Part(const Params& w, int ranks) : at(0, 1) {
        const int block = static_cast<int>(blockIdx.x), clusters = w.blocks / ranks, tiles = w.m.tiles;
        at.product = block / w.blocks;
        const int of_product = block - at.product * w.blocks;
        at.tile = ((of_product / ranks + 1) * tiles - 1) / clusters;
        const int first = at.tile * clusters / tiles * ranks;
        at.chunk = of_product - first, chunks = (at.tile + 1) * clusters / tiles * ranks - first,
        first_block = at.product * w.blocks + first;
        const int share = (w.m.inputs + chunks - 1) / chunks;
        begin = min(w.m.inputs, at.chunk * share), end = min(w.m.inputs, begin + share);
    }
};

/// Word 32 x + l of a tile's sums belongs to lane l; x counts its columns and, for each, the positions.
template <int threads, int buckets_of_lane>
class TileSum {
public:
    __device__ TileSum(const Params& w, const Part& part) : w_(w), at_(part.at), chunks_(part.chunks) {
        while ((at_once * threads * 4 << shift_) < (chunks_ - 1) * outputs && shift_ < 4) ++shift_;
        words_ = (w.mailboxes ? reinterpret_cast<std::uint32_t*>(w.mailboxes)
                              : reinterpret_cast<std::uint32_t*>(w.partial)) +
                 std::int64_t{part.first_block} * outputs;
    }

    /// Called by all threads once all warps have added their rows. `buffer`: 8448 free bytes. pair_of(n): the block's
    /// sums of words 2 n and 2 n + 1.
    template <class PairOf>
    __device__ void finish(float* buffer, double factor, bool& is_last, const PairOf& pair_of) const {
        for (int pair = static_cast<int>(threadIdx.x); pair < outputs / 2; pair += threads) {
            const float2 sum = pair_of(pair);
            ptx::send_words(words_ + at_.chunk * outputs + 2 * pair, word_of(sum.x), word_of(sum.y));
        }
        int slice = at_.chunk - (chunks_ - (1 << shift_)), end = slice + (slice >= 0);
        if (!w_.mailboxes) {
            __syncthreads();
            const auto others = static_cast<unsigned>(chunks_ - 1);
            if (threadIdx.x == 0)
                is_last = others == 0 ||
                          ptx::count_around(w_.arrived + at_.product * w_.m.tiles + at_.tile, others) == others;
            __syncthreads();
            slice = 0, end = is_last ? 1 << shift_ : 0;
        }
#pragma unroll 1
        for (; slice < end; ++slice) add_up(slice, buffer, factor);
    }

private:
    static constexpr int at_once = 4;
    static_assert(threads % 256 == 0);

    /// No sum has all bits set, so a word is never zero.
    __device__ static std::uint32_t word_of(float x) { return ~__float_as_uint(x); }
    __device__ static float number_in(std::uint32_t word) { return __uint_as_float(~word); }

    /// Threads form groups, and group g adds every chunk whose number is g modulo the number of groups.
    __device__ void add_up(int slice, float* buffer, double factor) const {
        int thread = static_cast<int>(threadIdx.x);
        ptx::keep(thread);  // computed again for each slice: keeping it would take too many registers
        const int quads = outputs / 4 >> shift_, groups = threads / (outputs / 4) << shift_;
        const int group = thread >> (8 - shift_), quad = thread & (quads - 1);
        std::uint32_t* words = words_ + slice * 4 * quads + 4 * quad;
        float4 sum = {0, 0, 0, 0};
#pragma unroll 1
        for (int chunk = group; chunk < chunks_; chunk += at_once * groups) {
            uint4 four[at_once];
            for (bool are_here = false; !are_here;) {
                are_here = true;
#pragma unroll
                for (int x = 0; x < at_once; ++x) {
                    if (chunk + x * groups >= chunks_) continue;
                    four[x] = ptx::look_for_words(words + (chunk + x * groups) * outputs);
                    are_here &= four[x].x != 0 && four[x].y != 0 && four[x].z != 0 && four[x].w != 0;
                }
            }
#pragma unroll
            for (int x = 0; x < at_once; ++x) {
                if (chunk + x * groups >= chunks_) continue;
                add(sum, {number_in(four[x].x), number_in(four[x].y), number_in(four[x].z), number_in(four[x].w)});
                *reinterpret_cast<uint4*>(words + (chunk + x * groups) * outputs) = {0, 0, 0, 0};
            }
        }
        const int shift_of_lane = 5 - shift_, of_lane = 1 << shift_of_lane, of_group = 33 * of_lane;
        __syncthreads();
        float* to = buffer + group * of_group + 33 * (quad / 8) + 4 * quad % 32;
        to[0] = sum.x, to[1] = sum.y, to[2] = sum.z, to[3] = sum.w;
        __syncthreads();
        float* y = w_.y + at_.product * w_.y_step;
#pragma unroll 1
        for (int o = thread; o < 4 * quads; o += threads) {
            const int lane = o >> shift_of_lane, word = o & (of_lane - 1), x = slice * of_lane + word;
            const int output =
                at_.tile * outputs + 32 * lane + x % buckets_of_lane * (32 / buckets_of_lane) + x / buckets_of_lane;
            float all = 0;
#pragma unroll 1
            for (int g = 0; g < groups; ++g) all = __fadd_rn(all, buffer[g * of_group + 33 * word + lane]);
            if (output < w_.m.outputs) y[output] = static_cast<float>(static_cast<double>(all) * factor);
        }
        __syncthreads();
    }

    const Params& w_;
    const BlockPlace& at_;
    int chunks_, shift_ = 0;  ///< there are 2^shift_ slices
    std::uint32_t* words_;
};

}  // namespace tw::cuda::effort::row_kernels
