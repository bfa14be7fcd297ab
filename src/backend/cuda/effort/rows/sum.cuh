// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// How the sums of buckets' and tiers' warps become y, in one order whoever adds them up: of a block's warps, of every
// so many blocks of a tile, of those. What a block has of a tile goes through the device's memory, as letters where
// there is room: words of which each tells whether it has come, so that nothing else is waited for. The last blocks of
// a tile add up a slice of it each.
//
//   blocks of a tile   0 1 2 .. 30 31     slice 0: by block 30    0 + 2 + 4 ..   1 + 3 + 5 ..  ->  y
//                                         slice 1: by block 31    0 + 2 + 4 ..   1 + 3 + 5 ..  ->  y
//
// No more of a kernel's blocks wait for one that has not begun than a tile has slices, as blocks begin in their order.
#pragma once

#include "backend/cuda/effort/effort.cuh"
#include "backend/cuda/ptx/flag.cuh"
#include "backend/cuda/ptx/keep.cuh"

namespace tw::cuda::effort::of_rows {

constexpr int outputs = on_device::Rows::outputs;

__device__ inline void add(float4& sum, const float4& x) {
    sum.x = __fadd_rn(sum.x, x.x), sum.y = __fadd_rn(sum.y, x.y), sum.z = __fadd_rn(sum.z, x.z),
    sum.w = __fadd_rn(sum.w, x.w);
}

/// The part of a product that a block has: a chunk of a tile's inputs. All blocks are dealt out to the tiles, whole
/// clusters of them, so that a multiprocessor has one of each product.
struct Part {
    Place at;
    int chunks, first_block;  ///< of the tile
    int begin, end;           ///< inputs

    __device__ Part(const Work& w, int ranks) : at(0, 1) {
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

/// Word 32 x + l of a tile's sums is of lane l, and x of its columns and their positions in turn.
template <int threads, int buckets_of_lane>
class TileSum {
public:
    __device__ TileSum(const Work& w, const Part& part) : w_(w), at_(part.at), chunks_(part.chunks) {
        while ((at_once * threads * 4 << shift_) < (chunks_ - 1) * outputs && shift_ < 4) ++shift_;
        words_ =
            (w.letters ? reinterpret_cast<std::uint32_t*>(w.letters) : reinterpret_cast<std::uint32_t*>(w.partial)) +
            std::int64_t{part.first_block} * outputs;
    }

    /// By all threads, when all warps have added what they have. `room`: 8448 bytes that nobody needs. pair_of(n): the
    /// block's sums of words 2 n and 2 n + 1.
    template <class PairOf>
    __device__ void finish(float* room, double factor, bool& is_last, const PairOf& pair_of) const {
        for (int pair = static_cast<int>(threadIdx.x); pair < outputs / 2; pair += threads) {
            const float2 sum = pair_of(pair);
            ptx::send_words(words_ + at_.chunk * outputs + 2 * pair, word_of(sum.x), word_of(sum.y));
        }
        int slice = at_.chunk - (chunks_ - (1 << shift_)), end = slice + (slice >= 0);
        if (!w_.letters) {
            __syncthreads();
            const auto others = static_cast<unsigned>(chunks_ - 1);
            if (threadIdx.x == 0)
                is_last = others == 0 ||
                          ptx::count_around(w_.arrived + at_.product * w_.m.tiles + at_.tile, others) == others;
            __syncthreads();
            slice = 0, end = is_last ? 1 << shift_ : 0;
        }
#pragma unroll 1
        for (; slice < end; ++slice) add_up(slice, room, factor);
    }

private:
    static constexpr int at_once = 4;
    static_assert(threads % 256 == 0);

    /// A sum is never the number whose bits are all ones, so that its word is not zero.
    __device__ static std::uint32_t word_of(float x) { return ~__float_as_uint(x); }
    __device__ static float number_in(std::uint32_t word) { return __uint_as_float(~word); }

    /// By groups of threads, of which each has every so manieth of the chunks.
    __device__ void add_up(int slice, float* room, double factor) const {
        int thread = static_cast<int>(threadIdx.x);
        ptx::keep(thread);  // for all slices alike, what follows from it would take more registers than there are
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
        float* to = room + group * of_group + 33 * (quad / 8) + 4 * quad % 32;
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
            for (int g = 0; g < groups; ++g) all = __fadd_rn(all, room[g * of_group + 33 * word + lane]);
            if (output < w_.m.outputs) y[output] = static_cast<float>(static_cast<double>(all) * factor);
        }
        __syncthreads();
    }

    const Work& w_;
    const Place& at_;
    int chunks_, shift_ = 0;  ///< of slices there are 2 to this
    std::uint32_t* words_;
};

}  // namespace tw::cuda::effort::of_rows
