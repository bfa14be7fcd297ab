// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Scratch of a captured stream is the graph's: never what the thread keeps for the stream, never another capture's, and
// not freed while the graph is there.
#include "backend/cuda/device/scratch.hpp"

#include "backend/cuda/device/device.hpp"
#include "backend/cuda/device/graph_memory.hpp"
#include "rooms/backend/cuda/on_fake_runtime.hpp"

namespace tw {
namespace {

using cuda::kept_scratch;

class CapturedScratch : public test::OnFakeRuntime {
protected:
    void TearDown() override {
        test::capture(false);
        test::destroy_graphs();
        cuda::free_memory_of_lost_graphs();
        OnFakeRuntime::TearDown();
    }
    static constexpr std::size_t size = std::size_t{1} << 20;
    int stream_ = 0;
    void* stream = &stream_;
};

TEST_F(CapturedScratch, IsNotWhatTheThreadKeepsForTheStream) {
    const std::byte* kept = kept_scratch(size, stream).data();
    test::capture(true);
    const std::span<std::byte> captured = kept_scratch(size, stream);
    ASSERT_GE(captured.size(), size);
    EXPECT_NE(captured.data(), kept);
    EXPECT_EQ(kept_scratch(size / 2, stream).data(), captured.data())
        << "one block serves a capture's products in turn";
    const auto* beside = reinterpret_cast<const std::byte*>(cuda::kept_counters(stream));
    EXPECT_EQ(beside, captured.data() + captured.size()) << "counters lie beside the capture's own scratch";
    test::capture(false);
    EXPECT_EQ(kept_scratch(size, stream).data(), kept);
}

TEST_F(CapturedScratch, IsAnotherOneForEachCapture) {
    test::capture(true);
    const std::byte* first = kept_scratch(size, stream).data();
    test::capture(false);
    test::capture(true);
    EXPECT_NE(kept_scratch(size, stream).data(), first);
}

TEST_F(CapturedScratch, OutlivesLargerProductsAndManyStreamsUntilTheGraphIsGone) {
    int others[9];
    const auto use_all = [&] {
        for (int& other : others) ASSERT_FALSE(kept_scratch(4 * size, &other).empty());
    };
    use_all();  // as many blocks as a thread keeps
    const int before = test::live_allocations();
    test::capture(true);
    const std::byte* captured = kept_scratch(size, stream).data();
    ASSERT_NE(kept_scratch(16 * size, stream).data(), captured) << "a larger product of the capture has its own";
    test::capture(false);
    use_all();
    EXPECT_EQ(test::live_allocations(), before + 2) << "the graph's blocks are not among those let go";
    test::destroy_graphs();
    cuda::free_memory_of_lost_graphs();
    EXPECT_EQ(test::live_allocations(), before);
}

TEST_F(CapturedScratch, IsRefusedCleanlyWhenAGraphCantHoldIt) {
    test::capture(true);
    kept_scratch(size / 2, stream);
    const int before = test::live_allocations();
    for (const int call : {3, 4, 5}) {  // after the device and the capture: the memory, the object, the graph's hold
        test::fail_call(call, cudaErrorMemoryAllocation);
        EXPECT_TRUE(kept_scratch(4 * size, stream).empty()) << call;
        test::fail_call(0, cudaSuccess);
        cuda::free_memory_of_lost_graphs();
        EXPECT_EQ(test::live_allocations(), before) << call;
    }
    EXPECT_FALSE(kept_scratch(4 * size, stream).empty());
}

TEST_F(CapturedScratch, WhicheverCallFailsNothingIsLeftOrFreedTwice) {
    for (int call = 1; call < 10; ++call) {
        ASSERT_FALSE(kept_scratch(size, stream).empty());
        const int before = test::live_allocations();
        test::capture(true);
        test::fail_call(call, cudaErrorMemoryAllocation);
        kept_scratch(size, stream);
        test::fail_call(0, cudaSuccess);
        test::capture(false);
        test::destroy_graphs();
        cuda::free_memory_of_lost_graphs();
        EXPECT_EQ(test::live_allocations(), before) << call << ", captured";
        test::fail_call(call, cudaErrorMemoryAllocation);
        kept_scratch(static_cast<std::size_t>(call + 1) * 4 * size, stream);
        test::fail_call(0, cudaSuccess);
        const bool is_there = cuda::kept_bytes(stream, 0) > 0;
        EXPECT_EQ(test::live_allocations(), is_there ? before : before - 1) << call;
    }
}

TEST_F(CapturedScratch, IsNobodysWhereTheDeviceIsNotTold) {
    ASSERT_FALSE(kept_scratch(size, stream).empty());
    ASSERT_NE(cuda::kept_counters(stream), nullptr);
    test::fail_call(1, cudaErrorUnknown);  // which device it is
    EXPECT_EQ(cuda::kept_counters(stream), nullptr) << "device 0's would be another's";
    test::fail_call(1, cudaErrorUnknown);
    EXPECT_EQ(cuda::kept_mailboxes(stream), nullptr);
    test::fail_call(1, cudaErrorUnknown);
    EXPECT_TRUE(kept_scratch(size, stream).empty());
    test::fail_call(0, cudaSuccess);
    EXPECT_FALSE(kept_scratch(size, stream).empty());
}

}  // namespace
}  // namespace tw
