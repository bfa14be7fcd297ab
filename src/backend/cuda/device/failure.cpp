// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "backend/cuda/device/failure.hpp"

#include <atomic>

#include "backend/cuda/device/calls.hpp"

namespace tw::cuda {
namespace {

struct Known {
    cudaError_t error;
    Code code;
    bool sticky;
    const char* text;
};
constexpr Known known[] = {
    {cudaErrorMemoryAllocation, Code::out_of_memory, false, "the CUDA device has not enough free memory"},
    {cudaErrorNoDevice, Code::no_device, false, "there is no CUDA device on this machine"},
    {cudaErrorInvalidDevice, Code::no_device, false, "there is no CUDA device of that number"},
    {cudaErrorInsufficientDriver, Code::no_device, false, "the NVIDIA driver is missing or older than CUDA 12.4 needs"},
    {cudaErrorStubLibrary, Code::no_device, false, "libcuda is the toolkit's stub, not a driver"},
    {cudaErrorSystemDriverMismatch, Code::no_device, false, "the NVIDIA driver's parts are of different versions"},
    {cudaErrorCompatNotSupportedOnDevice, Code::no_device, false,
     "the forward compatibility package does not support this CUDA device"},
    {cudaErrorDevicesUnavailable, Code::no_device, false, "every CUDA device is busy or closed to this process"},
    {cudaErrorInitializationError, Code::device_failed, false, "the NVIDIA driver could not be initialised"},
    {cudaErrorNoKernelImageForDevice, Code::unsupported, false,
     "this CUDA device is older than sm_80: no code for it here"},
    {cudaErrorUnsupportedPtxVersion, Code::unsupported, false, "the NVIDIA driver is too old for this library's PTX"},
    {cudaErrorJitCompilerNotFound, Code::unsupported, false, "the NVIDIA driver's PTX compiler is missing"},
    {cudaErrorLaunchOutOfResources, Code::device_failed, false, "a kernel asks for more registers than the device has"},
    {cudaErrorStreamCaptureUnsupported, Code::unsupported, false, "that can't be done while a stream is captured"},
    {cudaErrorStreamCaptureInvalidated, Code::unsupported, false, "the stream's capture was broken by another call"},
    {cudaErrorIllegalAddress, Code::device_failed, true,
     "the CUDA device met an illegal address: it is lost to this process"},
    {cudaErrorMisalignedAddress, Code::device_failed, true, "the CUDA device met a misaligned address: it is lost"},
    {cudaErrorIllegalInstruction, Code::device_failed, true, "the CUDA device met an illegal instruction: it is lost"},
    {cudaErrorInvalidPc, Code::device_failed, true, "the CUDA device's program counter went astray: it is lost"},
    {cudaErrorInvalidAddressSpace, Code::device_failed, true, "the CUDA device met a wrong address space: it is lost"},
    {cudaErrorHardwareStackError, Code::device_failed, true, "the CUDA device's stack overflowed: it is lost"},
    {cudaErrorAssert, Code::device_failed, true, "an assertion failed on the CUDA device: it is lost to this process"},
    {cudaErrorLaunchTimeout, Code::device_failed, true, "the CUDA device's watchdog stopped a kernel: it is lost"},
    {cudaErrorLaunchFailure, Code::device_failed, true,
     "a kernel failed on the CUDA device: it is lost to this process"},
    {cudaErrorECCUncorrectable, Code::device_failed, true,
     "the CUDA device's memory had an error that ECC can't correct"},
    {cudaErrorContained, Code::device_failed, true, "the CUDA device contained a memory error: start the process anew"},
    {cudaErrorNvlinkUncorrectable, Code::device_failed, true,
     "the CUDA device's NVLink had an error beyond correction"},
    {cudaErrorContextIsDestroyed, Code::device_failed, true, "the CUDA context was destroyed under this process"},
    {cudaErrorCudartUnloading, Code::device_failed, true, "the CUDA driver is shutting down with this process"},
};

/// By Step, for what the list above does not name.
constexpr const char* unnamed[] = {
    "counting the CUDA devices failed",
    "choosing the CUDA device failed",
    "asking the CUDA device for its properties failed",
    "allocating memory of the CUDA device failed",
    "freeing memory of the CUDA device failed",
    "copying to, from or on the CUDA device failed",
    "clearing memory of the CUDA device failed",
    "waiting for the CUDA device failed",
    "preparing a kernel for the CUDA device failed",
    "launching a kernel on the CUDA device failed",
    "describing a matrix to the CUDA device's TMA failed",
    "putting copies and kernels in order on the CUDA device failed",
};

constexpr int most_devices = 64;
std::atomic<const char*> dead[most_devices]{};

/// The current device, or -1: asked of the runtime itself, since the table may be what fails.
int current_device() noexcept {
    int device = -1;
    return calls().get_device(&device) == cudaSuccess && device >= 0 && device < most_devices ? device : -1;
}

}  // namespace

Status status_of(cudaError_t error, Step step) noexcept {
    if (error == cudaSuccess) return {};
    calls().last_error();  // an error that is not sticky must not be found by a later, innocent call
    for (const Known& one : known) {
        if (one.error != error) continue;
        if (one.sticky)
            if (const int device = current_device(); device >= 0) dead[device] = one.text;
        return {one.code, Argument::none, one.text};
    }
    return {Code::device_failed, Argument::none, unnamed[static_cast<int>(step)]};
}

Status alive() noexcept {
    const int device = current_device();
    if (device < 0) return {};
    const char* text = dead[device].load(std::memory_order_relaxed);
    if (!text) return {};
    return {Code::device_failed, Argument::none, text};
}

void revive() noexcept {
    for (auto& one : dead) one = nullptr;
}

}  // namespace tw::cuda
