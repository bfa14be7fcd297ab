// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Results whose parts are not trusted (notes.cuh), summed anew by FMA from the operands themselves when all others of
// their tile are stored and the registers are free: one by one, where 64 columns of a tile have few of them; else those
// columns as a whole, through the shared memory in which results wait. Both sum alike, so that a result does not tell
// which others were summed with it: 16 of k from 0, one after the other, and the sums of 16 in their order.
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

/// Where a consumer's shared memory keeps what it marks and sums: 64 x 16 of each operand, or half of a tile's sums;
/// then marks, for each 64 columns a word of each thread, whose bits are its sums; then how many of them each warp
/// wants, and which.
struct AnewMemory {
    static constexpr int pitch = 68, of_operand = 4 * 16 * pitch, of_marks = 4 * 128, most_words = 4;
    std::uint32_t a, b, marks, counts, list;

    __device__ explicit AnewMemory(std::uint32_t first)
        : a(first),
          b(a + of_operand),
          marks(b + of_operand),
          counts(marks + most_words * of_marks),
          list(counts + most_words * 16) {}
    __device__ std::uint32_t mark(int word, int thread) const { return marks + word * of_marks + 4 * thread; }
};

/// By a consumer: the sums of its 64 rows and 64 columns from (first_row, first_col) on.
__device__ inline void sum_tile(float (&sums)[32], const Tensor<const float>& a, const Tensor<const float>& b,
                                const AnewMemory& memory, int first_row, int first_col, int consumer, int thread) {
    constexpr int pitch = AnewMemory::pitch;
    const FragmentPlace at(thread);
    AnewOperand<64> of_a(a, first_row, thread), of_b(b, first_col, thread);
    const int steps = static_cast<int>((a.cols() + 15) / 16);
#pragma unroll
    for (float& x : sums) x = 0;
    of_a.fetch(), of_b.fetch();
#pragma unroll 1
    for (int step = 0; step < steps; ++step) {
        ptx::sync_named(consumer + 1, 128);
        of_a.put(memory.a, pitch, [](int row) { return row; });
        // A thread's columns of two groups become neighbours.
        of_b.put(memory.b, pitch, [](int col) { return col / 16 * 16 + col % 8 / 2 * 4 + col / 8 % 2 * 2 + col % 2; });
        ptx::sync_named(consumer + 1, 128);
        of_a.fetch(), of_b.fetch();
        float part[32];
#pragma unroll
        for (float& x : part) x = 0;
#pragma unroll 4
        for (int k = 0; k < 16; ++k) {
            const std::uint32_t a_at = memory.a + 4 * (k * pitch + at.row),
                                b_at = memory.b + 4 * (k * pitch + 2 * at.col);
            const float up = ptx::load_float(a_at), down = ptx::load_float(a_at + 32);
#pragma unroll
            for (int p = 0; p < 4; ++p) {
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
        for (int i = 0; i < 32; ++i) sums[i] += part[i];
    }
    ptx::sync_named(consumer + 1, 128);
}

/// By a consumer: row i of a times row j of b, in its thread 0.
__device__ inline float sum_one(const Tensor<const float>& a, const Tensor<const float>& b, std::uint32_t parts, int i,
                                int j, int consumer, int thread) {
    const int end = static_cast<int>(a.cols());
    float sum = 0;
#pragma unroll 1
    for (int first = 0; first < end; first += 128 * 16) {
        float of_a[16], of_b[16], part = 0;
#pragma unroll
        for (int x = 0; x < 16; ++x) {
            const int k = first + 16 * thread + x;
            of_a[x] = k < end ? a(i, k) : 0, of_b[x] = k < end ? b(j, k) : 0;
        }
#pragma unroll
        for (int x = 0; x < 16; ++x) part = fmaf(of_a[x], of_b[x], part);
        ptx::store_float(parts + 4 * thread, part);
        ptx::sync_named(consumer + 1, 128);
        if (thread == 0) {
#pragma unroll 4
            for (int from = 0; from < 128; from += 4) {  // parts behind the end are 0, and a sum begins as +0
                const float4 four = ptx::load_4(parts + 4 * from);
                sum += four.x, sum += four.y, sum += four.z, sum += four.w;
            }
        }
        ptx::sync_named(consumer + 1, 128);
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

/// Where sum x of a thread's 32 lies in their 64 x 64.
struct PlaceOfSum {
    int row, col;
    __device__ PlaceOfSum(int x, int thread) {
        const FragmentPlace at(thread);
        row = at.row + x % 4 / 2 * 8, col = at.col + x / 4 * 8 + x % 2;
    }
};

/// By a consumer: f(i, j, sum) for each result that `marks` has a bit for, of the columns from first_col on, by some
/// thread. Nobody may use the memory any more.
template <int words, class F>
__device__ void sum_marked(const unsigned (&marks)[words], const Tensor<const float>& a, const Tensor<const float>& b,
                           const AnewMemory& memory, int first_row, int first_col, int consumer, int thread,
                           const F& f) {
#pragma unroll
    for (int word = 0; word < words; ++word) ptx::store_int(memory.mark(word, thread), static_cast<int>(marks[word]));
#pragma unroll 1
    for (int word = 0; word < words; ++word, first_col += 64) {
        const unsigned wanted = ptx::load_word(memory.mark(word, thread));
        const Wanted number(wanted, memory.counts + 16 * word, consumer, thread);
        const auto finish = [&](int x, int whose, float sum) {
            const PlaceOfSum at(x, whose);
            f(first_row + at.row, first_col + at.col, sum);
        };
        if (__any_sync(~0u, number.all > Wanted::few)) {  // as all_of_named says, for the compiler's sake
            float sums[32];
            sum_tile(sums, a, b, memory, first_row, first_col, consumer, thread);
#pragma unroll 1
            for (int half = 0; half < 2; ++half) {
                const std::uint32_t own = memory.a + 4 * thread;
#pragma unroll
                for (int x = 0; x < 16; ++x) ptx::store_float(own + 512 * x, half == 0 ? sums[x] : sums[16 + x]);
#pragma unroll 1
                for (unsigned left = wanted >> 16 * half & 0xffffu; left != 0; left &= left - 1) {
                    const int x = __ffs(static_cast<int>(left)) - 1;
                    finish(16 * half + x, thread, ptx::load_float(own + 512 * x));
                }
            }
        } else if (__any_sync(~0u, number.all > 0)) {
            std::uint32_t to = memory.list + 4 * number.before;
            for (unsigned left = wanted; left != 0; left &= left - 1, to += 4)
                ptx::store_int(to, thread * 32 + __ffs(static_cast<int>(left)) - 1);
            ptx::sync_named(consumer + 1, 128);
#pragma unroll 1
            for (int i = 0; i < number.all; ++i) {
                const int which = static_cast<int>(ptx::load_word(memory.list + 4 * i));
                const PlaceOfSum at(which % 32, which / 32);
                const float sum = sum_one(a, b, memory.a, first_row + at.row, first_col + at.col, consumer, thread);
                if (thread == 0) finish(which % 32, which / 32, sum);
            }
        }
        ptx::sync_named(consumer + 1, 128);  // before the list and the tile's memory are used again
    }
}

}  // namespace tw::cuda
