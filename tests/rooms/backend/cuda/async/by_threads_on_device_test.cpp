// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// r9's products of a short k whose rows start anywhere: read by threads they have the bits of a tile that copies them
// for TMA, and nothing is stored beside C.
#include <cstring>

#include "plan/names.hpp"
#include "rooms/backend/cuda/on_device.hpp"

namespace on_device {
namespace {

class ByThreads : public OnDevice {};

constexpr Tile copied{64, 64, -1};

Status multiply(const Kernel& kernel, const Matrix& a, const Matrix& b, const Matrix& c, const Tile& tile) {
    const Options options{.alpha = 0.5, .kernel = kernel.name};
    Plan plan;
    if (const Status bad = try_plan(problem_of(a, b, c, options), options, plan); !bad) return bad;
    plan.tile = tile;
    return plan.try_run(a, b, c, nullptr);
}

/// All of what lies around C, too. bits: A, B and C by columns.
void compare(const Kernel& kernel, std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t from, int bits) {
    const std::int64_t gap = from % 3;
    const Values a(kernel.in, from + (m + gap) * (k + gap), 1), b(kernel.in, from + (n + gap) * (k + gap), 2);
    Values c(kernel.out, from + (m + gap) * (n + gap), 3);
    const auto place = [&](const Values& of, std::int64_t rows, std::int64_t cols, bool by_columns) {
        return by_columns ? of.steps(rows, cols, 1, rows + gap, from) : of.steps(rows, cols, cols + gap, 1, from);
    };
    const Matrix am = place(a, m, k, bits & 1), bm = place(b, k, n, bits & 2), cm = place(c, m, n, bits & 4);
    const auto product = [&](const Tile& tile) {
        std::memset(c.on_host().data, 0xff, c.bring().size());
        c.send();
        EXPECT_TRUE(multiply(kernel, am, bm, cm, tile).is_ok());
        return c.bring();
    };
    const std::vector<std::byte> right = product(copied);
    ASSERT_TRUE(product({}) == right) << kernel.name << ' ' << m << 'x' << n << 'x' << k << " from " << from << " bits "
                                      << bits;
}

TEST_F(ByThreads, HaveTheBitsOfACopyForTMA) {
    for (const char* name : {"cuda.r9_async_pipeline.bf16", "cuda.r9_async_pipeline.f16"}) {
        const Kernel* const kernel = find_kernel(name);
        if (!kernel || !runs(*kernel)) continue;
        struct Case {
            std::int64_t m, n, k, from;
        };
        for (const auto& [m, n, k, from] :
             {Case{1041, 1033, 30, 1}, Case{1027, 1131, 100, 5}, Case{137, 201, 1, 0}, Case{70, 264, 77, 2},
              Case{33, 1001, 129, 1}, Case{2000, 50, 255, 5}, Case{136, 264, 72, 1}, Case{9, 11, 17, 2},
              Case{260, 132, 100, 0}, Case{54, 38, 66, 6}})
            for (int bits = 0; bits < 8; ++bits)
                if (has_its_turn(5)) compare(*kernel, m, n, k, from, bits);
    }
}

}  // namespace
}  // namespace on_device
