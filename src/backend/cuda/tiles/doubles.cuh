// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// An operand of doubles on its way to a warp: asynchronous copies fill a tile in shared memory in the direction in
// which the operand lies, and the matrix unit's fragments are read from there. A pitch of 4 more than a multiple of 16
// doubles puts the 16 that half a warp reads at once, 4 neighbours of k in 4 rows, into different banks either way; or
// fours of a line are swapped by its number, which needs no room.
#pragma once

#include <cstdint>

#include "backend/cuda/ptx/copy_or_zero.cuh"
#include "backend/cuda/ptx/cp_async.cuh"
#include "backend/cuda/ptx/shared_load.cuh"
#include "tilewright/layout.hpp"

namespace tw::cuda {

/// Tiles of `rows` rows and BK of k. across_k: neighbours of a row lie side by side, else neighbours of k. by_16: they
/// are copied two at a time (asked at run time, that cost a fifth of the speed), else one, by neighbouring lanes: two
/// neighbours by one lane, one after the other, asked L1 for every line twice.
template <bool across_k, bool by_16, int rows, int BK, int threads, bool swaps = false>
class Doubles {
    static constexpr int unit = by_16 ? 2 : 1, units = (across_k ? rows : BK) / unit;
    /// A side that is three times a power of two is copied in thirds.
    static constexpr int thirds = units % 3 == 0 ? 3 : 1, side = thirds == 3 ? units / 3 : units;
    static constexpr int inner_jump = side * unit, outer_jump = threads / side;

public:
    static constexpr int pieces = rows * BK / unit / threads;  ///< a thread's copies of BK of k
    static_assert(threads % side == 0 && pieces * threads * unit == rows * BK && pieces % thirds == 0);
    static constexpr int pitch = (across_k ? rows : BK) + (swaps ? 0 : 4), bytes = (across_k ? BK : rows) * pitch * 8;
    static_assert(pitch % 16 == (swaps ? 0 : 4) && (!swaps || thirds == 1));

    /// Fragments are those of the warp whose rows begin at warp_row.
    __device__ Doubles(const Tensor<const double>& of, int first_row, int warp_row) {
        const int thread = static_cast<int>(threadIdx.x) % threads, lane = thread % 32;
        const int inner = thread % side * unit, outer = thread / side;
        const int row = across_k ? inner : outer, k = across_k ? outer : inner;
        const int rows_left = static_cast<int>(of.layout.rows) - first_row - row;
        const int k_left = static_cast<int>(of.layout.cols) - k;
        inner_left_ = across_k ? rows_left : k_left;
        outer_left_ = across_k ? k_left : rows_left;
        from_ = of.data + of.layout(first_row + row, k);
        inner_step_ = inner_jump * (across_k ? of.layout.row_step : of.layout.col_step);
        const std::int64_t outer_step = outer_jump * (across_k ? of.layout.col_step : of.layout.row_step);
        jump_step_ = outer_step - (thirds - 1) * inner_step_;
        last_step_ = BK * of.layout.col_step - (pieces / thirds - 1) * outer_step - (thirds - 1) * inner_step_;
        to_ = static_cast<std::uint32_t>((outer * pitch + inner) * 8);
        at_ = static_cast<std::uint32_t>(
            (across_k ? lane % 4 * pitch + warp_row + lane / 4 : (warp_row + lane / 4) * pitch + lane % 4) * 8);
        if constexpr (swaps) to_ ^= outer % 4 * 32, at_ ^= (across_k ? lane : lane / 4) % 4 * 32;
    }

    /// Before the pieces of the next BK of k: where a row or k ends within a pair, all of this thread's are copied.
    __device__ void begin(std::uint32_t tile) {
        if constexpr (by_16) {
            if (thirds == 3 ? inner_left_ % 2 == 0 : inner_left_ != 1) return;
            const double* from = from_;
#pragma unroll 1
            for (int s = 0; s < pieces; ++s) {  // a loop: unrolled, all stages would wait for it
                if (inner_left(s) == 1) ptx::copy_16(place(tile, s), from, outer_left(s) > 0 ? 8 : 0);
                from += (s + 1) % thirds != 0 ? inner_step_ : jump_step_;
            }
        }
    }

    /// The next of them, whose number is s.
    __device__ void fill(std::uint32_t tile, int s) {
        const bool is_there = inner_left(s) >= unit && outer_left(s) > 0;
        if constexpr (!by_16) ptx::copy_8(place(tile, s), from_, is_there);
        else if (inner_left(s) != 1) ptx::copy_16_or_zero(place(tile, s), from_, is_there);
        from_ += s + 1 == pieces ? last_step() : (s + 1) % thirds != 0 ? inner_step_ : jump_step_;
        if (s + 1 == pieces) (across_k ? outer_left_ : inner_left_) -= BK;
    }

    /// This lane's element of row `row` of the warp's and k 4 * step: row + lane / 4, k + lane % 4.
    __device__ double read(std::uint32_t tile, int row, int step) const {
        if constexpr (swaps)  // what is added to a line's place has other bits than that, or is swapped, too
            return ptx::load_double(tile + (at_ ^ (across_k ? row : step * 4) * 8) +
                                    (across_k ? step * 4 : row) * pitch * 8);
        return ptx::load_double(tile + at_ + (across_k ? step * 4 * pitch + row : row * pitch + step * 4) * 8);
    }

private:
    __device__ std::uint32_t place(std::uint32_t tile, int s) const {
        const std::uint32_t swapped = swaps ? s / thirds * outer_jump % 4 * 32 : 0;  // of lines less than 4 apart
        return tile + (to_ ^ swapped) +
               static_cast<std::uint32_t>((s % thirds * inner_jump + s / thirds * outer_jump * pitch) * 8);
    }
    /// From the last piece to the next BK of k: of what is known already, where that can be, for registers are few.
    __device__ std::int64_t last_step() const {
        if constexpr (across_k) return jump_step_;
        else if constexpr (by_16) return BK - (pieces - 1) * jump_step_;
        else return last_step_;
    }
    __device__ int inner_left(int s) const { return inner_left_ - s % thirds * inner_jump; }
    __device__ int outer_left(int s) const { return outer_left_ - s / thirds * outer_jump; }

    const double* from_;
    std::int64_t inner_step_, jump_step_, last_step_;  ///< to the next third, the next line, the next BK of k
    int inner_left_, outer_left_;
    std::uint32_t to_, at_;
};

}  // namespace tw::cuda
