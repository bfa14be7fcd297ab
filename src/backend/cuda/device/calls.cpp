// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "backend/cuda/device/calls.hpp"

#include <atomic>

namespace tw::cuda {

const Calls runtime_calls{
    .driver_version = cudaDriverGetVersion,
    .device_count = cudaGetDeviceCount,
    .get_device = cudaGetDevice,
    .set_device = cudaSetDevice,
    .device_attribute = cudaDeviceGetAttribute,
    .last_error = cudaGetLastError,
    .alloc = cudaMalloc,
    .free = cudaFree,
    .copy = cudaMemcpyAsync,
    .copy_rows = cudaMemcpy2DAsync,
    .clear = cudaMemsetAsync,
    .memory_left = cudaMemGetInfo,
    .pointer_attributes = cudaPointerGetAttributes,
    .wait_stream = cudaStreamSynchronize,
    .is_capturing = cudaStreamIsCapturing,
    .capture_info = [](cudaStream_t stream, cudaStreamCaptureStatus* status, unsigned long long* id,
                       cudaGraph_t* graph) { return cudaStreamGetCaptureInfo(stream, status, id, graph); },
    .exchange_capture_mode = cudaThreadExchangeStreamCaptureMode,
    .create_user_object = cudaUserObjectCreate,
    .release_user_object = cudaUserObjectRelease,
    .retain_user_object = cudaGraphRetainUserObject,
    .create_stream = cudaStreamCreateWithFlags,
    .destroy_stream = cudaStreamDestroy,
    .follow = cudaStreamWaitEvent,
    .create_event = cudaEventCreateWithFlags,
    .destroy_event = cudaEventDestroy,
    .mark = cudaEventRecord,
    .ask_event = cudaEventQuery,
    .wait_event = cudaEventSynchronize,
    .alloc_locked = cudaHostAlloc,
    .free_locked = cudaFreeHost,
    .kernel_attribute = cudaFuncSetAttribute,
    .clusters_that_fit = cudaOccupancyMaxActiveClusters,
    .launch = cudaLaunchKernelExC,
    .driver_entry = cudaGetDriverEntryPointByVersion,
};

namespace {
std::atomic<const Calls*> in_force{&runtime_calls};
}

const Calls& calls() noexcept { return *in_force.load(std::memory_order_relaxed); }

void replace_calls(const Calls* table) noexcept { in_force = table ? table : &runtime_calls; }

}  // namespace tw::cuda
