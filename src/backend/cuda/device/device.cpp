// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "backend/cuda/device/device.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <atomic>

#include "backend/cuda/device/calls.hpp"
#include "backend/cuda/device/draft.hpp"
#include "backend/cuda/device/failure.hpp"
#include "backend/cuda/device/scratch.hpp"
#include "base/environment.hpp"

namespace tw::cuda {
namespace {

/// The current device's attribute; `otherwise` when it can't be asked.
int attribute(cudaDeviceAttr which, int otherwise) noexcept {
    int device = 0, value = otherwise;
    if (calls().get_device(&device) != cudaSuccess) return otherwise;
    return calls().device_attribute(&value, which, device) == cudaSuccess ? value : otherwise;
}

/// Allocating and freeing are no work of a graph: without this a capture, this thread's or another's, would forbid them
/// and be broken by them.
class OutsideOfCaptures {
public:
    OutsideOfCaptures() noexcept { calls().exchange_capture_mode(&mode_); }
    ~OutsideOfCaptures() { calls().exchange_capture_mode(&mode_); }
    OutsideOfCaptures(const OutsideOfCaptures&) = delete;
    OutsideOfCaptures& operator=(const OutsideOfCaptures&) = delete;

private:
    cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;
};

struct Counted {
    int devices;
    const char* absence;  ///< why there are none
};
Counted count() noexcept {
    int devices = 0;
    const Status status = status_of(calls().device_count(&devices), Step::count);
    if (!status) return {0, status.text};
    if (devices == 0) return {0, "there is no CUDA device on this machine"};
    if (!has_kernels()) return {0, "its library was built with TW_CUDA_DRAFT, which leaves all kernels out"};
    return {devices, ""};
}

}  // namespace

Features features() noexcept {
    const int major = attribute(cudaDevAttrComputeCapabilityMajor, 0),
              minor = attribute(cudaDevAttrComputeCapabilityMinor, 0);
    Features found = 0;
    if (major >= 8) found |= feature::sm80;
    if (major == 9 && minor == 0) found |= feature::sm90a;
    const char* allowed = environment("TW_FEATURES");
    if (!allowed) return found;
    if (!list_names(allowed, "sm80")) found &= ~feature::sm80;
    if (!list_names(allowed, "sm90a")) found &= ~feature::sm90a;
    return found;
}

int device_count() noexcept { return count().devices; }

const char* absence() noexcept { return count().absence; }

int multiprocessors() noexcept { return attribute(cudaDevAttrMultiProcessorCount, 1); }

int multiprocessors_for_costs() noexcept {
    static std::atomic<int> known{0};
    int count = known.load(std::memory_order_relaxed);
    if (count == 0) known.store(count = attribute(cudaDevAttrMultiProcessorCount, 0), std::memory_order_relaxed);
    return std::max(count, 1);
}

Status select(int device) noexcept { return status_of(calls().set_device(device), Step::select); }

bool owns_memory(const void* memory) noexcept {
    cudaPointerAttributes attributes{};
    if (calls().pointer_attributes(&attributes, memory) != cudaSuccess) {
        calls().last_error();
        return false;
    }
    return attributes.type == cudaMemoryTypeDevice || attributes.type == cudaMemoryTypeManaged;
}

void* allocate(std::size_t bytes) noexcept {
    const OutsideOfCaptures mode;
    void* memory = nullptr;
    return status_of(calls().alloc(&memory, bytes), Step::allocate) ? memory : nullptr;
}

void release(void* memory) noexcept {
    if (!memory) return;
    const OutsideOfCaptures mode;
    if (calls().free(memory) != cudaSuccess) calls().last_error();
}

std::size_t scratch_available(void* stream) noexcept {
    int device = 0;
    std::size_t left = 0, all = 0;
    if (calls().get_device(&device) != cudaSuccess || calls().memory_left(&left, &all) != cudaSuccess) {
        calls().last_error();
        return 0;
    }
    const std::size_t available = left - left / 16 + kept_bytes(stream, device);
    constexpr int no_limit = 0, most_mebibytes = 1 << 30;
    const int limit = environment_number("TW_DEVICE_MEMORY", 1, most_mebibytes, no_limit);
    return limit == no_limit ? available : std::min(available, static_cast<std::size_t>(limit) << 20);
}

bool captures(void* stream) noexcept {
    cudaStreamCaptureStatus status{};
    if (calls().is_capturing(static_cast<cudaStream_t>(stream), &status) == cudaSuccess)
        return status != cudaStreamCaptureStatusNone;
    calls().last_error();
    return false;
}

Status wait(void* stream) noexcept {
    return status_of(calls().wait_stream(static_cast<cudaStream_t>(stream)), Step::wait);
}

}  // namespace tw::cuda
