// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#pragma once

#include "backend/cuda/effort/rows/shared_memory.cuh"

namespace tw::cuda::effort::row_kernels {

/// The part of the inputs that a block counts: each thread takes four neighbours at a time.
struct Counted {
    const float *importance, *vector;
    int begin, end;
    bool is_even;  ///< every four floats are aligned to 16 bytes

    __device__ int first(int group) const { return begin + 4 * (group * threads + static_cast<int>(threadIdx.x)); }
    __device__ float4 four(const float* of_inputs, int group) const {
        const int at = first(group);
        if (at >= end) return {0, 0, 0, 0};
        if (is_even) return *reinterpret_cast<const float4*>(of_inputs + at);
        return {of_inputs[at], at + 1 < end ? of_inputs[at + 1] : 0.f, at + 2 < end ? of_inputs[at + 2] : 0.f,
                at + 3 < end ? of_inputs[at + 3] : 0.f};
    }
    __device__ static void put_keys(unsigned* keys, const float4& v, float scale, const float4& importance) {
        keys[0] = key_of_input(v.x, scale, importance.x), keys[1] = key_of_input(v.y, scale, importance.y);
        keys[2] = key_of_input(v.z, scale, importance.z), keys[3] = key_of_input(v.w, scale, importance.w);
    }
    /// Calls act(keys, group) for the groups from `from` on, read from global memory.
    template <class Act>
    __device__ void each_group(int from, float scale, const Act& act) const {
#pragma unroll 1
        for (int group = from; begin + 4 * group * threads < end; ++group) {
            unsigned keys[4];
            put_keys(keys, four(vector, group), scale, four(importance, group));
            act(keys, group);
        }
    }
};

}  // namespace tw::cuda::effort::row_kernels
