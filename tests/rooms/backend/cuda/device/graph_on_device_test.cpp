// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// A product captured into a graph, on the caller's stream, and replayed: nothing in it waits, and what it
// works in is its own.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <utility>

#include "rooms/backend/cuda/on_device.hpp"
#include "tilewright/plan.hpp"

namespace on_device {
namespace {

class Graphs : public OnDevice {
protected:
    void SetUp() override {
        OnDevice::SetUp();
        if (IsSkipped()) return;
        ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
    }
    void TearDown() override {
        if (stream) cudaStreamDestroy(stream);
    }

    /// work() captured, then run `times` times.
    template <class Work>
    void replay(const Work& work, int times) {
        cudaGraph_t graph{};
        cudaGraphExec_t ready{};
        ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), cudaSuccess);
        const Status status = work();
        ASSERT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess) << status.text;
        ASSERT_TRUE(status.is_ok()) << status.text;
        ASSERT_EQ(cudaGraphInstantiate(&ready, graph, 0), cudaSuccess);
        for (int i = 0; i < times; ++i) ASSERT_EQ(cudaGraphLaunch(ready, stream), cudaSuccess);
        ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
        cudaGraphExecDestroy(ready);
        cudaGraphDestroy(graph);
    }

    cudaStream_t stream{};
};

/// C = C + AB three times, with what an epilogue may add, is what three calls give.
void expect_replays(cudaStream_t stream, const Kernel& kernel, auto&& replay) {
    Problem problem{
        .m = 136, .n = 256, .k = 192, .in = kernel.in, .out = kernel.out, .place = Place::cuda, .b = Form::col_major};
    if (kernel.takes && !kernel.takes(problem)) problem.m = 8;
    if (kernel.takes && !kernel.takes(problem)) problem.m = 24, problem.k = 1100;
    const std::int64_t m = problem.m, n = problem.n, k = problem.k;
    const Values a(kernel.in, m * k, 1), b(kernel.in, k * n, 2), bias(Type::f32, n, 3);
    Values replayed(kernel.out, m * n, 4), called(kernel.out, m * n, 4);
    Options options{.alpha = 0.1, .beta = 0.5, .device = "cuda", .kernel = kernel.name};
    if (is_complex(kernel.in)) options.epilogue = {.scale = 0.5};
    else options.epilogue = {.bias = bias.data(), .bias_size = n, .activation = Activation::gelu};
    Plan plan;
    ASSERT_TRUE(try_plan(problem, options, plan).is_ok()) << kernel.name;
    const auto run = [&](const Values& c) { return plan.try_run(a.rows(m, k), b.columns(k, n), c.rows(m, n), stream); };
    for (int i = 0; i < 3; ++i) ASSERT_TRUE(run(called).is_ok()) << kernel.name;  // scratch is there from now on
    ASSERT_TRUE(cuda().wait(stream).is_ok());
    replay([&] { return run(replayed); }, 3);
    EXPECT_TRUE(replayed.bring() == called.bring()) << kernel.name;
}

TEST_F(Graphs, EveryRowCanBeCapturedAndReplayed) {
    for (const Kernel* kernel : cuda().ladder)
        if (runs(*kernel) && has_its_turn(5))
            expect_replays(stream, *kernel, [&](const auto& work, int times) { replay(work, times); });
}

/// A product of n cubed, f32, that needs scratch, captured into a graph of its own; each replay counts from the same C.
class CapturedProduct {
public:
    CapturedProduct(std::int64_t size, unsigned seed, const char* kernel = "")
        : n(size),
          a(Type::f32, n * n, seed),
          b(Type::f32, n * n, seed + 1),
          c(Type::f32, n * n, seed + 2),
          expected(Type::f32, n * n, seed + 3),
          options{.device = "cuda", .kernel = kernel} {}
    ~CapturedProduct() {
        if (ready_) cudaGraphExecDestroy(ready_);
    }
    CapturedProduct(const CapturedProduct&) = delete;
    CapturedProduct& operator=(const CapturedProduct&) = delete;

    Status run(const Values& to, cudaStream_t stream) const {
        Options mine = options;
        mine.stream = stream;
        return try_multiply(a.rows(n, n), b.columns(n, n), to.rows(n, n), mine);
    }
    void capture(cudaStream_t stream) {
        ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
        const Status status = run(c, stream);
        cudaGraph_t graph{};
        ASSERT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess) << status.text;
        ASSERT_TRUE(status.is_ok()) << status.text;
        ASSERT_EQ(cudaGraphInstantiate(&ready_, graph, 0), cudaSuccess);
        cudaGraphDestroy(graph);  // the executable holds the scratch from now on
    }
    void launch(cudaStream_t stream) const { ASSERT_EQ(cudaGraphLaunch(ready_, stream), cudaSuccess); }
    void expect_right() { EXPECT_TRUE(c.bring() == expected.bring()); }

    std::int64_t n;
    Values a, b, c, expected;
    Options options;

private:
    cudaGraphExec_t ready_{};
};

