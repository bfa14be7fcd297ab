// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// From the sums of an operand that lay across k to C, whichever of its sides is contiguous.
#pragma once

#include "backend/cuda/async/across_parts.cuh"
#include "backend/cuda/async/across_product.cuh"
#include "backend/cuda/epilogue/groups.cuh"
#include "backend/cuda/ptx/bulk_copy.cuh"
#include "backend/cuda/ptx/shared_store.cuh"
#include "backend/cuda/ptx/team.cuh"
#include "backend/cuda/ptx/tf32.cuh"

namespace tw::cuda {

/// What is not finite is made once more, as make_again does; f32 all over.
__device__ inline float made_again(const OfProduct& c, int row, int col) {
    Tensor<const float> first = c.all.first, second = c.all.second;
    first.data += c.deep.a * (c.all.first_bytes / 4), second.data += c.deep.b * (c.all.second_bytes / 4);
    float sum = 0;
#pragma unroll 1
    for (int k = 0; k < first.cols(); ++k)
        sum = fmaf(ptx::round_to_tf32(first(row, k)), ptx::round_to_tf32(second(col, k)), sum);
    return sum;
}

/// The epilogue of what alpha and beta made.
__device__ inline float finished(const Elements& c, float x, int row, int col) {
    const Fused& by = c.fused;
    x = fmaf(x, by.scale, by.bias ? static_cast<const float*>(by.bias)[c.bias_down ? row : col] : -0.0f);
    x = activated(by.activation, x);
    return by.residual ? __fadd_rn(x, by.residual_at(row, col)) : x;
}

/// Where a lane's sums are in C before it exchanges any: of each four, two of a row, and two 4 rows below, or above in
/// a warp's upper half.
struct OwnPlaces {
    int row, col, apart;

    __device__ OwnPlaces(int first_row, int first_col, int lane)
        : row(first_row + lane / 4 % 4 + (lane >= 16 ? 20 : 0)),
          col(first_col + lane % 4 * 2),
          apart(lane >= 16 ? -4 : 4) {}
    __device__ int row_of(int i) const { return row + i / 2 % 2 * apart; }
    __device__ int col_of(int i) const { return col + i / 4 * 8 + i % 2; }
};

/// Asks L2 for the lines of an old C that a consumer's 64 rows will be added to.
template <int N>
__device__ void bring_old_closer(const OfProduct& of, int first_row, int first_col, int thread) {
    const Elements& c = of.all;
    if (c.beta == 0) return;
    const bool down = c.col_step != 1;
    const int lines = down ? min(N, c.cols - first_col) : min(64, c.rows - first_row),
              length = down ? min(64, c.rows - first_row) : min(N, c.cols - first_col);
    const std::int64_t step = down ? c.col_step : c.row_step;
    const float* const first = of.at(first_row, first_col);
    for (int line = thread; length > 0 && line < lines; line += 128)
        ptx::prefetch_bytes(first + line * step, length * 4);
}

/// What becomes of some columns' sums, from column `col` on: alpha * sums + beta * C, and the epilogue. `at_once` loads
/// of an old C are on their way together; outside of C its last elements are loaded.
template <int columns, int at_once>
__device__ void finish(float (&slice)[columns / 2], const OfProduct& of, const OwnPlaces& own, int col) {
    const Elements& c = of.all;
    const auto row_at = [&](int i) { return min(own.row_of(i), c.rows - 1); };
    const auto col_at = [&](int i, int from) { return min(own.col_of(i) + col + from, c.cols - 1); };
    float odd = 0;
#pragma unroll
    for (const float sum : slice) odd += sum * 0;
    if (odd != 0)
        each_slice<columns, 8>(slice, [&](auto& part, int from) {
#pragma unroll
            for (int i = 0; i < 4; ++i)
                if (part[i] * 0 != 0) part[i] = made_again(of, row_at(i), col_at(i, from));
        });
    if (c.alpha != 1)
#pragma unroll
        for (float& sum : slice) sum *= c.alpha;
    if (c.beta != 0)
        each_slice<columns, 2 * at_once>(slice, [&](auto& part, int from) {
            float old[at_once];
#pragma unroll
            for (int i = 0; i < at_once; ++i) old[i] = *of.at(row_at(i), col_at(i, from));
#pragma unroll
            for (int i = 0; i < at_once; ++i) part[i] = fmaf(c.beta, old[i], part[i]);
        });
    if (c.fused.empty) return;
    each_slice<columns, 8>(slice, [&](auto& part, int from) {
#pragma unroll
        for (int i = 0; i < 4; ++i) part[i] = finished(c, part[i], row_at(i), col_at(i, from));
    });
}

/// Where a lane's sums go: two lanes 16 apart exchange a row each, so that eight rows are 32 bytes where rows are
/// contiguous.
struct LanePlaces {
    bool upper, in_pairs;
    int row[2];

