// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include <cmath>

#include "samples.hpp"

namespace bench {
namespace {

constexpr int rows = 32, columns = 64, blocks = 2048, threads = 256;

__device__ std::uint64_t mix(std::uint64_t x) {
    x ^= x >> 33, x *= 0xff51afd7ed558ccdull, x ^= x >> 33, x *= 0xc4ceb9fe1a85ec53ull;
    return x ^ x >> 33;
}
__device__ double unit(std::uint64_t x) { return (static_cast<double>(mix(x) >> 12) + 0.5) * 0x1p-52; }

/// Part i of all numbers; `number` is which number it belongs to.
__device__ double part_at(std::uint64_t i, std::uint64_t number, Values values, std::uint64_t seed) {
    const std::uint64_t at = (seed << 40) + 2 * i;
    if (values == Values::symmetric) return 2 * unit(at) - 1;
    const double normal = sqrt(-2 * log(unit(at))) * cospi(2 * unit(at + 1));
    return values == Values::spread ? normal * exp2(20 * unit((seed << 40) + (1ull << 39) + number) - 10) : normal;
}

template <class Part>
__global__ void fill_parts(Part* data, std::size_t count, int parts, Values values, std::uint64_t seed) {
    for (std::size_t i = blockIdx.x * std::size_t{threads} + threadIdx.x; i < count; i += std::size_t{blocks} * threads)
        data[i] = static_cast<Part>(part_at(i, i / parts, values, seed));
}

/// A sum in twice as many bits, and what it adds up.
struct Exact {
    double hi = 0, lo = 0, magnitude = 0;

    __device__ void add(double x, double y) {
        const double product = __dmul_rn(x, y);
        take(product, __fma_rn(x, y, -product));
        magnitude += fabs(product);
    }
    __device__ void take(double high, double low) {
        const double sum = hi + high, from = sum - hi;
        lo += low + ((hi - (sum - from)) + (high - from));
        hi = sum;
    }
    __device__ void over_lanes() {
        for (int bit = 16; bit > 0; bit /= 2) {
            const double high = __shfl_xor_sync(~0u, hi, bit), low = __shfl_xor_sync(~0u, lo, bit);
            take(high, low);
            magnitude += __shfl_xor_sync(~0u, magnitude, bit);
        }
    }
    __device__ double error(double is) const {
        const double error = fabs((is - hi) - lo) / magnitude;
        return error == error ? error : 1e300;
    }
};

/// A warp an element. sums: the largest error, and the sum of squares.
template <class Part, int parts>
__global__ void sample(const Part* a, const Part* b, const Part* c, std::int64_t n, double* sums) {
    const std::int64_t at = (blockIdx.x * threads + threadIdx.x) / 32, lane = threadIdx.x % 32;
    const std::int64_t i = at / columns * (n / rows), j = at % columns * (n / columns);
    Exact of[parts];
    for (std::int64_t k = lane; k < n; k += 32) {
        const Part *x = a + (i * n + k) * parts, *y = b + (k * n + j) * parts;
        of[0].add(x[0], y[0]);
        if constexpr (parts == 2) {
            of[0].add(-static_cast<double>(x[1]), y[1]);
            of[1].add(x[0], y[1]), of[1].add(x[1], y[0]);
        }
    }
    for (int part = 0; part < parts; ++part) {
        of[part].over_lanes();
        if (lane != 0) continue;
        const double error = of[part].error(c[(i * n + j) * parts + part]);
        atomicMax(reinterpret_cast<unsigned long long*>(sums),
                  static_cast<unsigned long long>(__double_as_longlong(error)));
        atomicAdd(sums + 1, error * error);
    }
}

template <class Part, int parts>
SampledError error_of(const void* a, const void* b, const void* c, int n) {
    const Buffer sums(16);
    auto* at = static_cast<double*>(sums.get());
    check(cudaMemset(at, 0, 16), "clearing sums");
    sample<Part, parts><<<rows * columns * 32 / threads, threads>>>(
        static_cast<const Part*>(a), static_cast<const Part*>(b), static_cast<const Part*>(c), n, at);
    double host[2];
    check(cudaMemcpy(host, at, 16, cudaMemcpyDeviceToHost), "reading sums");
    return {host[0], std::sqrt(host[1] / (rows * columns * parts))};
}

}  // namespace

void fill_wide(void* data, std::size_t count, tw::Type type, Values values, std::uint64_t seed) {
    const int parts = tw::is_complex(type) ? 2 : 1;
    count *= parts;
    if (type == tw::Type::c64) fill_parts<<<blocks, threads>>>(static_cast<float*>(data), count, parts, values, seed);
    else fill_parts<<<blocks, threads>>>(static_cast<double*>(data), count, parts, values, seed);
    check(cudaGetLastError(), "filling");
}

SampledError sampled_error(const void* a, const void* b, const void* c, int n, tw::Type type) {
    if (type == tw::Type::f64) return error_of<double, 1>(a, b, c, n);
    return type == tw::Type::c128 ? error_of<double, 2>(a, b, c, n) : error_of<float, 2>(a, b, c, n);
}

}  // namespace bench
