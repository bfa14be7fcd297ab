// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The microbenchmark of loaders brings the same data however many SIMD-groups share the work, and its counts are its
// header's.
#include <gtest/gtest.h>

#include <vector>

#include "backend/metal/on_linux/machine/executor.hpp"
#include "backend/metal/on_linux/modules.hpp"

namespace {

TEST(Loaders, BringTheSameDataWhoeverLoads) {
    std::vector<float> from(128 * 64);
    for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<float>(i);
    for (const char* name : {"loaders_async", "loaders_plain"})
        for (std::uint32_t loaders = 1; loaders <= 8; ++loaders) {
            std::vector<float> to(512, -1);
            const tw::metal_check::Bound buffers[] = {{from.data(), 32768}, {to.data(), 2048}, {&loaders, 4}};
            tw::metal_check::Request request;
            request.module = tw::metal_check::find_family(name)->checked;
            request.kernel = name;
            request.buffers = buffers;
            request.grid = {512, 1, 1};
            request.threads = {256, 1, 1};
            const auto outcome = tw::metal_check::execute(request);
            for (const auto& finding : outcome.findings)
                ADD_FAILURE() << name << ' ' << loaders << ": " << finding.text;
            for (std::size_t i = 0; i < to.size(); ++i)
                ASSERT_EQ(to[i], static_cast<float>(i % 256 * 32 + 31 - i % 32)) << name << ' ' << loaders;
            EXPECT_EQ(outcome.counters.device_loaded, 2 * 32768u) << name << ' ' << loaders;
            EXPECT_EQ(outcome.counters.device_stored, 2 * 1024u);
            EXPECT_EQ(outcome.counters.threadgroup_stored, 2 * 32768u);
            EXPECT_EQ(outcome.counters.threadgroup_loaded, 2 * 1024u);
            EXPECT_EQ(outcome.counters.barriers, 2u);
            EXPECT_EQ(outcome.counters.async_copies, name[8] == 'a' ? 2 * loaders : 0u);
        }
}

}  // namespace
