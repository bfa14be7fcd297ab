// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Results whose parts are not trusted (notes.cuh), summed anew by FMA from the operands themselves: one by one, each by
// a warp, where a tile has few of them; else the tile as a whole, through the shared memory in which results wait.
// Both sum alike, so that a result does not tell which others were summed with it: 16 of k from 0, one after the other,
// and the sums of 16 in their order.
#pragma once

#include "backend/cuda/epilogue/fused.cuh"
#include "backend/cuda/operands/product.cuh"
#include "backend/cuda/ptx/shared_load.cuh"
#include "backend/cuda/ptx/shared_store.cuh"
#include "backend/cuda/ptx/team.cuh"

namespace tw::cuda {

/// x, of which the compiler knows nothing before this place: what follows from it is not computed in front of the loop
/// over all tiles, whose registers are full.
__device__ inline int computed_here(int x) {
    asm volatile("" : "+r"(x));
    return x;
}
__device__ inline Tensor<const float> computed_here(Tensor<const float> x) {
    asm volatile("" : "+l"(x.data), "+l"(x.layout.row_step), "+l"(x.layout.col_step));
    return x;
}

/// So many rows of an operand, 16 of k at a time, on their way to shared memory by a consumer's 128 threads: neighbours
/// along k where that is contiguous, else along the rows.
template <int rows>
class AnewOperand {
    static constexpr int each = rows * 16 / 128, k_between = 128 / rows;
    const float* from_;
    std::int64_t between_, per_step_;
    int rows_left_, k_left_, row_, k_;
    bool along_k_;
    float x_[each];

public:
    __device__ AnewOperand(const Tensor<const float>& of, int first_row, int thread)
        : along_k_(of.layout.col_step == 1) {
        row_ = along_k_ ? thread / 16 : thread % rows, k_ = along_k_ ? thread % 16 : thread / rows;
        from_ = of.data + (first_row + row_) * of.layout.row_step + k_ * of.layout.col_step;
        between_ = along_k_ ? 8 * of.layout.row_step : k_between * of.layout.col_step,
        per_step_ = 16 * of.layout.col_step;
        rows_left_ = static_cast<int>(of.rows()) - first_row - row_, k_left_ = static_cast<int>(of.cols()) - k_;
    }
    /// What lies outside is 0.
    __device__ void fetch() {
#pragma unroll
        for (int i = 0; i < each; ++i)
            x_[i] = (along_k_ ? 8 * i < rows_left_ && 0 < k_left_ : 0 < rows_left_ && k_between * i < k_left_)
                        ? from_[i * between_]
                        : 0;
        from_ += per_step_, k_left_ -= 16;
    }
    /// place(row) of all rows, and `pitch` floats from one k to the next.
    template <class Place>
    __device__ void put(std::uint32_t to, int pitch, const Place& place) const {
#pragma unroll
        for (int i = 0; i < each; ++i) {
            const int row = along_k_ ? row_ + 8 * i : row_, k = along_k_ ? k_ : k_ + k_between * i;
            ptx::store_float(to + 4 * (k * pitch + place(row)), x_[i]);
        }
    }
};

/// By a consumer: adds to `sums`, those of `groups` groups of 8 columns, what `wanted` has a bit for.
template <int groups>
__device__ void sum_tile(float* sums, unsigned wanted, const Tensor<const float>& a, const Tensor<const float>& b,
                         std::uint32_t buffer, int first_row, int first_col, int consumer, int thread) {
    constexpr int pitch = 68, pairs = groups / 2;
    const std::uint32_t b_buffer = buffer + 4 * 16 * pitch;
    const FragmentPlace at(thread);
    AnewOperand<64> of_a(a, first_row, thread);
    AnewOperand<groups <= 4 ? 32 : 64> of_b(b, first_col, thread);
    const int steps = static_cast<int>((a.cols() + 15) / 16);
    of_a.fetch(), of_b.fetch();
#pragma unroll 1
    for (int step = 0; step < steps; ++step) {
        ptx::sync_named(consumer + 1, 128);
        of_a.put(buffer, pitch, [](int row) { return row; });
        // A thread's columns of two groups become neighbours.
        of_b.put(b_buffer, pitch, [](int col) { return col / 16 * 16 + col % 8 / 2 * 4 + col / 8 % 2 * 2 + col % 2; });
        ptx::sync_named(consumer + 1, 128);
        of_a.fetch(), of_b.fetch();
        float part[4 * groups];
#pragma unroll
        for (float& x : part) x = 0;
#pragma unroll 4
        for (int k = 0; k < 16; ++k) {
            const std::uint32_t a_at = buffer + 4 * (k * pitch + at.row),
                                b_at = b_buffer + 4 * (k * pitch + 2 * at.col);
            const float up = ptx::load_float(a_at), down = ptx::load_float(a_at + 32);
#pragma unroll
            for (int p = 0; p < pairs; ++p) {
                const float4 four = ptx::load_4(b_at + 64 * p);
                const float of_col[4] = {four.x, four.y, four.z, four.w};
#pragma unroll
                for (int x = 0; x < 4; ++x) {  // group 2p + x / 2, column x % 2 of its two
                    float* const to = part + 4 * (2 * p + x / 2) + x % 2;
                    to[0] = fmaf(up, of_col[x], to[0]), to[2] = fmaf(down, of_col[x], to[2]);
                }
            }
        }
#pragma unroll
        for (int i = 0; i < 4 * groups; ++i)
            if (wanted >> i & 1) sums[i] += part[i];
    }
    ptx::sync_named(consumer + 1, 128);
}

/// By a warp: row i of a times row j of b.
__device__ inline float sum_one(const Tensor<const float>& a, const Tensor<const float>& b, int i, int j, int lane) {
    const int end = static_cast<int>(a.cols());
    float sum = 0;
#pragma unroll 1
    for (int first = 0; first < end; first += 32 * 16) {
        float of_a[16], of_b[16], part = 0;
#pragma unroll
        for (int x = 0; x < 16; ++x) {
            const int k = first + 16 * lane + x;
            of_a[x] = k < end ? a(i, k) : 0, of_b[x] = k < end ? b(j, k) : 0;
        }
#pragma unroll
        for (int x = 0; x < 16; ++x) part = fmaf(of_a[x], of_b[x], part);
#pragma unroll 8
        for (int from = 0; from < 32; ++from) {
            const float next = __shfl_sync(~0u, part, from);
            if (first + 16 * from < end) sum += next;
        }
    }
    return sum;
}

/// How many results a consumer wants, all in all, and in front of this thread's; counts: 16 bytes that nobody else
/// uses.
struct Wanted {
    int all, before;

