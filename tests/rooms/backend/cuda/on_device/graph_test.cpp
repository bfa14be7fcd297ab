// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// A product captured into a graph, on the caller's stream, and replayed: nothing in it waits or allocates.
#include <cuda_runtime_api.h>

#include "rooms/backend/cuda/on_device/on_device.hpp"

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
    constexpr std::int64_t k = 192;
    Problem problem{
        .m = 136, .n = 256, .k = k, .in = kernel.in, .out = kernel.out, .place = Place::cuda, .b = Form::col_major};
    if (kernel.takes && !kernel.takes(problem)) problem.m = 8;
    const std::int64_t m = problem.m, n = problem.n;
    const Values a(kernel.in, m * k, 1), b(kernel.in, k * n, 2), bias(Type::f32, n, 3);
    Values replayed(kernel.out, m * n, 4), called(kernel.out, m * n, 4);
    Options options{.alpha = 0.1, .beta = 0.5, .device = "cuda", .kernel = kernel.name};
    options.epilogue = {.bias = bias.data(), .bias_size = n, .activation = Activation::gelu};
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
        if (runs(*kernel)) expect_replays(stream, *kernel, [&](const auto& work, int times) { replay(work, times); });
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
