// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Few tiles of a long k, which blocks of a cluster share: right in every way that the operands lie, to the certificate.
#include "backend/cuda/tiles/heuristics_sliced.hpp"

#include "reference/judge.hpp"
#include "rooms/backend/cuda/on_device.hpp"

namespace on_device {
namespace {

class Sliced : public OnDevice {
protected:
    void SetUp() override {
        OnDevice::SetUp();
        if (IsSkipped()) return;
        for (const Kernel* one : cuda().ladder)
            if (one->name == std::string_view("cuda.few_tiles_sliced.f32") && runs(*one)) kernel = one;
        if (!kernel) GTEST_SKIP() << "this device lacks Hopper's instructions";
    }
    const Kernel* kernel = nullptr;
};

struct Shape {
    std::int64_t m, n, k;
};

TEST_F(Sliced, SharedByAClusterKeepsTheCertificate) {
    for (const auto& [m, n, k] :
         {Shape{610, 128, 1152}, {567, 120, 1670}, {70, 600, 1032}, {427, 46, 531}, {31, 640, 5001}}) {
        EXPECT_GT(cuda::sliced::way_of({m, n, k, 1, 132}).ranks, 1) << m << 'x' << n << 'x' << k;
        Values a(Type::f32, m * k, 1), b(Type::f32, k * n, 2);
        for (int lies = 0; lies < 16; ++lies) {
            if (!has_its_turn(5)) continue;
            const bool a_turned = lies & 1, b_turned = lies & 2, c_turned = lies & 4, adds = lies & 8;
            Values c(Type::f32, m * n, 3), old(Type::f32, m * n, 3);
            const Status status =
                try_multiply(a_turned ? a.columns(m, k) : a.rows(m, k), b_turned ? b.columns(k, n) : b.rows(k, n),
                             c_turned ? c.columns(m, n) : c.rows(m, n),
                             {.alpha = 1.5, .beta = adds ? -0.5 : 0.0, .kernel = kernel->name});
            ASSERT_TRUE(status.is_ok()) << status.text;
            c.bring();
            const auto seen = [](Values& of, std::int64_t rows, std::int64_t cols, bool turned) {
                return Matrix{of.on_host().data, Type::f32, rows, cols, turned ? 1 : cols, turned ? rows : 1};
            };
            const reference::Question question{seen(a, m, k, a_turned), seen(b, k, n, b_turned),
                                               seen(old, m, n, c_turned), 1.5, adds ? -0.5 : 0.0};
            const reference::Verdict verdict =
                judge(question, seen(c, m, n, c_turned), {.bound = certificate(*kernel, k)});
            EXPECT_TRUE(verdict.ok) << m << 'x' << n << 'x' << k << ' ' << lies << ": " << verdict.sentence();
        }
    }
}

}  // namespace
}  // namespace on_device