/// All of the device's free memory, filled with a pattern. A few bytes of each 64 KiB are looked at: scratch is larger.
class AllFreeMemory {
public:
    static constexpr int pattern = 0x5a;
    AllFreeMemory() {
        for (std::size_t size = std::size_t{1} << 34; size >= std::size_t{1} << 21; size /= 2)
            for (void* block = nullptr; cudaMalloc(&block, size) == cudaSuccess;) {
                EXPECT_EQ(cudaMemset(block, pattern, size), cudaSuccess);
                blocks_.push_back({block, size});
            }
        cudaGetLastError();  // the refusal that ended it
        EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    }
    ~AllFreeMemory() {
        for (const Block& one : blocks_) cudaFree(one.memory);
    }
    AllFreeMemory(const AllFreeMemory&) = delete;
    AllFreeMemory& operator=(const AllFreeMemory&) = delete;

    std::size_t changed() const {
        constexpr std::size_t apart = std::size_t{1} << 16, looked_at = 64;
        std::size_t count = 0;
        for (const Block& one : blocks_) {
            std::vector<unsigned char> seen(one.bytes / apart * looked_at);
            EXPECT_EQ(cudaMemcpy2D(seen.data(), looked_at, one.memory, apart, looked_at, one.bytes / apart,
                                   cudaMemcpyDeviceToHost),
                      cudaSuccess);
            count += seen.size() - static_cast<std::size_t>(std::count(seen.begin(), seen.end(), pattern));
        }
        return count;
    }

private:
    struct Block {
        void* memory;
        std::size_t bytes;
    };
    std::vector<Block> blocks_{};
};

TEST_F(Graphs, AReplayAfterALargerProductWritesIntoNobodyElsesMemory) {
    CapturedProduct small(2048, 11);
    ASSERT_TRUE(small.run(small.expected, stream).is_ok());
    ASSERT_NO_FATAL_FAILURE(small.capture(stream));
    {
        const CapturedProduct large(8192, 12);  // its scratch takes the place of what the thread kept for the stream
        ASSERT_TRUE(large.run(large.c, stream).is_ok());
        ASSERT_TRUE(cuda().wait(stream).is_ok());
    }
    const AllFreeMemory others;
    small.launch(stream);
    ASSERT_TRUE(cuda().wait(stream).is_ok());
    EXPECT_EQ(others.changed(), 0u);
    small.expect_right();
}

TEST_F(Graphs, TwoOfOneStreamReplayedAtOnceOnTwoStreamsAreBothRight) {
    cudaStream_t second{};
    ASSERT_EQ(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking), cudaSuccess);
    for (const char* kernel : {"r10_split", ""}) {
        const std::int64_t n = test::is_thinned() ? 512 : 1024;
        CapturedProduct one(n, 21, kernel), other(n, 31, kernel);
        for (CapturedProduct* product : {&one, &other}) {
            ASSERT_TRUE(product->run(product->expected, stream).is_ok());
            ASSERT_NO_FATAL_FAILURE(product->capture(stream));
        }
        for (int i = test::is_thinned() ? 198 : 0; i < 200; ++i) one.launch(stream), other.launch(second);
        ASSERT_TRUE(cuda().wait(stream).is_ok());
        ASSERT_TRUE(cuda().wait(second).is_ok());
        one.expect_right();
        other.expect_right();
    }
    cudaStreamDestroy(second);
}

/// Warm up on a side stream, then capture on a stream that has never had a product.
TEST_F(Graphs, AFreshStreamCanBeCapturedAfterAWarmUpOnAnother) {
    cudaStream_t fresh{};
    ASSERT_EQ(cudaStreamCreateWithFlags(&fresh, cudaStreamNonBlocking), cudaSuccess);
    constexpr std::int64_t n = 2048;
    CapturedProduct product(test::is_thinned() ? n / 4 : n, 41);
    for (int i = 0; i < 3; ++i) ASSERT_TRUE(product.run(product.expected, stream).is_ok());
    ASSERT_TRUE(cuda().wait(stream).is_ok());
    ASSERT_NO_FATAL_FAILURE(product.capture(fresh));
    product.launch(fresh);
    ASSERT_TRUE(cuda().wait(fresh).is_ok());
    product.expect_right();

    const Values a(Type::bf16, n * n, 51), b(Type::bf16, n * n, 52);
    Values c(Type::bf16, n * n, 53), expected(Type::bf16, n * n, 54);
    const auto run = [&](const Values& to, cudaStream_t on) {  // A transposed
        return try_multiply(a.columns(n, n), b.rows(n, n), to.rows(n, n), {.device = "cuda", .stream = on});
    };
    ASSERT_TRUE(run(expected, stream).is_ok());
    ASSERT_TRUE(cuda().wait(stream).is_ok());
    std::swap(stream, fresh);
    replay([&] { return run(c, stream); }, 2);
    EXPECT_TRUE(c.bring() == expected.bring());
    cudaStreamDestroy(fresh);
}

TEST_F(Graphs, OperandsOnTheHostAreRefusedWhileCapturing) {
    std::vector<float> a(64, 1), b(64, 1), c(64, 7);
    const auto rows = [](std::vector<float>& x) { return Matrix{x.data(), Type::f32, 8, 8, 8}; };
    cudaGraph_t graph{};
    ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), cudaSuccess);
    const Status status = try_multiply(rows(a), rows(b), rows(c), {.device = "cuda", .stream = stream});
    ASSERT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess) << "the capture was spoilt";
    cudaGraphDestroy(graph);
    EXPECT_FALSE(status.is_ok());
    EXPECT_NE(std::string(status.text).find("captured"), std::string::npos) << status.text;
    EXPECT_EQ(c[0], 7);
}

}  // namespace
}  // namespace on_device
