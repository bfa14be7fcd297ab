// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Products of fp16 parts whose rows scaling would spoil: every element keeps the certificate, whatever its row and its
// column hold, and what becomes of it follows from those two alone.
#include <cuda_runtime_api.h>

#include <cmath>
#include <limits>

#include "reference/judge.hpp"
#include "rooms/backend/cuda/on_device.hpp"
#include "tilewright/plan.hpp"

namespace on_device {
namespace {

constexpr std::int64_t m = 150, n = 200, k = 360;

/// How A (rows along k) and B (columns along k) are changed.
struct Kind {
    const char* name;
    void (*change)(float* a, float* b, float by);
};
constexpr Kind kinds[] = {
    {"nothing", [](float*, float*, float) {}},
    {"a column of A",
     [](float* a, float*, float by) {
         for (std::int64_t i = 0; i < m; ++i) a[i * k + 7] *= by;
     }},
    {"a column of A, zeros against it",
     [](float* a, float* b, float by) {
         for (std::int64_t i = 0; i < m; ++i) a[i * k + 7] *= by;
         for (std::int64_t j = 0; j < n; ++j) b[j * k + 7] = 0;
     }},
    {"a column of A, zeros against all others",
     [](float* a, float* b, float by) {
         for (std::int64_t i = 0; i < m; ++i) a[i * k + 7] *= by;
         for (std::int64_t j = 0; j < n; ++j)
             for (std::int64_t x = 0; x < k; ++x) b[j * k + x] = x == 7 ? b[j * k + x] : 0;
     }},
    {"a row of A and a column of B",
     [](float* a, float* b, float by) {
         for (std::int64_t x = 0; x < k; ++x) a[3 * k + x] *= by, b[130 * k + x] /= by;
     }},
    {"an element of each", [](float* a, float* b, float by) { a[5 * k + 9] *= by, b[13 * k + 11] *= by; }},
    {"opposite grades",
     [](float* a, float* b, float by) {
         const auto grade = [by](std::int64_t x) {
             return static_cast<float>(std::pow(double(by), double(x) / double(k)));
         };
         for (std::int64_t x = 0; x < k; ++x) {
             for (std::int64_t i = 0; i < m; ++i) a[i * k + x] /= grade(x);
             for (std::int64_t j = 0; j < n; ++j) b[j * k + x] *= grade(x);
         }
     }},
    {"a permutation",
     [](float*, float* b, float by) {
         for (std::int64_t j = 0; j < n; ++j)
             for (std::int64_t x = 0; x < k; ++x) b[j * k + x] = x == (j * 37 + 5) % k ? by : 0;
     }},
    {"magnitudes of 20 binades",
     [](float* a, float* b, float) {
         const auto spread = [](float* all, std::int64_t count) {
             for (std::int64_t x = 0; x < count; ++x)
                 all[x] = std::copysign(std::ldexp(1.0f, static_cast<int>(x * 7919 % 1009 % 21) - 10), all[x]);
         };
         spread(a, m * k), spread(b, n * k);
     }},
    {"large by turns",
     [](float* a, float* b, float by) {
         for (std::int64_t x = 0; x < m * k; ++x) a[x] *= x % k % 2 == 0 ? by : 1;
         for (std::int64_t x = 0; x < n * k; ++x) b[x] *= x % k % 2 == 0 ? 1 : by;
     }},
};

/// One product and its operands; B's columns, or its rows, are contiguous.
struct Split {
    Values a{Type::f32, m* k, 1}, b{Type::f32, k* n, 2}, c{Type::f32, m* n, 3};
    std::vector<float> b_by_columns;

    void fill(const Kind& kind, float by) {
        Values first(Type::f32, m * k, 1), second(Type::f32, k * n, 2);
        std::copy_n(numbers(first), m * k, numbers(a));
        b_by_columns.assign(numbers(second), numbers(second) + k * n);
        kind.change(numbers(a), b_by_columns.data(), by);
        a.send();
    }
    static float* numbers(Values& of) { return static_cast<float*>(of.on_host().data); }

