// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The counts by hand in each kernel's header, beside what the machine counted.
#include <gtest/gtest.h>

#include <string_view>
#include <vector>

#include "backend/metal/on_linux/backend.hpp"
#include "backend/metal/on_linux/door.hpp"

namespace {

using tw::metal_check::Counters;
using u64 = std::uint64_t;

struct Case {
    u64 m, n, k, s;  // s: bytes an element
    u64 up(u64 x, u64 to) const { return (x + to - 1) / to * to; }
};

/// Rungs 3 to 7: blocks of BM x BN, tiles BK deep; `loads` elements from threadgroup memory for `per` multiplications.
Counters tiled(const Case& c, u64 block, u64 depth, u64 loads, u64 per) {
    const u64 m = c.up(c.m, block), n = c.up(c.n, block), k = c.up(c.k, depth);
    Counters out;
    out.device_loaded = (c.m * c.k * (n / block) + c.k * c.n * (m / block)) * c.s;
    out.device_stored = c.m * c.n * c.s;
    out.threadgroup_stored = 2 * m * n * k / block * c.s;
    out.threadgroup_loaded = m * n * k * loads / per * c.s;
    out.flops = 2 * m * n * k + c.m * c.n;
    out.threadgroups = m / block * (n / block);
    out.barriers = 2 * (k / depth) * out.threadgroups;
    return out;
}

/// Rung 9: as `tiled`, and C passes through threadgroup memory as floats.
Counters pipelined(const Case& c, u64 block, u64 depth, u64 s, bool is_async) {
    Counters out = tiled(c, block, depth, 1, 4 * s);
    const u64 through = 4 * c.up(c.m, block) * c.up(c.n, block);
    out.threadgroup_stored += through;
    out.threadgroup_loaded += 4 * c.m * c.n;
    out.simdgroup_barriers = 2 * c.up(c.m, block) * c.up(c.n, block) / 64;
    if (is_async) out.async_copies = out.barriers;
    return out;
}

Counters by_hand(std::string_view kernel, const tw::Tile& tile, const Case& c) {
    const auto is = [&](std::string_view rung) { return kernel.find(rung) != std::string_view::npos; };
    Counters out;
    if (is("r1_") || is("r2_")) {
        out.device_loaded = 2 * c.m * c.n * c.k * c.s;
        out.device_stored = c.m * c.n * c.s;
        out.flops = 2 * c.m * c.n * c.k + c.m * c.n;
        out.threadgroups =
            is("r1_") ? c.up(c.m, 16) / 16 * (c.up(c.n, 16) / 16) : c.up(c.m, 8) / 8 * (c.up(c.n, 32) / 32);
    } else if (is("r3_")) {
        const auto t = static_cast<u64>(tile.m);
        out = tiled(c, t, t, 2, 1);
    } else if (is("r4_")) {
        out = tiled(c, 32, 16, 5, 4);
    } else if (is("r5_")) {
        out = tiled(c, 32, 16, 1, 2);
    } else if (is("r6_")) {
        out = tiled(c, 64, 16, 1, 2);
    } else if (is("r7_")) {
        out = tiled(c, 64, 16, 3, 8);
    } else if (is("r8_")) {
        const u64 m = c.up(c.m, 16), n = c.up(c.n, 16), k = c.up(c.k, 8);
        // Matrices over an edge: those of A in the last rows or at the end of k, and likewise those of B.
        const u64 whole_k = c.k / 8, edges_a = m / 8 * (k / 8) - c.m / 8 * whole_k,
                  edges_b = n / 8 * (k / 8) - c.n / 8 * whole_k;
        const u64 edges = edges_a * (n / 16) + edges_b * (m / 16);
        out.device_loaded = (c.m * c.k * (n / 16) + c.k * c.n * (m / 16)) * c.s;
        out.device_stored = c.m * c.n * c.s;
        out.threadgroup_stored = 4 * m * n + 64 * c.s * edges;
        out.threadgroup_loaded = 4 * c.m * c.n + 64 * c.s * edges;
        out.flops = 2 * m * n * k + c.m * c.n;
        out.simdgroup_barriers = 2 * (m * n / 64 + edges);
        out.threadgroups = c.up(c.m, 32) / 32 * (c.up(c.n, 32) / 32);
    } else if (is("r9_")) {
        out = pipelined(c, static_cast<u64>(tile.m), static_cast<u64>(tile.k), static_cast<u64>(tile.m) / 16,
                        is("async"));
    } else {
        const u64 n = c.up(c.n, 32);
        out.device_loaded = (c.m * c.k * c.n + c.k * c.n) * c.s;
        out.device_stored = c.m * c.n * c.s;
        out.threadgroup_stored = 32 * c.m * n;
        out.threadgroup_loaded = 32 * c.m * c.n;
        out.flops = 2 * c.m * c.k * c.n + 8 * c.m * c.n + c.m * c.n;
        out.threadgroups = n / 32;
        out.barriers = out.threadgroups;
    }
    if (is(".c64")) out.flops = 4 * (out.flops - c.m * c.n) + 6 * c.m * c.n;
    return out;
}

void expect_counts(const tw::Kernel& kernel, const tw::Tile& tile, const Case& c) {
    const std::size_t size = tw::size_of(kernel.in);
    std::vector<std::byte> a(c.m * c.k * size), b(c.k * c.n * size), out(c.m * c.n * size);
    const auto view = [&](std::vector<std::byte>& data, u64 rows, u64 cols) {
        return tw::Matrix{data.data(), kernel.in, static_cast<std::int64_t>(rows), static_cast<std::int64_t>(cols),
                          static_cast<std::int64_t>(cols)};
    };
    const tw::Call call{.a = view(a, c.m, c.k), .b = view(b, c.k, c.n), .c = view(out, c.m, c.n)};
    ASSERT_TRUE(kernel.run(call, tile).is_ok()) << kernel.name;
    tw::metal_check::LastRun run;
    tw::metal_check::door()->last_run(run);
    const Counters got = run.outcome.counters, want = by_hand(kernel.name, tile, c);
    const std::string what = std::string(run.function) + " of " + std::to_string(c.m) + 'x' + std::to_string(c.n) +
                             'x' + std::to_string(c.k);
    EXPECT_EQ(got.device_loaded, want.device_loaded) << what;
    EXPECT_EQ(got.device_stored, want.device_stored) << what;
    EXPECT_EQ(got.threadgroup_loaded, want.threadgroup_loaded) << what;
    EXPECT_EQ(got.threadgroup_stored, want.threadgroup_stored) << what;
    EXPECT_EQ(got.barriers, want.barriers) << what;
    EXPECT_EQ(got.simdgroup_barriers, want.simdgroup_barriers) << what;
    EXPECT_EQ(got.async_copies, want.async_copies) << what;
    EXPECT_EQ(got.flops, want.flops) << what;
    EXPECT_EQ(got.threadgroups, want.threadgroups) << what;
}

TEST(Counts, AreThoseOfTheHeaders) {
    for (const tw::Kernel* kernel : tw::metal_check::backend().ladder)
        for (const tw::Tile& tile : kernel->tiles) {
            const u64 size = tw::size_of(kernel->in), rows = kernel->rung == tw::Rung::none ? 11 : 96;
            expect_counts(*kernel, tile, {rows, 96, 96, size});
            expect_counts(*kernel, tile, {rows - 3, 75, 50, size});
        }
}

}  // namespace
