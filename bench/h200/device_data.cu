// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "device_data.hpp"

namespace bench {
namespace {

constexpr int blocks = 2048, threads = 256;

__device__ std::uint32_t mix(std::uint64_t x) {
    x ^= x >> 33, x *= 0xff51afd7ed558ccdull, x ^= x >> 33, x *= 0xc4ceb9fe1a85ec53ull, x ^= x >> 33;
    return static_cast<std::uint32_t>(x >> 16);
}
__device__ float unit(std::uint64_t x) { return (static_cast<float>(mix(x) >> 8) + 0.5f) * 0x1p-24f; }

__device__ float value_at(std::uint64_t i, Values values, std::uint64_t seed) {
    const std::uint64_t at = 3 * i + (seed << 44);
    const float u = unit(at), v = unit(at + 1), w = unit(at + 2);
    switch (values) {
        case Values::normal: return sqrtf(-2 * logf(u)) * cospif(2 * v);
        case Values::symmetric: return 2 * u - 1;
        case Values::uniform: return u;
        case Values::spread: return (v < 0.5f ? -1.f : 1.f) * exp2f(20 * w - 10) * (1 + u);
        case Values::ones: return 1;
    }
    return 0;
}

template <class F>
__device__ void each(std::size_t count, F f) {
    for (std::size_t i = blockIdx.x * std::size_t{threads} + threadIdx.x; i < count; i += std::size_t{blocks} * threads)
        f(i);
}

__global__ void fill_all(void* data, std::size_t count, tw::Type type, Values values, std::uint64_t seed) {
    each(count, [=](std::size_t i) {
        const float x = value_at(i, values, seed);
        if (type == tw::Type::f32) static_cast<float*>(data)[i] = x;
        if (type == tw::Type::f16) static_cast<__half*>(data)[i] = __float2half_rn(x);
        if (type == tw::Type::bf16) static_cast<__nv_bfloat16*>(data)[i] = __float2bfloat16_rn(x);
    });
}

__device__ double element(const void* data, std::size_t i, tw::Type type) {
    if (type == tw::Type::f32) return static_cast<const float*>(data)[i];
    if (type == tw::Type::f16) return __half2float(static_cast<const __half*>(data)[i]);
    return __bfloat162float(static_cast<const __nv_bfloat16*>(data)[i]);
}

__global__ void widen(double* to, const void* from, std::size_t count, tw::Type type, bool magnitude) {
    each(count, [=](std::size_t i) {
        const double x = element(from, i, type);
        to[i] = magnitude ? fabs(x) : x;
    });
}

__global__ void compare(const void* c, tw::Type type, const double* product, const double* magnitude, std::size_t count,
                        double* sums) {
    double errors = 0, squares = 0, largest = 0;
    each(count, [&](std::size_t i) {
        double d = element(c, i, type) - product[i];
        if (!(d == d)) d = 1e300;
        errors += d * d, squares += product[i] * product[i];
        largest = fmax(largest, fabs(d) / magnitude[i]);
    });
    atomicAdd(sums, errors), atomicAdd(sums + 1, squares);
    atomicMax(reinterpret_cast<unsigned long long*>(sums + 2),
              static_cast<unsigned long long>(__double_as_longlong(largest)));
}

}  // namespace

const char* name_of(Values values) {
    constexpr const char* names[] = {"N(0,1)", "U(-1,1)", "U(0,1)", "+-2^U(-10,10)", "ones"};
    return names[static_cast<int>(values)];
}

void check(int error, const char* what) {
    if (error == 0) return;
    std::fprintf(stderr, "h200: %s: %s\n", what, cudaGetErrorString(static_cast<cudaError_t>(error)));
    std::exit(2);
}

Buffer::Buffer(std::size_t bytes) {
    if (bytes) check(cudaMalloc(&data_, bytes), "device memory");
}
Buffer::~Buffer() {
    if (data_) cudaFree(data_);
}
Buffer& Buffer::operator=(Buffer&& other) noexcept {
    std::swap(data_, other.data_);
    return *this;
}

void fill(void* data, std::size_t count, tw::Type type, Values values, std::uint64_t seed) {
    fill_all<<<blocks, threads>>>(data, count, type, values, seed);
    check(cudaGetLastError(), "filling");
}

void poison(void* data, std::size_t bytes) { check(cudaMemset(data, 0xff, bytes), "poisoning"); }

Reference::Reference(const Cublas& cublas, int m, int n, int k, const void* a, const void* b, bool b_k_major,
                     tw::Type in)
    : count_(std::size_t(m) * n), product_(count_ * 8), magnitude_(count_ * 8), sums_(24) {
    const std::size_t in_a = std::size_t(m) * k, in_b = std::size_t(n) * k;
    const Buffer wide_a(in_a * 8), wide_b(in_b * 8);
    for (const bool magnitude : {false, true}) {
        auto *to_a = static_cast<double*>(wide_a.get()), *to_b = static_cast<double*>(wide_b.get());
        widen<<<blocks, threads>>>(to_a, a, in_a, in, magnitude);
        widen<<<blocks, threads>>>(to_b, b, in_b, in, magnitude);
        cublas.product(m, n, k, to_a, to_b, b_k_major, magnitude ? magnitude_.get() : product_.get(), tw::Type::f64,
                       tw::Type::f64, Compute::f64);
    }
    check(cudaDeviceSynchronize(), "the f64 reference");
}

Error Reference::of(const void* c, tw::Type out) const {
    auto* sums = static_cast<double*>(sums_.get());
    check(cudaMemset(sums, 0, 24), "clearing sums");
    compare<<<blocks, threads>>>(c, out, static_cast<const double*>(product_.get()),
                                 static_cast<const double*>(magnitude_.get()), count_, sums);
    double host[3];
    check(cudaMemcpy(host, sums, 24, cudaMemcpyDeviceToHost), "reading sums");
    return {std::sqrt(host[0] / host[1]), host[2]};
}

}  // namespace bench
