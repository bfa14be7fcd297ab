// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// A block has some neighbouring elements of C, and up to eight teams for them: each adds a run of the parts by pairs,
// and multiplies its share of what is left of k; the teams' sums are a tree again.
#pragma once

#include "backend/cuda/device/launch.hpp"
#include "backend/cuda/epilogue/element.cuh"
#include "backend/cuda/epilogue/output_of.cuh"
#include "backend/cuda/few/add_parts.hpp"
#include "backend/cuda/operands/batched.hpp"
#include "backend/cuda/operands/complex.cuh"
#include "backend/cuda/ptx/team.cuh"

namespace tw::cuda::adding {

inline constexpr int threads = 256;

template <int count, class Sum>
__device__ Sum tree(const Sum* at, std::int64_t apart) {
    if constexpr (count == 1) return *at;
    else return tree<count / 2>(at, apart) + tree<count / 2>(at + count / 2 * apart, apart);
}

template <class Sum>
__device__ Sum sum_of(const Sum* at, std::int64_t apart, int count) {
    switch (count) {
        case 1: return tree<1>(at, apart);
        case 2: return tree<2>(at, apart);
        case 4: return tree<4>(at, apart);
        case 8: return tree<8>(at, apart);
        default: return tree<16>(at, apart);
    }
}

/// The operands, of which what is behind the last part is multiplied here, and C.
template <class T, class Out>
struct Rest {
    Tensor<const T> a, b;
    Out out;
    Places places;
};

template <class Sum, class T>
__device__ void add_term(Sum& sum, T x, T y, const Output&) {
    sum = fma(static_cast<Sum>(x), static_cast<Sum>(y), sum);
}
template <class T>
__device__ void add_term(T& sum, T x, T y, const Product<T>& out) {
    add_product(sum, out.of_a(x), out.of_b(y));
}

/// Every TEAMS-th of k from `first` on, some of them on their way together.
template <int TEAMS, class Sum, class T, class Out>
__device__ Sum what_is_left(const Rest<T, Out>& rest, int i, int j, int first) {
    constexpr int together = sizeof(T) == 16 ? 4 : 8;
    const int end = static_cast<int>(rest.a.cols());
    Sum left{};
#pragma unroll 1
    for (int k = first; k < end; k += together * TEAMS) {
        T of_a[together], of_b[together];
#pragma unroll
        for (int e = 0; e < together; ++e) {
            const int at = min(k + e * TEAMS, end - 1);
            of_a[e] = rest.a(i, at), of_b[e] = rest.b(at, j);
        }
#pragma unroll
        for (int e = 0; e < together; ++e)
            if (k + e * TEAMS < end) add_term(left, of_a[e], of_b[e], rest.out);
    }
    return left;
}

template <class T>
__device__ void finish(float sum, const Output& out, int i, int j) {
    if (out.wide) finish_element<T, float>(sum, out, i, j, false);
    else finish_element<T, T>(sum, out, i, j, false);
}
template <class T>
__device__ void finish(T sum, const Product<T>& out, int i, int j) {
    out.store(i, j, sum);
}

/// TEAMS threads for each element of C: each adds a run of parts, and every TEAMS-th of the rest of k.
template <int TEAMS, class Sum, class T, class Out>
__global__ void __launch_bounds__(threads) add(PartsOfSums sums, Rest<T, Out> rest) {
    constexpr int columns = threads / TEAMS;
    __shared__ Sum of_teams[TEAMS][columns];
    ptx::wait_for_kernel_before();
    rest.a.data = rest.places.a(rest.a.data), rest.b.data = rest.places.b(rest.b.data);
    const int x = static_cast<int>(threadIdx.x) % columns, team = static_cast<int>(threadIdx.x) / columns;
    const std::int64_t n = rest.b.cols(), at = blockIdx.x * std::int64_t{columns} + x;
    const int i = static_cast<int>(at / n), j = static_cast<int>(at % n);
    const bool inside = i < rest.a.rows();
    if (inside) {
        const int each = sums.count / TEAMS;
        const Sum* const from =
            static_cast<const Sum*>(sums.first) + blockIdx.y * sums.of_product + i * sums.row_step + j * sums.col_step;
        const Sum sum = sum_of(from + team * each * sums.apart, sums.apart, each);
        of_teams[team][x] = sum + what_is_left<TEAMS, Sum>(rest, i, j, sums.first_k + team);
    }
    __syncthreads();
    if (team != 0 || !inside) return;
    Sum all[TEAMS];
#pragma unroll
    for (int t = 0; t < TEAMS; ++t) all[t] = of_teams[t][x];
    if constexpr (std::is_same_v<Out, Output>) {
        move_to_product(rest.out, rest.places);
    } else {
        rest.out.c.data = rest.places.c(rest.out.c.data);
    }
    finish<T>(tree<TEAMS>(all, 1), rest.out, i, j);
}

template <int TEAMS, class Sum, class T, class Out>
Status start(const PartsOfSums& sums, const Rest<T, Out>& rest, const Call& call) {
    const std::int64_t blocks = tiles_over(call.m() * call.n(), threads / TEAMS);
    return launch(add<TEAMS, Sum, T, Out>,
                  {.blocks = static_cast<unsigned>(blocks),
                   .threads = threads,
                   .products = static_cast<unsigned>(products_of(call)),
                   .overlaps = true},
                  call.stream, sums, rest);
}

/// What parts of products of T are summed in. Those of T itself are finished by the rule of the CUDA-core rungs.
template <class T>
inline constexpr bool sums_itself = std::is_same_v<T, double> || !std::is_same_v<T, HostNumber<T>>;
template <class T>
using SumOf = std::conditional_t<sums_itself<T>, T, float>;

template <class T>
Status add_all(const PartsOfSums& sums, const Call& call) {
    using Sum = SumOf<T>;
    const auto with = [&](const auto& out) {
        std::span<std::byte> nothing;
        Rest<T, std::decay_t<decltype(out)>> rest{tensor_of<const T>(call.a), tensor_of<const T>(call.b), out, {}};
        if (const Status bad = place_products(call, nothing, rest.places); !bad) return bad;
        if constexpr (!std::is_same_v<T, HostNumber<T>>) {  // two kernels, for the size of the library
            return sums.count < 8 ? start<1, Sum>(sums, rest, call) : start<8, Sum>(sums, rest, call);
        } else {
            switch (teams_of(call.m(), call.n(), sums.count, call.k() - sums.first_k)) {
                case 1: return start<1, Sum>(sums, rest, call);
                case 2: return start<2, Sum>(sums, rest, call);
                case 4: return start<4, Sum>(sums, rest, call);
                default: return start<8, Sum>(sums, rest, call);
            }
        }
    };
    if constexpr (sums_itself<T>) return with(product_of<T>(call));
    else return with(output_of(call));
}

}  // namespace tw::cuda::adding
