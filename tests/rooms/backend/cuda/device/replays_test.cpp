// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Graphs through the table of calls: whatever the driver lacks is said.
#include <gtest/gtest.h>

#include "backend/cuda/device/entry.hpp"
#include "backend/cuda/device/replays.hpp"
#include "rooms/backend/cuda/on_fake_runtime.hpp"

extern "C" const tw::cuda::Replays* tilewright_cuda_replays(unsigned long long stamp) noexcept;

namespace {

using namespace tw;

class CudaReplays : public test::OnFakeRuntime {};

Status record_and_replay(const cuda::Replays& replays) {
    int queue = 0;
    void* recorded = &queue;
    if (const Status bad = replays.record(&queue); !bad) return bad;
    if (const Status bad = replays.end(&queue, recorded); !bad) {
        EXPECT_EQ(recorded, nullptr);
        return bad;
    }
    const Status done = replays.replay(recorded, &queue);
    replays.drop(recorded);
    return done;
}

TEST_F(CudaReplays, EveryFailingCallIsReported) {
    const cuda::Replays* replays = tilewright_cuda_replays(cuda::contract_stamp);
    ASSERT_TRUE(replays);
    ASSERT_TRUE(record_and_replay(*replays));
    const int calls = test::calls_made();
    ASSERT_GT(calls, 3);
    for (int j = 1; j <= calls; ++j)
        for (const cudaError_t error : {cudaErrorInvalidValue, cudaErrorInsufficientDriver}) {
            cuda::revive();
            test::fail_call(j, error);
            const Status status = record_and_replay(*replays);
            EXPECT_FALSE(status) << "call " << j;
            EXPECT_STRNE(status.text, "");
        }
}

TEST_F(CudaReplays, AnotherContractIsRefused) { EXPECT_EQ(tilewright_cuda_replays(cuda::contract_stamp + 1), nullptr); }

}  // namespace