    void send_b(bool by_columns) {
        for (std::int64_t x = 0; x < k; ++x)
            for (std::int64_t j = 0; j < n; ++j)
                numbers(b)[by_columns ? j * k + x : x * n + j] = b_by_columns[static_cast<std::size_t>(j * k + x)];
        b.send();
    }
    void multiply(const Kernel& kernel, bool by_columns, const Options& extra = {}) {
        send_b(by_columns);
        Options options = extra;
        options.kernel = kernel.name;
        const Status status =
            try_multiply(a.rows(m, k), by_columns ? b.columns(k, n) : b.rows(k, n), c.rows(m, n), options);
        ASSERT_TRUE(status.is_ok()) << status.text;
        c.bring();
    }
    void multiply_by(const Kernel& kernel, const Tile& tile, bool by_columns) {
        send_b(by_columns);
        const Problem problem{.m = m, .n = n, .k = k, .in = Type::f32, .out = Type::f32, .place = Place::cuda};
        const std::size_t bytes = kernel.scratch_bytes(problem, tile, 1);
        void* const scratch = cuda().alloc(bytes);
        const Status status = kernel.run({.a = a.rows(m, k),
                                          .b = by_columns ? b.columns(k, n) : b.rows(k, n),
                                          .c = c.rows(m, n),
                                          .scratch = {static_cast<std::byte*>(scratch), bytes}},
                                         tile);
        EXPECT_TRUE(status.is_ok()) << status.text;
        c.bring();
        cuda().free(scratch);
    }
};

class SplitRows : public OnDevice {
protected:
    void SetUp() override {
        OnDevice::SetUp();
        if (IsSkipped()) return;
        for (const Kernel* kernel : cuda().ladder)
            if (std::string_view(kernel->name).substr(5).starts_with("r10_split.f32.") && runs(*kernel))
                kernels.push_back(kernel);
        if (kernels.empty()) GTEST_SKIP() << "this device lacks Hopper's instructions";
    }
    std::vector<const Kernel*> kernels;
};

TEST_F(SplitRows, KeepTheCertificateForEveryElement) {
    Split one;
    for (const Kind& kind : kinds)
        for (const int power : {20, 40, 120, -20, -120}) {
            if (!has_its_turn(3)) continue;
            one.fill(kind, std::ldexp(1.0f, power));
            for (const Kernel* kernel : kernels) {
                one.multiply(*kernel, true);
                std::vector<float> old(static_cast<std::size_t>(m * n));
                const reference::Question question{{Split::numbers(one.a), Type::f32, m, k, k, 1},
                                                   {one.b_by_columns.data(), Type::f32, k, n, 1, k},
                                                   {old.data(), Type::f32, m, n, n, 1},
                                                   1,
                                                   0};
                const reference::Verdict verdict =
                    judge(question, {one.c.on_host().data, Type::f32, m, n, n, 1}, {.bound = certificate(*kernel, k)});
                EXPECT_TRUE(verdict.ok) << kernel->name << ", " << kind.name << " by 2^" << power << ": "
                                        << verdict.sentence();
                const std::vector<std::byte> bits = one.c.bring();
                for (const Tile& tile : kernel->tiles)
                    for (const bool by_columns : {true, false}) {
                        if (!has_its_turn(23)) continue;
                        one.multiply_by(*kernel, tile, by_columns);
                        EXPECT_TRUE(one.c.bring() == bits)
                            << kernel->name << ' ' << tile.n << ", " << kind.name << " by 2^" << power;
                    }
            }
        }
}

/// Its row of a permutation of B is the row itself, to the last bit.
TEST_F(SplitRows, APermutationMovesNumbersAndNothingElse) {
    Split one;
    one.fill(kinds[7], 1);
    for (const Kernel* kernel : kernels) {
        if (kernel->scheme->parts == 1) continue;
        one.multiply(*kernel, true);
        for (std::int64_t i = 0; i < m; ++i)
            for (std::int64_t j = 0; j < n; ++j)
                ASSERT_EQ(one.c[i * n + j], one.a[i * k + (j * 37 + 5) % k]) << kernel->name << ' ' << i << ' ' << j;
    }
}

/// Rows of B, or its columns, contiguous: k by one block, by several that tell each other what they found, by blocks
/// that read it twice. Some columns lose, some have few elements that count, one has an Inf at its end.
TEST_F(SplitRows, AreTheSameHoweverTheOperandsLie) {
    for (const std::int64_t depth : {100, 520, 1500, 4104, 5001}) {
        if (!has_its_turn(1)) continue;
        constexpr std::int64_t few = 35, many = 50;
        Values a(Type::f32, few * depth, 1), b(Type::f32, many * depth, 2), across(Type::f32, many * depth, 2),
            turned(Type::f32, few * depth, 1), c(Type::f32, few * many, 3);
        float *const one = Split::numbers(a), *const other = Split::numbers(b);
        for (std::int64_t x = 0; x < depth; ++x) {
            one[3 * depth + x] *= x == depth - 1 ? 0x1p30f : 1;
            other[7 * depth + x] *= x % 200 == 0 ? 1 : 0x1p-20f;
            other[8 * depth + x] *= x == depth - 2 ? 1 : 0x1p-40f;
        }
        other[49 * depth + depth - 1] = std::numeric_limits<float>::infinity();
        for (std::int64_t x = 0; x < depth; ++x) {
            for (std::int64_t j = 0; j < many; ++j) Split::numbers(across)[x * many + j] = other[j * depth + x];
            for (std::int64_t i = 0; i < few; ++i) Split::numbers(turned)[x * few + i] = one[i * depth + x];
        }
        a.send(), b.send(), across.send(), turned.send();
        for (const Kernel* kernel : kernels) {
            const auto bits = [&](const Matrix& left, const Matrix& right) {
                const Status status = try_multiply(left, right, c.rows(few, many), {.kernel = kernel->name});
                EXPECT_TRUE(status.is_ok()) << status.text;
                return c.bring();
            };
            const std::vector<std::byte> usual = bits(a.rows(few, depth), b.columns(depth, many));
            EXPECT_TRUE(bits(a.rows(few, depth), across.rows(depth, many)) == usual) << kernel->name << ' ' << depth;
            EXPECT_TRUE(bits(turned.columns(few, depth), b.columns(depth, many)) == usual)
                << kernel->name << ' ' << depth;
            EXPECT_TRUE(bits(turned.columns(few, depth), across.rows(depth, many)) == usual)
                << kernel->name << ' ' << depth;
        }
    }
}

/// A hostile row, a hostile column, an Inf and a NaN beside others: the others' bits are what they were.
TEST_F(SplitRows, AHostileRowChangesNoOther) {
    Split one;
    one.fill(kinds[0], 1);
    for (const Kernel* kernel : kernels)
        for (const bool by_columns : {true, false}) {
            one.fill(kinds[0], 1);
            one.multiply(*kernel, by_columns);
            std::vector<double> before;
            for (std::int64_t i = 0; i < m * n; ++i) before.push_back(one.c[i]);
            for (std::int64_t x = 0; x < k; ++x) Split::numbers(one.a)[65 * k + x] *= x % 3 == 0 ? 0x1p60f : 0x1p-20f;
            Split::numbers(one.a)[9 * k + 1] = std::numeric_limits<float>::infinity();
            for (std::int64_t x = 1; x < k; ++x) one.b_by_columns[static_cast<std::size_t>(131 * k + x)] *= 0x1p-50f;
            one.b_by_columns[static_cast<std::size_t>(190 * k)] = std::numeric_limits<float>::quiet_NaN();
            one.a.send();
            one.multiply(*kernel, by_columns);
            for (std::int64_t i = 0; i < m; ++i)
                for (std::int64_t j = 0; j < n; ++j) {
                    const double is = one.c[i * n + j];
                    const bool right = j == 190              ? std::isnan(is)
                                       : i == 9              ? !std::isfinite(is)
                                       : i == 65 || j == 131 ? true
                                                             : is == before[static_cast<std::size_t>(i * n + j)];
                    ASSERT_TRUE(right) << kernel->name << ' ' << i << ' ' << j << ": " << is;
                }
        }
}

/// The old C, a bias, a residual: what is summed anew meets them once, as all else does.
TEST_F(SplitRows, WhatIsSummedAnewMeetsTheOldCAndTheEpilogueOnce) {
    Split one, plain;
    for (const Kernel* kernel : kernels) {
        one.fill(kinds[2], 0x1p40f), plain.fill(kinds[2], 0x1p40f);
        plain.multiply(*kernel, true);
        Values bias(Type::f32, n, 5), residual(Type::f32, m * n, 6), old(Type::f32, m * n, 3);
        Options options{.alpha = 2, .beta = 0.5};
        options.epilogue = {.bias = bias.data(), .bias_size = n, .residual = residual.rows(m, n)};
        std::copy_n(Split::numbers(old), m * n, Split::numbers(one.c));
        one.c.send();
        one.multiply(*kernel, true, options);
        for (std::int64_t i = 0; i < m * n; ++i) {
            const auto fused = std::fma(0.5f, static_cast<float>(old[i]), 2 * static_cast<float>(plain.c[i]));
            const float with_bias = fused + static_cast<float>(bias[i % n]);
            ASSERT_NEAR(one.c[i], with_bias + static_cast<float>(residual[i]), 1e-5 * (1 + std::fabs(fused)))
                << kernel->name << ' ' << i;
        }
    }
}

/// Inf less an old Inf is a NaN: the old C is not what the parts' own result, 0 for such a row, has left there.
TEST_F(SplitRows, AnInfMeetsTheOldCOnce) {
    Split one;
    constexpr double inf = std::numeric_limits<double>::infinity();
    for (const Kernel* kernel : kernels) {
        one.fill(kinds[0], 1);
        Split::numbers(one.a)[4 * k + 2] = static_cast<float>(inf);
        one.a.send();
        for (std::int64_t j = 0; j < n; ++j)
            Split::numbers(one.c)[4 * n + j] = j % 2 == 0 ? static_cast<float>(inf) : 1;
        one.c.send();
        one.multiply(*kernel, true, {.beta = -1});
        for (std::int64_t j = 0; j < n; ++j) {
            const double old = j % 2 == 0 ? inf : 1, is = one.c[4 * n + j];
            const double should = inf * one.b_by_columns[static_cast<std::size_t>(j * k + 2)] - old;
            ASSERT_TRUE(std::isnan(should) ? std::isnan(is) : is == should) << kernel->name << ' ' << j << ": " << is;
        }
    }
}

/// One graph, benign and hostile operands by turns.
TEST_F(SplitRows, AReplayDecidesAnew) {
    cudaStream_t stream{};
    ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
    Split one;
    for (const Kernel* kernel : kernels) {
        const Options options{.device = "cuda", .kernel = kernel->name};
        Plan plan;
        const Problem problem{
            .m = m, .n = n, .k = k, .in = Type::f32, .out = Type::f32, .place = Place::cuda, .b = Form::col_major};
        ASSERT_TRUE(try_plan(problem, options, plan).is_ok());
        const auto run = [&] { return plan.try_run(one.a.rows(m, k), one.b.columns(k, n), one.c.rows(m, n), stream); };
        ASSERT_TRUE(run().is_ok());
        ASSERT_TRUE(cuda().wait(stream).is_ok());
        cudaGraph_t graph{};
        cudaGraphExec_t ready{};
        ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), cudaSuccess);
        const Status status = run();
        ASSERT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess) << status.text;
        ASSERT_EQ(cudaGraphInstantiate(&ready, graph, 0), cudaSuccess);
        for (const int which : {0, 2, 0, 6, 3, 0}) {
            if (!has_its_turn(1)) continue;
            one.fill(kinds[which], 0x1p40f);
            one.multiply(*kernel, true);
            const std::vector<std::byte> called = one.c.bring();
            std::fill_n(Split::numbers(one.c), m * n, 0.0f), one.c.send();
            ASSERT_EQ(cudaGraphLaunch(ready, stream), cudaSuccess);
            ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
            EXPECT_TRUE(one.c.bring() == called) << kernel->name << ", " << kinds[which].name;
        }
        cudaGraphExecDestroy(ready);
        cudaGraphDestroy(graph);
    }
    cudaStreamDestroy(stream);
}

}  // namespace
}  // namespace on_device
