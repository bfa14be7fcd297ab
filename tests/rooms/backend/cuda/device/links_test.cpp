// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// What devices share with each other, through the tables of calls: whatever fails there is said.
#include "backend/cuda/device/links.hpp"

#include <gtest/gtest.h>

#include <utility>

#include "backend/cuda/device/entry.hpp"
#include "rooms/backend/cuda/on_fake_runtime.hpp"

extern "C" const tw::Backend* tilewright_cuda_backend(unsigned long long stamp) noexcept;
extern "C" const tw::DeviceLinks* tilewright_cuda_links(unsigned long long stamp) noexcept;

namespace {

using namespace tw;

/// What the fake devices say of each other.
struct Said {
    int can = 1, asked_of = -1, reached = -1;
    cudaError_t asked = cudaSuccess, enabled = cudaSuccess;
} said;

constexpr cuda::LinkCalls calls{
    .can_reach =
        [](int* can, int, int other) {
            *can = said.can, said.asked_of = other;
            return said.asked;
        },
    .reach =
        [](int other, unsigned) {
            said.reached = other;
            return said.enabled;
        },
};

class CudaLinks : public test::OnFakeRuntime {
protected:
    void SetUp() override {
        OnFakeRuntime::SetUp();
        cuda::replace_link_calls(&calls);
        said = {};
    }
    void TearDown() override {
        cuda::replace_link_calls(nullptr);
        OnFakeRuntime::TearDown();
    }
    const AsyncCopies& copies = *tilewright_cuda_backend(cuda::contract_stamp)->async_copies;
    const DeviceLinks& links = *tilewright_cuda_links(cuda::contract_stamp);
};

TEST_F(CudaLinks, ADeviceIsReachedOnceItsMemoryIsMapped) {
    EXPECT_TRUE(links.reaches(3));
    EXPECT_EQ(std::pair(said.asked_of, said.reached), std::pair(3, 3));
    said.enabled = cudaErrorPeerAccessAlreadyEnabled;
    EXPECT_TRUE(links.reaches(3));
    said.enabled = cudaErrorMemoryAllocation;
    EXPECT_FALSE(links.reaches(3));
}

TEST_F(CudaLinks, ADeviceWithoutALinkIsNotAskedToMapAnything) {
    said.can = 0;
    EXPECT_FALSE(links.reaches(1));
    EXPECT_EQ(said.reached, -1);
    said = {.can = 1, .asked = cudaErrorInvalidDevice};
    EXPECT_FALSE(links.reaches(1));
    EXPECT_EQ(said.reached, -1);
}

/// A panel of another device's: its event, and a stream that follows it.
Status follow_an_event(const AsyncCopies& copies, const DeviceLinks& links) {
    void *there = nullptr, *back = nullptr, *across = nullptr;
    Status status = copies.open(there, back);
    if (status) status = links.open(across);
    if (status) status = copies.record(300, there);
    if (status) status = links.follow(across, links.handle_of(300));
    EXPECT_TRUE(!status || (across && across != there && across != back && links.handle_of(300)));
    return status;
}

TEST_F(CudaLinks, EveryFailingCallIsReported) {
    ASSERT_TRUE(follow_an_event(copies, links));
    test::fail_call(0, cudaSuccess);
    ASSERT_TRUE(follow_an_event(copies, links));
    const int made = test::calls_made();
    ASSERT_GE(made, 3);
    for (int j = 1; j <= made; ++j) {
        cuda::revive();
        test::fail_call(j, cudaErrorInvalidValue);
        const Status status = follow_an_event(copies, links);
        EXPECT_FALSE(status) << "call " << j;
        EXPECT_STRNE(status.text, "");
    }
}

TEST_F(CudaLinks, AnotherContractIsRefused) { EXPECT_EQ(tilewright_cuda_links(cuda::contract_stamp + 1), nullptr); }

}  // namespace
