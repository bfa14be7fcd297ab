// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Error i at call j: every walk through the backend is made again and again, each time with one more call failing.
#include <gtest/gtest.h>

#include <cstdlib>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "backend/cuda/device/entry.hpp"
#include "backend/cuda/device/failure.hpp"
#include "rooms/backend/cuda/on_fake_runtime.hpp"

extern "C" const tw::Backend* tilewright_cuda_backend(unsigned long long stamp) noexcept;

namespace {

using namespace tw;

constexpr cudaError_t errors[] = {
    cudaErrorMemoryAllocation,       cudaErrorNoDevice,
    cudaErrorInsufficientDriver,     cudaErrorDevicesUnavailable,
    cudaErrorInitializationError,    cudaErrorInvalidValue,
    cudaErrorNoKernelImageForDevice, cudaErrorIllegalAddress,
    cudaErrorLaunchFailure,          cudaErrorECCUncorrectable,
    cudaErrorLaunchTimeout,
};
constexpr cudaError_t sticky[] = {cudaErrorIllegalAddress, cudaErrorLaunchFailure, cudaErrorECCUncorrectable,
                                  cudaErrorLaunchTimeout};

class CudaFailures : public test::OnFakeRuntime {
protected:
    const Backend& backend = *tilewright_cuda_backend(cuda::contract_stamp);
};

Status copies(const Backend& backend) {
    static std::vector<float> x(64), y(64);
    const Matrix dense{x.data(), Type::f32, 8, 8, 8}, rows{y.data(), Type::f32, 8, 4, 8},
        across{y.data(), Type::f32, 8, 8, 1, 8};
    Status status = backend.copy(dense, dense, nullptr);
    if (status) status = backend.copy(dense.block(0, 0, 8, 4), rows, nullptr);
    if (status) status = backend.copy(dense, across, nullptr);
    if (status) status = backend.finish(dense, 0.5, 0, {.scale = 2}, nullptr);
    return status ? backend.wait(nullptr) : status;
}

TEST_F(CudaFailures, AWalkWithoutFailuresIsOk) {
    EXPECT_TRUE(copies(backend));
    for (const Kernel* kernel : backend.ladder) {
        const Status status = test::product(*kernel);
        EXPECT_TRUE(status) << kernel->name << ": " << status.text;
    }
}

TEST_F(CudaFailures, Fault18_EveryFailingCallIsReportedByEveryKernel) {
    for (const Kernel* kernel : backend.ladder) {
        cuda::revive();
        test::fail_call(0, cudaSuccess);
        ASSERT_TRUE(test::product(*kernel)) << kernel->name;
        const int calls = test::calls_made();
        int reported = 0;
        for (int j = 1; j <= calls; ++j)
            for (const cudaError_t error : errors) {
                cuda::revive();
                test::fail_call(j, error);
                const Status status = test::product(*kernel);
                if (status) continue;
                EXPECT_STRNE(status.text, "") << kernel->name;
                ++reported;
            }
        EXPECT_GE(reported, static_cast<int>(std::size(errors))) << kernel->name << " hides a failed launch";
    }
}

TEST_F(CudaFailures, EveryFailingCopyIsReported) {
    ASSERT_TRUE(copies(backend));
    for (int j = 1; j <= 40; ++j)
        for (const cudaError_t error : errors) {
            cuda::revive();
            test::fail_call(j, error);
            const Status status = copies(backend);
            EXPECT_TRUE(status || *status.text) << "call " << j;
        }
}

/// What a product of host operands does beside copies and kernels.
Status overlapped(const Backend& backend) {
    const AsyncCopies& async_copies = *backend.async_copies;
    void *there = nullptr, *back = nullptr;
    Status status = async_copies.open(there, back);
    if (status && async_copies.page_locked_buffer(4096).size() < 4096)
        status = {Code::out_of_memory, Argument::none, "there is no buffer"};
    if (status) status = async_copies.wait_for(there, 0);
    if (status) status = async_copies.record(0, there);
    if (status) status = async_copies.wait_for(back, 0);
    if (status && async_copies.has_passed(0)) status = async_copies.await(0);
    return status;
}

TEST_F(CudaFailures, EveryFailureOfOverlappedCopiesIsReported) {
    int calls = 0;
    for (const bool failing : {false, true})
        for (int j = 1; j <= (failing ? calls : 1); ++j)
            for (const cudaError_t error : errors) {
                cuda::revive();
                const int before = test::live_allocations();
                std::thread([&] {  // what a thread keeps for its copies goes with it
                    test::fail_call(failing ? j : 0, error);
                    const Status status = overlapped(backend);
                    if (!failing) calls = test::calls_made();
                    test::fail_call(0, cudaSuccess);
                    // An event's question alone may fail untold: the answer to the wait that follows it tells.
                    EXPECT_TRUE(failing ? !status || j == calls - 1 : status.is_ok())
                        << "call " << j << ": " << status.text;
                    EXPECT_TRUE(status || *status.text) << "call " << j;
                })
                    .join();
                EXPECT_EQ(test::live_allocations(), before) << "call " << j;
            }
    EXPECT_GE(calls, 8);
}

TEST_F(CudaFailures, MemoryThatCantBeAskedForIsNone) {
    test::fail_call(0, cudaSuccess);
    EXPECT_GT(backend.async_copies->free_bytes(nullptr), std::size_t{1} << 29);
    test::fail_call(2, cudaErrorDevicesUnavailable);
    EXPECT_EQ(backend.async_copies->free_bytes(nullptr), 0u);
    test::fail_call(0, cudaSuccess);
    setenv("TW_DEVICE_MEMORY", "64", 1);
    EXPECT_EQ(backend.async_copies->free_bytes(nullptr), std::size_t{64} << 20);
    unsetenv("TW_DEVICE_MEMORY");
    EXPECT_FALSE(backend.async_copies->is_page_locked(&backend));
}

TEST_F(CudaFailures, EachErrorHasASentenceOfItsOwn) {
    std::set<std::string> sentences;
    for (const cudaError_t error : errors) {
        cuda::revive();
        sentences.insert(cuda::status_of(error, cuda::Step::launch).text);
    }
    EXPECT_EQ(sentences.size(), std::size(errors));
}

TEST_F(CudaFailures, Fault18_AfterAStickyErrorTheDeviceIsRefused) {
    for (const cudaError_t error : sticky) {
        cuda::revive();
        test::fail_call(0, cudaSuccess);
        const Status first = cuda::status_of(error, cuda::Step::wait);
        EXPECT_EQ(first.code, Code::device_failed);
        const Status later = copies(backend);
        EXPECT_EQ(later.code, Code::device_failed);
        EXPECT_STREQ(later.text, first.text);
    }
}

TEST_F(CudaFailures, AbsenceSaysWhy) {
    test::fail_call(1, cudaErrorInsufficientDriver);
    EXPECT_EQ(backend.devices(), 0);
    test::fail_call(1, cudaErrorInsufficientDriver);
    EXPECT_NE(std::string(backend.absence()).find("driver"), std::string::npos);
    test::fail_call(1, cudaErrorNoDevice);
    EXPECT_NE(std::string(backend.absence()).find("no CUDA device"), std::string::npos);
    test::pretend({.has_kernels = false});
    EXPECT_EQ(backend.devices(), 0);
    EXPECT_NE(std::string(backend.absence()).find("TW_CUDA_DRAFT"), std::string::npos);
}

TEST_F(CudaFailures, RefusedMemoryIsNoMemory) {
    test::fail_call(1, cudaErrorMemoryAllocation);
    EXPECT_EQ(backend.alloc(1024), nullptr);
    const int before = test::live_allocations();
    test::fail_call(0, cudaSuccess);
    void* memory = backend.alloc(1024);
    ASSERT_NE(memory, nullptr);
    backend.free(memory);
    EXPECT_EQ(test::live_allocations(), before);
    test::fail_call(3, cudaErrorMemoryAllocation);  // 1 asks for the device, 2 whether the stream is captured
    int stream = 0;
    EXPECT_TRUE(backend.scratch(std::size_t{1} << 24, &stream).empty());
}

TEST_F(CudaFailures, AStreamTellsWhetherItIsCaptured) {
    int stream = 0;
    EXPECT_FALSE(backend.captures(&stream));
    test::capture(true);
    EXPECT_TRUE(backend.captures(&stream));
    test::fail_call(1, cudaErrorStreamCaptureImplicit);
    EXPECT_FALSE(backend.captures(&stream)) << "a stream that can't be asked is not captured";
    test::capture(false);
}

TEST_F(CudaFailures, AnotherContractIsRefused) {
    EXPECT_EQ(tilewright_cuda_backend(cuda::contract_stamp + 1), nullptr);
}

}  // namespace