    __device__ Wanted(unsigned wanted, std::uint32_t counts, int consumer, int thread) {
        const int own = __popc(wanted), warp = thread / 32, lane = thread % 32;
        int up_to = own;
#pragma unroll
        for (int distance = 1; distance < 32; distance *= 2) {
            const int below = __shfl_up_sync(~0u, up_to, distance);
            if (lane >= distance) up_to += below;
        }
        if (lane == 31) ptx::store_int(counts + 4 * warp, up_to);
        ptx::sync_named(consumer + 1, 128);
        const int2 some = ptx::load_ints(counts), others = ptx::load_ints(counts + 8);
        const int of_warp[] = {some.x, some.y, others.x, others.y};
        all = 0, before = up_to - own;
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            if (i < warp) before += of_warp[i];
            all += of_warp[i];
        }
    }
    static constexpr int few = 32;  ///< 64 cost what a tile does
};

/// By a consumer, warp by warp; list: 8 bytes for each of a few.
template <int groups>
__device__ void sum_few(float* sums, unsigned wanted, const Wanted& number, const Tensor<const float>& a,
                        const Tensor<const float>& b, std::uint32_t list, int first_row, int first_col, int consumer,
                        int thread) {
    const std::uint32_t results = list + 4 * Wanted::few, own = 4 * number.before;
    int place = 0;
    for (unsigned left = wanted; left != 0; left &= left - 1, ++place)
        ptx::store_int(list + own + 4 * place, thread * 32 + __ffs(static_cast<int>(left)) - 1);
    ptx::sync_named(consumer + 1, 128);
#pragma unroll 1
    for (int i = thread / 32; i < number.all; i += 4) {
        const int which = static_cast<int>(ptx::load_word(list + 4 * i)), x = which % 32;
        const FragmentPlace at(which / 32);
        const float sum =
            sum_one(a, b, first_row + at.row + x % 4 / 2 * 8, first_col + at.col + x / 4 * 8 + x % 2, thread % 32);
        if (thread % 32 == 0) ptx::store_float(results + 4 * i, sum);
    }
    ptx::sync_named(consumer + 1, 128);
#pragma unroll
    for (int i = 0; i < 4 * groups; ++i)
        if (wanted >> i & 1) sums[i] = ptx::load_float(results + own + 4 * __popc(wanted & ((1u << i) - 1)));
    ptx::sync_named(consumer + 1, 128);
}

}  // namespace tw::cuda
