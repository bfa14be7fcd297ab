// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Shared by the two kernels of the dense copy: a lane's eight contiguous values.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "backend/cuda/effort/effort.cuh"

namespace tw::cuda::effort {

template <class T>
struct Eight {
    static constexpr int vectors = sizeof(T) / 2;
    uint4 bits[vectors];

    /// From global memory, without keeping them in a cache.
    __device__ void load(const T* from) {
#pragma unroll
        for (int x = 0; x < vectors; ++x) bits[x] = __ldcs(reinterpret_cast<const uint4*>(from) + x);
    }
    /// From shared memory.
    __device__ void load(const std::byte* from) {
#pragma unroll
        for (int x = 0; x < vectors; ++x) bits[x] = reinterpret_cast<const uint4*>(from)[x];
    }
    __device__ float value(int o) const {
        if constexpr (sizeof(T) == 4) {
            const uint4 x = bits[o / 4];
            return __uint_as_float(o % 4 == 0 ? x.x : o % 4 == 1 ? x.y : o % 4 == 2 ? x.z : x.w);
        } else {
            const unsigned word = o / 2 == 0 ? bits[0].x : o / 2 == 1 ? bits[0].y : o / 2 == 2 ? bits[0].z : bits[0].w;
            const auto half = static_cast<unsigned short>(o % 2 ? word >> 16 : word & 0xffffu);
            if constexpr (std::is_same_v<T, __half>) return __half2float(__ushort_as_half(half));
            else return __uint_as_float(static_cast<unsigned>(half) << 16);
        }
    }
};

/// The products of a batch use one matrix, which is read once for up to four of them.
Status start_dense_runs(const Params& w, int products, bool is_batch, int blocks, void* stream);

}  // namespace tw::cuda::effort
