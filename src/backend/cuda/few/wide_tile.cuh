// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// What a warp of few_rows_wide does with its share: numbers of 8 or 16 bytes from the weights, those of the few rows
// through shared memory, their products, and the sums over its lanes.
#pragma once

#include <algorithm>

#include "backend/cuda/few/lane_sums.cuh"
#include "backend/cuda/few/wide_shares.hpp"
#include "backend/cuda/operands/batched.hpp"
#include "backend/cuda/operands/complex.cuh"
#include "backend/cuda/ptx/cp_async.cuh"

namespace tw::cuda::few {

inline constexpr int warps = wide_warps, threads = 32 * warps, bytes_on_their_way = 128;

/// A number's parts, and the word that holds it where it is aligned to its size.
template <class N>
struct Parts {
    using Part = N;
    using Word = N;
};
template <>
struct Parts<Complex<float>> {
    using Part = float;
    using Word = float2;
};
template <>
struct Parts<Complex<double>> {
    using Part = double;
    using Word = double2;
};

/// along: the weights' k is contiguous. M: rows of A, at most.
template <class N_, bool along_>
struct Cut {
    using N = N_;
    using Part = typename Parts<N>::Part;
    static constexpr bool along = along_;
    static constexpr int M = wide_most(sizeof(N)), parts = sizeof(N) / sizeof(Part),
                         loads = bytes_on_their_way / sizeof(N);
    static constexpr int rows = along ? wide_rows_along : 32;       ///< of weights, of a warp
    static constexpr int own = along ? rows : 1;                    ///< of a lane
    static constexpr int of_warp = loads / own * (along ? 32 : 1);  ///< of k, of each chunk
    static constexpr int results = M * rows, sums = own * M * parts;

    static std::size_t shared(const WideShares& by) {
        return sizeof(N) * static_cast<std::size_t>(std::max(2 * M * by.slices() * of_warp, warps * results));
    }
};

template <class N>
struct Operands {
    Product<N> product;  ///< A: the few rows; B: the weights, columns along k
    Places places;
    bool turned;            ///< the few rows are the caller's B
    bool whole, few_whole;  ///< the weights, the few rows can be loaded a number at once
    N* partial;             ///< where sums of parts go; null: to C

