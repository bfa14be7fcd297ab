// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The seeds' own Metal kernels, in our wording (examples/metal): what docs/metal-seeds.md says of them is found.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "backend/metal/on_linux/check_file.hpp"
#include "base/rounding.hpp"

namespace {

using tw::metal_check::FileOutcome;
using tw::metal_check::FileRequest;
using tw::metal_check::Kind;

struct Square {
    explicit Square(std::uint32_t side)
        : a(side * side, 1), b(side * side, 1), c(side * side, 0), sides{side, side, side} {}
    std::vector<float> a, b, c;
    std::vector<std::uint32_t> sides;
};

FileOutcome run(const char* file, const char* kernel, Square& square, const std::vector<std::uint32_t>& grid,
                const std::vector<std::uint32_t>& threads, const std::vector<std::string>& flags = {}) {
    FileRequest request;
    request.path = TW_METAL_EXAMPLES "/";
    request.path += file;
    request.kernel = kernel;
    for (std::size_t i = 0; i < grid.size(); ++i) request.grid[i] = grid[i], request.threads[i] = threads[i];
    request.buffers = {{4, square.a.size(), square.a.data()},
                       {4, square.b.size(), square.b.data()},
                       {4, square.c.size(), square.c.data()},
                       {4, 3, square.sides.data()}};
    request.flags = flags;
    FileOutcome outcome;
    tw::metal_check::check_file(request, outcome);
    for (const std::string& refusal : outcome.refusals) ADD_FAILURE() << refusal;
    return outcome;
}

std::set<Kind> kinds_of(const FileOutcome& done) {
    std::set<Kind> kinds;
    for (const auto& finding : done.outcome.findings) kinds.insert(finding.kind);
    return kinds;
}

constexpr const char *first_kernels = "one_result_a_thread.metal", *copies = "copy_ahead_of_a_barrier.metal";

TEST(Seeds, ATileOf16ReadsASixteenthOfWhatOneResultAtATimeReads) {
    Square square(64);
    const FileOutcome naive = run(first_kernels, "naive", square, {64, 64}, {16, 16}),
                      tiled = run(first_kernels, "tiled", square, {64, 64}, {16, 16});
    EXPECT_TRUE(naive.outcome.findings.empty() && tiled.outcome.findings.empty());
    EXPECT_EQ(naive.outcome.counters.flops, 524288u);
    EXPECT_EQ(naive.outcome.counters.device_loaded, 2097152u) << "0.25 flop/byte";
    EXPECT_EQ(tiled.outcome.counters.device_loaded, 131072u) << "4 flop/byte, not 8";
    EXPECT_EQ(tiled.outcome.counters.barriers, 128u) << "two a round, in each of 16 threadgroups";
}

TEST(Seeds, WithoutBoundsAnUnevenSideHasFourKindsOfFaultsAndWithThemNone) {
    Square square(60);
    const FileOutcome unbounded = run(first_kernels, "tiled", square, {64, 64}, {16, 16});
    EXPECT_EQ(kinds_of(unbounded), (std::set{Kind::out_of_bounds, Kind::unwritten, Kind::race_between_threadgroups}));
    EXPECT_EQ(unbounded.outcome.findings.size(), 4u) << "A and B are two";
    EXPECT_TRUE(run(first_kernels, "tiled_any_side", square, {64, 64}, {16, 16}).outcome.findings.empty());
    for (const float sum : square.c) ASSERT_EQ(sum, 60);
}

TEST(Seeds, ABarrierThatOrdersNoMemoryLetsTheNextCopyOverwriteATileInUse) {
    Square square(64);
    const FileOutcome published = run(copies, "multiply", square, {32, 2, 2}, {32, 2, 2});
    EXPECT_EQ(kinds_of(published), std::set{Kind::wrong_memory_flag});
    const FileOutcome cured = run(copies, "multiply", square, {32, 2, 2}, {32, 2, 2}, {"-DLAST=mem_threadgroup"});
    EXPECT_TRUE(cured.outcome.findings.empty());
    for (const float sum : square.c) ASSERT_EQ(sum, 64);
}

struct Buckets {
    FileOutcome done;
    std::vector<float> result;
};

Buckets multiply_buckets(const std::vector<std::string>& flags, std::uint32_t outputs = 16) {
    constexpr std::uint32_t buckets = 64, rows = 32;
    std::vector<std::uint16_t> weights;
    for (std::uint32_t i = 0; i < buckets * rows; ++i)
        weights.push_back(tw::to_float16(static_cast<float>(i * 7919 % 2001) / 1000 - 1).bits);
    std::vector<float> dispatch;
    for (std::uint32_t r = 0; r < rows; ++r) dispatch.insert(dispatch.end(), {0.25f, static_cast<float>(r)});
    std::vector<std::uint32_t> count{rows};
    Buckets made{{}, std::vector<float>(buckets * outputs)};
    FileRequest request;
    request.path = TW_METAL_EXAMPLES "/bucket_select.metal";
    request.kernel = "bucket_mul";
    request.grid[0] = request.threads[0] = buckets;
    request.buffers = {{2, weights.size(), weights.data()},
                       {4, dispatch.size(), dispatch.data()},
                       {4, made.result.size(), made.result.data()},
                       {4, 1, count.data()}};
    request.flags = flags;
    tw::metal_check::check_file(request, made.done);
    return made;
}

TEST(Seeds, BucketMulAsItIsDrawnDoesNotCompileAndMendedItIsRight) {
    EXPECT_EQ(multiply_buckets({"-DAS_DRAWN"}).done.refusals.size(), 3u);
    const Buckets select = multiply_buckets({}), index = multiply_buckets({"-DBY_INDEX"});
    EXPECT_TRUE(select.done.refusals.empty() && select.done.outcome.findings.empty());
    EXPECT_EQ(select.result, index.result);
    float largest = 0;
    for (const float x : select.result) largest = std::max(largest, x);
    EXPECT_GT(largest, 0);
}

TEST(Seeds, SelectsCostAnAdditionForEachPlaceAndAnIndexCostsOne) {
    constexpr std::uint64_t weights = 64 * 32;
    EXPECT_EQ(multiply_buckets({}).done.outcome.counters.flops, 17 * weights);
    EXPECT_EQ(multiply_buckets({"-DOUTPUTS=32"}, 32).done.outcome.counters.flops, 33 * weights);
    EXPECT_EQ(multiply_buckets({"-DBY_INDEX"}).done.outcome.counters.flops, 2 * weights);
}

}  // namespace
