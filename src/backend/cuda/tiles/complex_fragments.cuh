// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Complex fragments of the matrix unit for doubles: a lane loads a real and an imaginary part at once, and four real
// products by the unit add up what a warp has of its tile.
#pragma once

#include "backend/cuda/operands/complex.cuh"
#include "backend/cuda/ptx/mma.cuh"
#include "backend/cuda/ptx/shared_load.cuh"
#include "backend/cuda/tiles/complex_sums.cuh"

namespace tw::cuda {

/// A lane's parts of two rows 8 apart.
struct PartsOfTwo {
    double re[2], im[2];
};

/// A lane's numbers of a tile: line + lane / 4, k lane % 4. Its lines are a multiple of 8 apart.
template <class Form>
class FragmentsOf {
public:
    /// nothing: 0, which the compiler does not know, or it would read both parts at once and move them.
    __device__ explicit FragmentsOf(int line, std::uint32_t nothing = 0) {
        const int lane = static_cast<int>(threadIdx.x) % 32;
        at_ = Form::place(lane % 4, line + lane / 4), imaginary_ = at_ + 8 + nothing * 16;
    }
    __device__ double2 read(std::uint32_t tile, int line, int step) const {
        return ptx::load_two_doubles(tile + Form::later(at_, step * 4, line));
    }
    __device__ void read_to(double2 (&rows)[2], int half, std::uint32_t tile, int line, int step) const {
        rows[half] = read(tile, line, step);
    }
    __device__ void read_to(PartsOfTwo& rows, int half, std::uint32_t tile, int line, int step) const {
        rows.re[half] = ptx::load_double(tile + Form::later(at_, step * 4, line));
        rows.im[half] = ptx::load_double(tile + Form::later(imaginary_, step * 4, line));
    }

private:
    std::uint32_t at_, imaginary_;
};

/// Its sign changed where `mask` has the uppermost bit.
__device__ inline double with_sign(double x, unsigned mask) {
    return __hiloint2double(__double2hiint(x) ^ static_cast<int>(mask), __double2loint(x));
}
inline constexpr unsigned sign_bit = 1u << 31;

/// What a warp adds up of its tile.
template <int WM, int WN>
struct ComplexSums {
    static constexpr int down = WM / 16, across = WN / 8;
    double re[down][across][4] = {}, im[down][across][4] = {};

    template <class Visit>
    __device__ static void each_tile(const Visit& visit) {
#pragma unroll
        for (int i = 0; i < down; ++i)
#pragma unroll
            for (int j = 0; j < across; ++j) visit(i, j);
    }
    /// Signs are changed in place: copies of the fragments would be more registers than there are.
    __device__ static void flip(double2 (&x)[down][2], unsigned mask) {
#pragma unroll
        for (int i = 0; i < down; ++i)
#pragma unroll
            for (int half = 0; half < 2; ++half) x[i][half].y = with_sign(x[i][half].y, mask);
    }

    /// 4 of k. behind(q): what goes behind the q-th product or two of so many turns.
    static constexpr int turns = 3 * down * across;
    template <class Behind>
    __device__ void add_products(double2 (&x)[down][2], unsigned x_mask, double2 (&y)[across], unsigned y_mask,
                                 const Behind& behind) {
#pragma unroll
        for (int j = 0; j < across; ++j) y[j].y = with_sign(y[j].y, y_mask);
        each_tile([&](int i, int j) {
            const double real[2] = {x[i][0].x, x[i][1].x};
            ptx::multiply(re[i][j], real, y[j].x), ptx::multiply(im[i][j], real, y[j].y);
            behind(i * across + j);
        });
        flip(x, x_mask);
        each_tile([&](int i, int j) {
            const double imaginary[2] = {x[i][0].y, x[i][1].y};
            ptx::multiply(im[i][j], imaginary, y[j].x);
            behind((down + i) * across + j);
        });
        flip(x, sign_bit);
        each_tile([&](int i, int j) {
            const double minus[2] = {x[i][0].y, x[i][1].y};
            ptx::multiply(re[i][j], minus, y[j].y);
            behind((2 * down + i) * across + j);
        });
    }

