// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The layout algebra where kernels use it: this has to compile for a device. What it computes is tested on the host.
#include "tilewright/layout.hpp"

namespace {

using tw::Layout;
using tw::row_major;
using tw::Tensor;

constexpr Layout block = row_major(64, 8);
static_assert(block.vectorize(1, 4) == Layout{64, 2, 8, 4, 0});

template <Layout shared_layout>
__global__ void sum_of_tile(float* to, const float* from, Layout whole) {
    constexpr Layout threads = row_major(32, 8);  // device code takes the address only of constants of its own
    __shared__ float memory[shared_layout.size()];
    const Tensor shared{memory, shared_layout};
    const auto tile = Tensor{from, whole}.tile(64, 8, blockIdx.y, blockIdx.x);
    copy(shared.distribute(threads, threadIdx.x), tile.distribute(threads, threadIdx.x));
    __syncthreads();
    const auto place = threads.place_of(threadIdx.x);
    atomicAdd(to, shared(place.row, place.col) + shared(place.row + 32, place.col));
}

}  // namespace

void launch(float* to, const float* from) { sum_of_tile<block><<<dim3(8, 8), 256>>>(to, from, row_major(512, 64)); }