    /// C comes later: it would take registers until then.
    __device__ void move_to_product() {
        Product<N>& p = product;
        p.a.data = turned ? places.b(p.a.data) : places.a(p.a.data);
        p.b.data = turned ? places.a(p.b.data) : places.b(p.b.data);
    }
    /// conj(a) b is the conjugate of a conj(b): signs are of the weights, and of the sums.
    __device__ N of_weight(N x) const {
        if constexpr (sizeof(typename Parts<N>::Part) == sizeof(N)) return x;
        else return {x.re, product.a_sign * product.b_sign * x.im};
    }
    __device__ N of_sum(N x) const {
        if constexpr (sizeof(typename Parts<N>::Part) == sizeof(N)) return x;
        else return {x.re, product.a_sign < 0 ? 0 - x.im : x.im};
    }
};

template <class N>
__device__ N load_number(const N* at, bool whole) {
    using Word = typename Parts<N>::Word;
    if constexpr (std::is_same_v<N, Word>) {
        return __ldcs(at);
    } else {
        if (!whole) return {__ldcs(&at->re), __ldcs(&at->im)};
        const Word both = __ldcs(reinterpret_cast<const Word*>(at));
        return {both.x, both.y};
    }
}

__device__ inline void add_to(double (&sum)[1], double x, double y) { sum[0] = fma(x, y, sum[0]); }
template <class Part>
__device__ void add_to(Part (&sum)[2], Complex<Part> x, Complex<Part> y) {
    sum[0] = fma(x.re, y.re, sum[0]), sum[1] = fma(x.re, y.im, sum[1]);
    sum[0] = fma(-x.im, y.im, sum[0]), sum[1] = fma(x.im, y.re, sum[1]);
}

/// What a lane has of a chunk: of each of its rows, every 32nd of k; or of its column, neighbours.
template <class C, class N>
__device__ void load(N (&w)[C::loads], const Operands<N>& p, int first_row, int first_k, int end) {
    const Tensor<const N>& b = p.product.b;
    const int lane = static_cast<int>(threadIdx.x) % 32, rows = static_cast<int>(b.cols());
    const int row = first_row + (C::along ? 0 : lane), k = first_k + (C::along ? lane : 0);
    constexpr int apart = C::along ? 32 : 1;
#pragma unroll
    for (int r = 0; r < C::own; ++r) {
        const N* from = b.data + k * b.layout.row_step + (row + r) * b.layout.col_step;
#pragma unroll
        for (int e = 0; e < C::loads / C::own; ++e, from += apart * b.layout.row_step)
            w[e * C::own + r] = row + r < rows && k + e * apart < end ? load_number(from, p.whole) : N{};
    }
}

/// A number to shared memory, 0 where it isn't valid; `whole`: at a multiple of its size.
template <class N>
__device__ void copy_number(std::uint32_t to, const N* from, bool valid, bool whole) {
    if constexpr (sizeof(typename Parts<N>::Part) == sizeof(N)) {
        ptx::copy_8(to, from, valid);
    } else if constexpr (sizeof(N) == 8) {
        if (whole) ptx::copy_8(to, from, valid);
        else ptx::copy_4(to, &from->re, valid), ptx::copy_4(to + 4, &from->im, valid);
    } else {
        if (whole) ptx::copy_16(to, from, valid ? 16 : 0);
        else ptx::copy_8(to, &from->re, valid), ptx::copy_8(to + 8, &from->im, valid);
    }
}

/// The few rows' part of a chunk, [token][k], on its way. `chunk`: a power of two.
template <class N>
__device__ void fetch(const N* to, const Operands<N>& p, int first_token, int tokens, int first_k, int end, int chunk) {
    const std::uint32_t first = ptx::shared_address(to);
    const int shift = 31 - __clz(chunk);
#pragma unroll 1
    for (int x = static_cast<int>(threadIdx.x); x < tokens << shift; x += threads) {
        const int i = first_token + (x >> shift), k = first_k + (x & (chunk - 1));
        copy_number(first + x * static_cast<int>(sizeof(N)), &p.product.a(i, k), k < end, p.few_whole);
    }
    ptx::commit_copies();
}

/// 16 bytes of shared memory at once.
template <class N>
struct alignas(16) Neighbours {
    N of[16 / sizeof(N)];
};

/// `here`: the warp's share of the chunk, of token 0.
template <class C, class N>
__device__ void multiply(typename C::Part (&sums)[C::own * C::M][C::parts], const N (&w)[C::loads], const N* here,
                         int tokens, int chunk) {
    const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
    for (int i = 0; i < C::M; ++i) {
        if (i >= tokens) break;
        const N* const token = here + i * chunk;
        if constexpr (C::along) {
#pragma unroll
            for (int e = 0; e < C::loads / C::own; ++e) {
                const N x = token[e * 32 + lane];
#pragma unroll
                for (int r = 0; r < C::own; ++r) add_to(sums[r * C::M + i], x, w[e * C::own + r]);
            }
        } else {
            constexpr int together = sizeof(Neighbours<N>) / sizeof(N);
#pragma unroll
            for (int e = 0; e < C::loads; e += together) {
                const Neighbours<N> x = *reinterpret_cast<const Neighbours<N>*>(token + e);
#pragma unroll
                for (int q = 0; q < together; ++q) add_to(sums[i], x.of[q], w[e + q]);
            }
        }
    }
}

/// The lanes' sums, [row of weights][token] or [token][row].
template <class C>
__device__ void keep(typename C::N* of_warp, typename C::Part (&sums)[C::own * C::M][C::parts]) {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    auto* const to = reinterpret_cast<typename C::Part*>(of_warp);
    auto& each = *reinterpret_cast<typename C::Part(*)[C::sums]>(&sums);
    if constexpr (C::along) {
        const int first = sum_over_lanes(each);
#pragma unroll
        for (int e = 0; e < (C::sums + 31) / 32; ++e) to[first + e] = each[e];
    } else {
#pragma unroll
        for (int e = 0; e < C::sums; ++e) to[(e / C::parts * 32 + lane) * C::parts + e % C::parts] = each[e];
    }
}

}  // namespace tw::cuda::few
