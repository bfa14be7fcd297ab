// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Every row of every backend that this machine can run meets the judge.
#include <gtest/gtest.h>

#include <cstdio>
#include <map>
#include <ostream>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "plan/registry.hpp"
#include "support/kernel_sweep.hpp"
#include "support/sanitized.hpp"

namespace {

using namespace tw;

struct Row {
    const Backend* backend;
    const Kernel* kernel;

    /// How a failed or skipped row is called.
    friend void PrintTo(const Row& row, std::ostream* out) { *out << row.kernel->name; }
};

std::vector<Row> every_row() {
    std::vector<Row> rows;
    for (const BackendSource& source : backends())
        for (const Kernel* kernel : source().ladder) rows.push_back({&source(), kernel});
    return rows;
}

/// Why this machine cannot run it, "" when it can.
std::string missing(const Row& row) {
    if (row.backend->devices() == 0) return row.backend->absence();
    std::string names;
    for (const FeatureName& feature : row.backend->feature_names)
        if (row.kernel->needs & ~row.backend->features() & feature.bit) names += std::string(" ") + feature.name;
    return names.empty() ? "" : "this machine lacks" + names;
}

class EveryKernel : public testing::TestWithParam<Row> {};

TEST_P(EveryKernel, Fault07_IsRightOnEveryCaseOfTheSweep) {
    const auto& [backend, kernel] = GetParam();
    if (const std::string why = missing(GetParam()); !why.empty()) GTEST_SKIP() << kernel->name << ": " << why;
    const bool emulated = std::string_view(backend->name).ends_with("-check");
    // The judge takes half of the time under a sanitizer, of which that of memory alone sees what was never written by
    // what the judge reads.
    // The whole sweep once under a sanitizer is enough: under g++'s asan and ubsan.
#if defined(__clang__)
    constexpr bool is_gnus_asan = false;
#else
    constexpr bool is_gnus_asan = test::under_asan;
#endif
    const int once_in = test::is_sanitized && !test::under_msan ? 5 : 1;
    const auto report = test::sweep(*kernel, backend->place, test::runner_for(*backend),
                                    {.brief = emulated || (test::is_sanitized && !is_gnus_asan),
                                     .by_address = test::is_sanitized,
                                     .judged_once_in = once_in});
    EXPECT_TRUE(report.ok()) << kernel->name << ": " << report.sentence();
    std::printf("%s: %s\n", kernel->name, report.sentence().c_str());
}

std::string test_name(const testing::TestParamInfo<Row>& info) {
    std::string name = info.param.kernel->name;
    for (char& letter : name)
        if (letter == '.' || letter == '-') letter = '_';
    return name;
}

INSTANTIATE_TEST_SUITE_P(Ladder, EveryKernel, testing::ValuesIn(every_row()), test_name);

/// Kernel::order: rows of the ladder that name one order of summation give the same bits.
TEST(KernelOrder, OneOrderGivesOneResult) {
    const test::Trial trial{.m = 45, .n = 67, .k = 389, .seed = 11};
    std::map<std::tuple<int, Type, Type>, std::pair<std::string, std::vector<std::byte>>> first;
    for (const Row& row : every_row()) {
        if (row.kernel->order == 0 || !missing(row).empty()) continue;
        test::Trial own = trial;
        if (!row.kernel->tiles.empty()) own.tile = row.kernel->tiles.front();
        const auto outcome = run(own, *row.kernel, row.backend->place, test::runner_for(*row.backend));
        if (outcome.refused) continue;
        const std::tuple key{row.kernel->order, row.kernel->in, row.kernel->out};
        const auto [at, is_first] = first.try_emplace(key, row.kernel->name, outcome.result);
        EXPECT_EQ(at->second.second, outcome.result) << row.kernel->name << " and " << at->second.first;
    }
}

}  // namespace
