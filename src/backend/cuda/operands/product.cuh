// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// A product as the CUDA-core rungs see it: typed pointers and steps, and the rule by which a sum becomes an element of
// C.
#pragma once

#include "backend/contract.hpp"
#include "backend/cuda/device/device.hpp"
#include "tilewright/layout.hpp"

namespace tw::cuda {

template <class T>
struct Product {
    Tensor<const T> a, b;
    Tensor<T> c;
    T alpha, beta;

    static Product of(const Call& call);

    __device__ std::int64_t k() const { return a.layout.cols; }
    __device__ T of_a(T x) const { return x; }
    __device__ T of_b(T x) const { return x; }

    /// beta 0 never reads C, so that what was there, NaN even, does not matter.
    __device__ void store(std::int64_t i, std::int64_t j, T sum) const {
        if (i >= c.layout.rows || j >= c.layout.cols) return;
        T& to = c(i, j);
        to = beta == 0 ? alpha * sum : alpha * sum + beta * to;
    }
};

template <class T>
Tensor<T> tensor_of(const Matrix& m) {
    return {static_cast<T*>(m.data), {m.rows, m.cols, m.row_step, m.col_step, 0}};
}

template <class T>
Product<T> Product<T>::of(const Call& call) {
    return {tensor_of<const T>(call.a), tensor_of<const T>(call.b), tensor_of<T>(call.c), static_cast<T>(call.alpha),
            static_cast<T>(call.beta)};
}
template <class T>
Product<T> product_of(const Call& call) {
    return Product<T>::of(call);
}

/// Tiles of C in one row of blocks: a grid's second dimension would end at 65535.
struct TileGrid {
    int across;  ///< tiles side by side

    __device__ int row() const { return static_cast<int>(blockIdx.x) / across; }
    __device__ int col() const { return static_cast<int>(blockIdx.x) % across; }
};

struct Tiling {
    TileGrid grid;
    unsigned blocks;
};
inline Tiling tiling(const Call& call, int tile_rows, int tile_cols) {
    const std::int64_t across = tiles_over(call.n(), tile_cols);
    return {{static_cast<int>(across)}, static_cast<unsigned>(tiles_over(call.m(), tile_rows) * across)};
}

/// Kernels that count in 32 bits inside a matrix leave the longest vectors to r1 and r2.
inline bool fits_ints(const Problem& p) {
    constexpr std::int64_t most = (std::int64_t{1} << 31) - 1024;
    return p.m < most && p.n < most && p.k < most;
}

/// gamma(k + 2): k products summed one after the other, times alpha, plus beta * C.
template <class T>
double sequential_sum_bound(std::int64_t k) {
    return gamma(static_cast<double>(k) + 2, sizeof(T) == 4 ? unit_f32 : unit_f64);
}

/// The matrix unit, 16 of k at a time: 16 products and the sum are cut to 25 bits below the largest of them (17 errors
/// of 2^-25), and the result is truncated (2^-23): 10.5 units of 2^-24 for every 16 of k; alpha and beta add 2.
inline double matrix_unit_sum_bound(std::int64_t k) {
    const double steps = static_cast<double>((k + 15) / 16);
    return gamma(10.5 * steps + 2, unit_f32);
}

/// Kernel::order of this backend's rows, from 100 on: no other backend sums as a CUDA device does.
enum Order : int {
    sequential_order = 100,  ///< one accumulator a result, FMA from k = 0 on
    matrix_unit_order,       ///< 16 of k at a time in wgmma's accumulator
    tf32_order,              ///< 8 of k at a time
    mma_sync_order,          ///< 16 of k at a time in a warp's accumulator
    dmma_order,              ///< f64, 4 of k at a time in a warp's accumulator
    split_order,             ///< and one for each kind of parts
};

/// A complex product is four real ones, and their sums.
constexpr double flops_of_a_term(const Problem& p) noexcept { return is_complex(p.in) ? 8 : 2; }

/// At so many TFLOP/s once every multiprocessor has work; tiles that stick out are paid for in full.
inline double nanoseconds_at(const Problem& p, double tera, int tile_rows, int tile_cols) {
    const double tiles = static_cast<double>(tiles_over(p.m, tile_rows) * tiles_over(p.n, tile_cols));
    const double at_once = multiprocessors_for_costs();
    const double waves = tiles < at_once ? 1 : tiles / at_once;
    const double flops = flops_of_a_term(p) * tile_rows * tile_cols * static_cast<double>(p.k) * at_once;
    return launch_nanoseconds + waves * flops / (tera * 1e3);
}

}  // namespace tw::cuda
