// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The microbenchmark of loaders by TMA: one thread of each loading warp issues a single copy of its
// warp's share, and all threads wait at a barrier in shared memory that counts the bytes.
//
// Needs: sm_90. Bytes for each fill: 32768 loaded, 1024 read by the threads.
#include "backend/cuda/loading_contest/loaders.cuh"
#include "backend/cuda/ptx/bulk_copy.cuh"
#include "backend/cuda/ptx/cp_async.cuh"
#include "backend/cuda/ptx/mbarrier.cuh"

namespace tw::cuda {
namespace {

struct BulkCopies {
    std::uint32_t barrier, parity = 1;

    __device__ void start(float* tile, const float* from, int loaders) {
        parity ^= 1;
        const LoadersShare share(loaders);
        if (threadIdx.x % 32 != 0 || share.begin == share.end) return;
        const int bytes = (share.end - share.begin) * 16;
        ptx::expect_bytes(barrier, bytes);
        ptx::load_bytes(ptx::shared_address(tile) + static_cast<std::uint32_t>(share.begin) * 16,
                        from + share.begin * 4, bytes, barrier);
    }
    __device__ void wait() { ptx::wait_barrier(barrier, parity); }
};

__global__ void __launch_bounds__(loaders_threads) bulk_loaders(LoadersTask task) {
    __shared__ __align__(128) float tile[loaders_tile_floats];
    __shared__ __align__(8) std::uint64_t barrier;
    BulkCopies form{.barrier = ptx::shared_address(&barrier)};
    if (threadIdx.x == 0) {
        ptx::init_barrier(form.barrier, task.loaders);
        ptx::publish_barriers();
    }
    __syncthreads();
    fill_again_and_again(task, tile, form);
}

}  // namespace

Status launch_bulk_loaders(const LoadersTask& task, int blocks) noexcept {
    return launch(bulk_loaders, {.blocks = static_cast<unsigned>(blocks), .threads = loaders_threads}, nullptr, task);
}

}  // namespace tw::cuda