    /// The same of rows whose parts were read by themselves, so that none is moved: the sign is in a copy of y.
    template <class Behind>
    __device__ void add_products(PartsOfTwo (&x)[down], unsigned x_mask, double2 (&y)[across], unsigned y_mask,
                                 const Behind& behind) {
        double minus[across];
#pragma unroll
        for (int j = 0; j < across; ++j) {
            minus[j] = with_sign(y[j].y, y_mask ^ sign_bit), y[j].y = with_sign(y[j].y, y_mask);
        }
#pragma unroll
        for (int i = 0; i < 2 * down; ++i) x[i / 2].im[i % 2] = with_sign(x[i / 2].im[i % 2], x_mask);
        each_tile([&](int i, int j) {
            ptx::multiply(re[i][j], x[i].re, y[j].x), ptx::multiply(im[i][j], x[i].re, y[j].y);
            behind(i * across + j);
        });
        each_tile([&](int i, int j) {
            ptx::multiply(im[i][j], x[i].im, y[j].x);
            behind((down + i) * across + j);
        });
        each_tile([&](int i, int j) {
            ptx::multiply(re[i][j], x[i].im, minus[j]);
            behind((2 * down + i) * across + j);
        });
    }

    /// Two lanes have four neighbours of a row between them: the first and the third go to the even one, so that both
    /// store 32 bytes of a row together. Each stored two by itself, half of what memory writes at once, in 13 us of a
    /// tile of 128 x 64 where its bytes take 4.
    __device__ void exchange() {
        const bool is_odd = threadIdx.x % 2 != 0;
        const auto swap = [&](double& even, double& odd) {
            const double got = __shfl_xor_sync(0xffffffff, is_odd ? even : odd, 1);
            (is_odd ? even : odd) = got;
        };
        each_tile([&](int i, int j) {
#pragma unroll
            for (int x = 0; x < 4; x += 2) swap(re[i][j][x], re[i][j][x + 1]), swap(im[i][j][x], im[i][j][x + 1]);
        });
    }
    /// Where this lane's first sum stands after that, and from there the q-th.
    __device__ static int2 first_place() {
        const int lane = static_cast<int>(threadIdx.x) % 32;
        return {lane / 4, lane % 4 / 2 * 4 + lane % 2};
    }
    __device__ static int2 from_first(int q) {
        const int tile = q / 4;
        return {tile / across * 16 + q % 4 / 2 * 8, tile % across * 8 + q % 2 * 2};
    }
    /// visit(q, sum) for this lane's.
    template <class Visit>
    __device__ void each_in_order(const Visit& visit) {
        each_tile([&](int i, int j) {
#pragma unroll
            for (int x = 0; x < 4; ++x) {
                Complex<double> sum{re[i][j][x], im[i][j][x]};
                visit((i * across + j) * 4 + x, sum);
                re[i][j][x] = sum.re, im[i][j][x] = sum.im;
            }
        });
    }
    /// visit(row, column, sum), both from the lane's first on.
    template <class Visit>
    __device__ void each(const Visit& visit) {
        each_in_order([&](int q, Complex<double>& sum) { visit(from_first(q).x, from_first(q).y, sum); });
    }
};

/// Of a thread's sums those from the first on and before the last, to C.
template <class S, int count>
__device__ void store_added(const Product<Complex<double>>& whole, Together how, int2 tile, int first, int last,
                            double2 (&added)[count]) {
    using Warp = ComplexSums<S::WM, S::WN>;
    const int2 mine = Warp::first_place();
    const auto p = c_from(whole, tile.x * S::BM + S::warp_row() + mine.x, tile.y * S::BN + S::warp_col() + mine.y);
    const auto each_sum = [&](const auto& visit) {
#pragma unroll
        for (int q = 0; q < count; ++q) {
            if (first + q >= last) break;
            const int2 at = Warp::from_first(first + q);
            Complex<double> sum{added[q].x, added[q].y};
            visit(at.x, at.y, sum);
            added[q] = make_double2(sum.re, sum.im);
        }
    };
    scale_and_add(p, each_sum);
    each_sum([&](int i, int j, const Complex<double>& sum) { store_one(p, how != Together::ones, i, j, sum); });
}

}  // namespace tw::cuda
