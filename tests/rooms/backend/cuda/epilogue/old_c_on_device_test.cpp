// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Results that are computed anew, since a row holds an Inf, add the C that was there before, not what stood for them.
#include <cmath>
#include <limits>

#include "rooms/backend/cuda/on_device.hpp"

namespace on_device {
namespace {

class OldC : public OnDevice {};

TEST_F(OldC, IsWhatRowsWithAnInfinityAreAddedTo) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    constexpr std::int64_t m = 40, k = 64, row = 3, p = 7;
    for (const std::int64_t n : {132, 133})  // by boxes and one by one
        for (const Kernel* kernel : cuda().ladder) {
            if (kernel->rung != Rung::split || kernel->in != Type::f32 || !runs(*kernel)) continue;
            Values a(Type::f32, m * k, 1), b(Type::f32, k * n, 2), c(Type::f32, m * n, 3);
            store_element(a.on_host(), 0, row * k + p, infinity);
            for (std::int64_t j = 0; j < n; ++j) store_element(c.on_host(), 0, row * n + j, infinity);
            a.send(), c.send();
            const Options options{.beta = -1, .kernel = kernel->name};
            if (!try_multiply(a.rows(m, k), b.columns(k, n), c.rows(m, n), options)) continue;
            c.bring();
            for (std::int64_t j = 0; j < n; ++j) {
                const double got = c[row * n + j];
                EXPECT_TRUE(b[j * k + p] > 0 ? std::isnan(got) : got == -infinity)
                    << kernel->name << ' ' << j << ": " << got;
                EXPECT_TRUE(std::isfinite(c[(row + 1) * n + j])) << kernel->name << ' ' << j;
            }
        }
}

}  // namespace
}  // namespace on_device
