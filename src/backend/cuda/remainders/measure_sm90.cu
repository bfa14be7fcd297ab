// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The largest part and the 2-norm of every row, in one reading: along k where it is contiguous, else across it,
// neighbouring threads on neighbouring rows. Sums are added up in one order, whatever runs first.
#include <cmath>

#include "backend/cuda/device/launch.hpp"
#include "backend/cuda/ptx/team.cuh"
#include "backend/cuda/remainders/remainders.cuh"

namespace tw::cuda {
namespace {

constexpr int threads = 256, across = 32, deep = threads / across;

/// The upper half of |x|'s bits, and a bit for what the lower half has: they order as the magnitudes do, an Inf and a
/// NaN are above every number, and only 0 has none.
__device__ unsigned top_of(double x) {
    return (static_cast<unsigned>(__double2hiint(x)) & 0x7fffffffu) | (__double2loint(x) != 0);
}

/// A block for a row, where k is contiguous: all parts lie side by side.
template <class E>
__device__ void measure_along(const RemaindersOperand& one, int index) {
    const int parts = static_cast<int>(one.rows.cols()) * E::PARTS, lane = static_cast<int>(threadIdx.x) % 32;
    const typename E::Part* row = one.rows.at<E>(index, 0)->part;
    double sum = 0;
    unsigned top = 0;
#pragma unroll 8
    for (int i = static_cast<int>(threadIdx.x); i < parts; i += threads) {
        const double x = row[i];
        sum += x * x, top = max(top, top_of(x));
    }
    __shared__ double sums[threads / 32];
    __shared__ unsigned tops[threads / 32];
#pragma unroll
    for (int by = 16; by > 0; by /= 2) sum += __shfl_xor_sync(~0u, sum, by);
    top = __reduce_max_sync(~0u, top);
    if (lane == 0) sums[threadIdx.x / 32] = sum, tops[threadIdx.x / 32] = top;
    __syncthreads();
    if (threadIdx.x != 0) return;
#pragma unroll
    for (int i = 1; i < threads / 32; ++i) sum += sums[i], top = max(top, tops[i]);
    one.partial_sums[index] = sum, one.partial_tops[index] = top;
}

/// A block for so many rows and a slab of k.
template <class E>
__device__ void measure_across(const RemaindersOperand& one, int index) {
    __shared__ double sums[deep][across];
    __shared__ unsigned tops[deep][across];
    const int x = static_cast<int>(threadIdx.x) % across, y = static_cast<int>(threadIdx.x) / across;
    const std::int64_t rows = one.rows.rows();
    const int wide = static_cast<int>((rows + across - 1) / across), slab = index / wide;
    const std::int64_t row = index % wide * std::int64_t{across} + x;
    const int first = slab * slab_of_k, end = min(first + slab_of_k, static_cast<int>(one.rows.cols()));
    double sum = 0;
    unsigned top = 0;
    if (row < rows) {
#pragma unroll 16
        for (int i = first + y; i < end; i += deep) {
            const E element = *one.rows.at<E>(row, i);
#pragma unroll
            for (const double part : element.part) sum += part * part, top = max(top, top_of(part));
        }
    }
    sums[y][x] = sum, tops[y][x] = top;
    __syncthreads();
    if (y != 0 || row >= rows) return;
#pragma unroll
    for (int i = 1; i < deep; ++i) sum += sums[i][x], top = max(top, tops[i][x]);
    one.partial_sums[slab * rows + row] = sum, one.partial_tops[slab * rows + row] = top;
}

template <class E>
__global__ void __launch_bounds__(threads) measure(RemaindersCall call, int blocks_of_a) {
    ptx::let_next_kernel_begin();
    ptx::wait_for_kernel_before();
    const int block = static_cast<int>(blockIdx.x);
    const RemaindersOperand& one = block < blocks_of_a ? call.a : call.b;
    const int index = block < blocks_of_a ? block : block - blocks_of_a;
    if (one.rows.layout.col_step == 1) measure_along<E>(one, index);
    else measure_across<E>(one, index);
}

/// What rows are scaled to, from the counts of moduli and k.
struct Limits {
    double largest_norms[remainders::counts];
    double threshold;  ///< of a large element, over the row's norm
};

/// Where squares and scales stay normal numbers; rows beyond go native.
constexpr int most_exponent = 400;

__device__ ScaledRow scaled_row(double sum, unsigned top, const Limits& limits) {
    ScaledRow row{};
    if (top == 0) {
        row.worth = -1;
        return row;
    }
    const int exponent = static_cast<int>(top >> 20) - 1023;
    if (exponent < -most_exponent || exponent > most_exponent) {
        row.threshold = __hiloint2double(0x7ff00000, 0);
        return row;
    }
    const double norm = sqrt(sum) * (1 + 1e-9);
#pragma unroll
    for (int i = 0; i < remainders::counts; ++i)
        row.exponents[i] = (__double2hiint(limits.largest_norms[i] / norm) >> 20) - 1023;
    row.threshold = norm * limits.threshold;
    row.step = __hiloint2double(static_cast<int>(top + 2), 0) * (1.0 / 127 * (1 + 0x1p-40));
    row.worth = static_cast<float>(row.step / norm * (1 - 0x1p-20));
    return row;
}

/// Adds up what the slabs of each row found, and clears what later passes count in.
__global__ void __launch_bounds__(threads) combine_slabs(RemaindersCall call, int a_slabs, int b_slabs, Limits limits) {
    ptx::let_next_kernel_begin();
    ptx::wait_for_kernel_before();
    const std::int64_t index = blockIdx.x * std::int64_t{threads} + threadIdx.x, of_a = call.a.rows.rows();
    if (index == 0) {
        RemaindersFound found{};
        for (const RemaindersOperand* one : {&call.a, &call.b})
            if (one->kept) found.unsure |= one->found_then->unsure;
        *call.found = found;
    }
    const std::int64_t tiles = std::int64_t{call.out.down} * 2 * call.out.across;
    for (std::int64_t i = index; i < tiles; i += std::int64_t{gridDim.x} * threads) call.out.native[i] = 0;
    if (index >= of_a + call.b.rows.rows()) return;
    const bool is_a = index < of_a;
    const RemaindersOperand& one = is_a ? call.a : call.b;
    if (one.kept) return;
    const std::int64_t row = is_a ? index : index - of_a, rows = one.rows.rows();
    double sum = 0;
    unsigned top = 0;
    for (int i = 0; i < (is_a ? a_slabs : b_slabs); ++i)
        sum += one.partial_sums[i * rows + row], top = max(top, one.partial_tops[i * rows + row]);
    one.scaled[row] = scaled_row(sum, top, limits);
    one.large[row] = 0;
}

bool is_along(const RemaindersOperand& one) { return one.rows.layout.col_step == 1; }
int slabs_of(const RemaindersOperand& one) {
    return is_along(one) ? 1 : static_cast<int>(tiles_over(one.rows.layout.cols, slab_of_k));
}
std::int64_t blocks_of(const RemaindersOperand& one) {
    if (one.kept) return 0;
    const std::int64_t rows = one.rows.layout.rows;
    return is_along(one) ? rows : tiles_over(rows, across) * slabs_of(one);
}

}  // namespace

template <class E>
Status measure_rows(const RemaindersCall& call, void* stream) noexcept {
    const std::int64_t of_a = blocks_of(call.a), all = of_a + blocks_of(call.b);
    const Status done = launch(measure<E>, {.blocks = static_cast<unsigned>(all), .threads = threads, .overlaps = true},
                               stream, call, static_cast<int>(of_a));
    if (!done) return done;
    const std::int64_t k = call.a.rows.cols(), rows = call.a.rows.rows() + call.b.rows.rows();
    constexpr remainders::Set set = set_of<E>;
    Limits limits{};
    for (int i = 0; i < remainders::counts; ++i) limits.largest_norms[i] = remainders::largest_norm(set, set.least + i);
    const double parts = E::PARTS * static_cast<double>(k);
    limits.threshold = remainders::least_element(remainders::least_coefficient(set, set.least, k)) / std::sqrt(parts);
    return launch(combine_slabs,
                  {.blocks = static_cast<unsigned>(tiles_over(rows, threads)), .threads = threads, .overlaps = true},
                  stream, call, slabs_of(call.a), slabs_of(call.b), limits);
}
template Status measure_rows<ElementF64>(const RemaindersCall&, void*) noexcept;
template Status measure_rows<ElementC128>(const RemaindersCall&, void*) noexcept;
template Status measure_rows<ElementC64>(const RemaindersCall&, void*) noexcept;

}  // namespace tw::cuda
