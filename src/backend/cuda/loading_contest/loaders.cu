// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// A microbenchmark, not a rung: who should load? The first `loaders` warps of a block share the filling of its 32 KB,
// each a contiguous part, 16 bytes a lane and turn: by loads into registers, eight of them in flight, and stores from
// there, or by asynchronous copies, all of them in flight.
//
// Needs: sm_80. Bytes for each fill: 32768 loaded, 1024 read by the threads.
#include "backend/cuda/device/device.hpp"
#include "backend/cuda/device/entry.hpp"
#include "backend/cuda/loading_contest/loaders.cuh"
#include "backend/cuda/ptx/cp_async.cuh"

namespace tw::cuda {
namespace {

struct PlainLoads {
    __device__ void start(float* tile, const float* from, int loaders) {
        constexpr int at_once = 8;
        const LoadersShare share(loaders);
        const auto* pieces = reinterpret_cast<const float4*>(from);
        auto* to = reinterpret_cast<float4*>(tile);
        for (int first = share.begin; first < share.end; first += 32 * at_once) {
            float4 held[at_once];
#pragma unroll
            for (int s = 0; s < at_once; ++s)
                if (first + 32 * s < share.end) held[s] = __ldcg(pieces + first + 32 * s);
#pragma unroll
            for (int s = 0; s < at_once; ++s)
                if (first + 32 * s < share.end) to[first + 32 * s] = held[s];
        }
    }
    __device__ void wait() { __syncthreads(); }
};

struct AsyncCopies {
    __device__ void start(float* tile, const float* from, int loaders) {
        const LoadersShare share(loaders);
        const std::uint32_t to = ptx::shared_address(tile);
#pragma unroll 8
        for (int x = share.begin; x < share.end; x += 32)
            ptx::copy_16(to + static_cast<std::uint32_t>(x) * 16, from + x * 4, 16);
        ptx::commit_copies();
    }
    __device__ void wait() {
        ptx::wait_for_copies<0>();
        __syncthreads();
    }
};

template <class Form>
__global__ void __launch_bounds__(loaders_threads, 1) loaders_kernel(LoadersTask task) {
    __shared__ __align__(128) float tile[loaders_tile_floats];
    Form form;
    fill_again_and_again(task, tile, form);
}

bool has(LoaderForm form) { return (features() & (form == LoaderForm::bulk ? feature::sm90a : feature::sm80)) != 0; }

Status launch_form(LoaderForm form, const LoadersTask& task, int blocks) {
    const Launch how{.blocks = static_cast<unsigned>(blocks), .threads = loaders_threads};
    switch (form) {
        case LoaderForm::plain: return launch(loaders_kernel<PlainLoads>, how, nullptr, task);
        case LoaderForm::async: return launch(loaders_kernel<AsyncCopies>, how, nullptr, task);
        case LoaderForm::bulk: return launch_bulk_loaders(task, blocks);
    }
    return {};
}

constexpr LoadersDoor door{.blocks = [] { return multiprocessors(); }, .has = has, .launch = launch_form};

}  // namespace
}  // namespace tw::cuda

extern "C" TW_API const tw::cuda::LoadersDoor* tilewright_cuda_loaders(unsigned long long stamp) noexcept {
    return stamp == tw::cuda::contract_stamp ? &tw::cuda::door : nullptr;
}