    __device__ LanePlaces(const OfProduct& of, int first_row, int lane)
        : upper(lane >= 16),
          in_pairs(of.all.col_step == 1 && (of.all.row_step | of.all.cols) % 2 == 0 &&
                   reinterpret_cast<std::uintptr_t>(of.data) % 8 == 0) {
        row[0] = first_row + lane / 4 % 4 + (upper ? 4 : 0), row[1] = row[0] + 16;
    }
};

/// Four sums of a group of 8 columns, this lane's from column j on.
__device__ inline void store_group(const float* sums, const OfProduct& of_c, const LanePlaces& at, int j) {
    const Elements& c = of_c.all;
    float of[2][2];
#pragma unroll
    for (int x = 0; x < 2; ++x) {
        const float got = __shfl_xor_sync(~0u, sums[2 + x], 16);
        of[0][x] = at.upper ? got : sums[x], of[1][x] = at.upper ? sums[x] : got;
    }
#pragma unroll
    for (int y = 0; y < 2; ++y) {
        if (at.row[y] >= c.rows || j >= c.cols) continue;
        float* const to = of_c.at(at.row[y], j);
        if (at.in_pairs) {
            *reinterpret_cast<float2*>(to) = {of[y][0], of[y][1]};
            continue;
        }
        to[0] = of[y][0];
        if (j + 1 < c.cols) to[c.col_step] = of[y][1];
    }
}

/// A box of 32 rows and 32 columns that two warps fill, in shared memory as TMA stores it: lines of 32 contiguous
/// elements of C. `line`: this lane's first row in it, `apart`: from there to its second.
template <int count>
__device__ void fill_down(std::uint32_t box, const float (&slice)[count], int line, int apart, int from, int lane) {
#pragma unroll
    for (int i = 0; i < count; ++i) {
        const int row = line + i / 2 % 2 * apart, col = from + i / 4 * 8 + lane % 4 * 2 + i % 2;
        const auto at = static_cast<std::uint32_t>(col * 128 + ((row / 4 ^ col % 8) << 4) + row % 4 * 4);
        ptx::store_float(box + at, slice[i]);
    }
}
template <int count>
__device__ void fill_along(std::uint32_t box, const float (&slice)[count], int line, int apart, int from, int lane) {
#pragma unroll
    for (int i = 0; i < count; i += 2) {
        const int row = line + i / 2 % 2 * apart, col = from + i / 4 * 8 + lane % 4 * 2;
        ptx::store_pair(box + static_cast<std::uint32_t>(row * 128 + ((col / 4 ^ row % 8) << 4) + col % 4 * 4),
                        slice[i], slice[i + 1]);
    }
}

/// The way of a consumer's sums to C, 32 columns at a time.
struct WayOut {
    static constexpr int buffer_bytes = 32 * 128, bytes = 4 * buffer_bytes;  ///< of a consumer: two of each two warps
    std::uint32_t buffers;                                                   ///< these two warps'
    int barrier, lane, warp;

    __device__ WayOut(std::uint32_t of_consumer, int consumer, int thread)
        : buffers(of_consumer + thread / 64 * 2 * buffer_bytes),
          barrier(1 + consumer * 2 + thread / 64),
          lane(thread % 32),
          warp(thread / 32 % 2) {}

    /// Of 32 rows from first_row on.
    template <int N>
    __device__ void store(const float (&sums)[N / 2], const SumsOfParts& kept, const OfProduct& of,
                          const CUtensorMap& map, bool is_deep, int first_row, int first_col) const {
        const int own_row = first_row + warp * 8;
        const OwnPlaces own(own_row, first_col, lane);
        const LanePlaces at(of, own_row, lane);
        constexpr int columns = N < 256 ? 32 : 16;  // at a time; the widest tile has no registers for more
        int box = 0;                                // of those that this block stores
        // No division: of batches' many tiles each took a microsecond more.
        const auto next = [&](int from) {
            from += columns;
            if (from % 32 != 0) return from;
            ++box;
            return from + 32 * (kept.parts - 1);
        };
#pragma unroll 1
        for (int from = 32 * kept.part; from < N && first_col + from < of.all.cols; from = next(from)) {
            float slice[columns / 2];
#pragma unroll
            for (int col = 0; col < N; col += columns)
                if (from == col)
#pragma unroll
                    for (int i = 0; i < columns / 2; ++i) slice[i] = sums[col / 2 + i];
            if (kept.parts > 1) kept.add<columns>(slice, from);
            finish < columns, N<256 ? columns / 2 : 4>(slice, of, own, from);
            if (of.all.by_box) {
                fill(slice, of, from, box);
                if ((from + columns) % 32 == 0 || first_col + from + columns >= of.all.cols)
                    send(of, map, is_deep, first_row, first_col + from / 32 * 32, box);
                continue;
            }
#pragma unroll
            for (int i = 0; i < columns / 2; i += 4)
                store_group(slice + i, of, at, first_col + from + i * 2 + lane % 4 * 2);
        }
    }

private:
    __device__ bool speaks() const { return warp == 0 && lane == 0; }
    __device__ std::uint32_t buffer(int box) const { return buffers + box % 2 * buffer_bytes; }

    /// Two buffers take turns; what the tile before left in them has long been read.
    template <int count>
    __device__ void fill(const float (&slice)[count], const OfProduct& of, int from, int box) const {
        const int line = lane / 4 % 4 + (lane >= 16 ? 20 : 0) + warp * 8, apart = lane >= 16 ? -4 : 4;
        if (from % 32 == 0) {
            if (speaks() && box == 0) ptx::wait_for_reads_of_stores<0>();
            if (speaks() && box > 0) ptx::wait_for_reads_of_stores<1>();
            ptx::sync_named(barrier, 64);
        }
        if (of.all.boxes_down) fill_down(buffer(box), slice, line, apart, from % 32, lane);
        else fill_along(buffer(box), slice, line, apart, from % 32, lane);
    }
    __device__ void send(const OfProduct& of, const CUtensorMap& map, bool is_deep, int row, int col, int box) const {
        ptx::publish_to_async_proxy();
        ptx::sync_named(barrier, 64);
        if (!speaks()) return;
        const int inner = of.all.boxes_down ? row : col, outer = of.all.boxes_down ? col : row;
        if (is_deep) ptx::store_box(map, buffer(box), inner, outer, of.deep.c);
        else ptx::store_box(map, buffer(box), inner, outer);
        ptx::commit_stores();
    }
};

}  // namespace tw::cuda
