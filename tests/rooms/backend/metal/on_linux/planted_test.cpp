// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Planted defects: each must be reported, as the kind that it is and at the line that it stands on, in whatever order
// threads run and over however many cores threadgroups are spread. Right kernels must pass without a word.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

#include "backend/metal/on_linux/check_file.hpp"
#include "backend/metal/on_linux/machine/executor.hpp"

namespace {

using tw::metal_check::Kind;
using tw::metal_check::Outcome;

struct Planted {
    const char* kernel;
    Kind kind;
    unsigned threads = 64;         ///< of a threadgroup; there are 64 in all
    Kind in_another_order = kind;  ///< what it is when the other thread comes first
};

constexpr Planted planted[] = {
    {"read_past_the_end", Kind::out_of_bounds},
    {"write_past_the_end", Kind::out_of_bounds},
    {"read_before_the_start", Kind::out_of_bounds},
    {"index_wraps", Kind::out_of_bounds},
    {"grid_larger_than_the_matrix", Kind::out_of_bounds},
    {"overflow_into_the_neighbour", Kind::out_of_bounds},
    {"length_of_dynamic_memory", Kind::out_of_bounds},
    {"copy_from_outside", Kind::out_of_bounds},
    {"unwritten", Kind::unwritten},
    {"unwritten_in_a_later_threadgroup", Kind::unwritten, 32},
    {"atomic_on_unwritten", Kind::unwritten},
    {"no_barrier_before_the_read", Kind::race},
    {"no_barrier_before_the_next_write", Kind::race},
    {"two_write_one", Kind::race},
    {"neighbours_in_a_simdgroup", Kind::race},
    {"simdgroup_barrier_is_not_enough", Kind::race},
    {"device_memory_as_a_mailbox", Kind::race},
    {"atomic_beside_its_reset", Kind::race},
    {"copy_without_a_barrier", Kind::race, 64, Kind::copy_not_waited_for},
    {"copy_over_a_tile_in_use", Kind::race},
    {"threadgroups_write_one_element", Kind::race_between_threadgroups, 16},
    {"threadgroups_read_each_other", Kind::race_between_threadgroups, 16},
    {"atomic_and_plain", Kind::race_between_threadgroups, 16},
    {"flag_none", Kind::wrong_memory_flag},
    {"flag_of_the_other_memory", Kind::wrong_memory_flag},
    {"flag_threadgroup_for_device", Kind::wrong_memory_flag},
    {"flag_none_in_a_simdgroup", Kind::wrong_memory_flag},
    {"execution_barrier_before_the_next_write", Kind::wrong_memory_flag},
    {"barrier_in_a_branch", Kind::divergent_barrier},
    {"return_before_a_barrier", Kind::divergent_barrier},
    {"loops_of_different_length", Kind::divergent_barrier},
    {"lanes_in_different_calls", Kind::divergent_simd_call},
    {"lanes_missing_from_a_sum", Kind::divergent_simd_call},
    {"sum_beside_a_barrier", Kind::divergent_simd_call},
    {"matrix_in_half_a_simdgroup", Kind::divergent_simd_call, 16},
    {"copy_never_waited_for", Kind::copy_not_waited_for},
    {"copy_read_before_the_wait", Kind::copy_not_waited_for},
    {"copy_lanes_disagree", Kind::copy_disagrees},
    {"misaligned_vector", Kind::misaligned},
    {"const_cast_away", Kind::write_to_const},
    {"too_much_threadgroup_memory", Kind::over_a_limit},
    {"too_many_threads", Kind::over_a_limit, 2048},
};

const std::string source = std::string(TW_METAL_TESTS) + "/on_linux/planted.metal";

const tw::metal_check::OpenedFile& opened() {
    static const auto file = tw::metal_check::open_file(source, {}, true);
    return file;
}

Outcome run(const char* kernel, unsigned threads, unsigned seed, int cores) {
    std::vector<float> a(64, 1), c(64, 0);
    std::uint32_t n = 0;
    const tw::metal_check::Bound buffers[] = {{a.data(), 256}, {c.data(), 256}, {&n, 4}};
    const std::size_t dynamic[] = {128};
    tw::metal_check::Request request;
    request.module = opened().module;
    request.kernel = kernel;
    request.buffers = buffers;
    request.threadgroup_bytes = dynamic;
    request.grid = {std::max(64u, threads), 1, 1};
    request.threads = {threads, 1, 1};
    request.seed = seed;
    request.cores = cores;
    return tw::metal_check::execute(request);
}

/// The lines with an arrow in a kernel, as sites.
std::vector<std::string> faulty_sites(const std::string& kernel) {
    std::ifstream file(source);
    std::string line;
    bool inside = false;
    std::vector<std::string> sites;
    for (int number = 1; std::getline(file, line); ++number) {
        if (line.find('(' + kernel + ')') != std::string::npos || line.find(' ' + kernel + '(') != std::string::npos)
            inside = true;
        if (inside && line.find("// <-") != std::string::npos)
            sites.push_back("planted.metal:" + std::to_string(number));
        if (inside && line.ends_with("}") && !line.starts_with(" ")) break;
    }
    return sites;
}

std::string told(const Outcome& outcome) {
    std::string text;
    for (const auto& finding : outcome.findings)
        text += std::string("  ") + name_of(finding.kind) + " at " + finding.site + ": " + finding.text + '\n';
    return text.empty() ? "nothing was reported\n" : text;
}

class PlantedDefect : public testing::TestWithParam<Planted> {};

TEST_P(PlantedDefect, IsReportedWhereItStands) {
    for (const std::string& refusal : opened().refusals) ADD_FAILURE() << refusal;
    ASSERT_NE(opened().module, nullptr);
    const Planted& defect = GetParam();
    const std::vector<std::string> sites = faulty_sites(defect.kernel);
    for (const unsigned seed : {0u, 1u, 2u, 3u})
        for (const int cores : {1, 2}) {
            const Outcome outcome = run(defect.kernel, defect.threads, seed, cores);
            bool found = false;
            for (const auto& finding : outcome.findings)
                found |= (finding.kind == defect.kind || finding.kind == defect.in_another_order) &&
                         (sites.empty() || std::find(sites.begin(), sites.end(), finding.site) != sites.end());
            EXPECT_TRUE(found) << defect.kernel << ", seed " << seed << ", " << cores << " cores:\n" << told(outcome);
        }
}

INSTANTIATE_TEST_SUITE_P(Metal, PlantedDefect, testing::ValuesIn(planted),
                         [](const auto& info) { return std::string(info.param.kernel); });

TEST(RightKernels, AreNotReported) {
    ASSERT_NE(opened().module, nullptr);
    for (const char* kernel :
         {"right_exchange", "right_in_a_simdgroup", "right_through_device_memory", "right_atomics", "right_copy"})
        for (const unsigned seed : {0u, 1u, 2u, 3u, 4u}) {
            const Outcome outcome = run(kernel, 64, seed, 1);
            EXPECT_TRUE(outcome.findings.empty()) << kernel << ", seed " << seed << ":\n" << told(outcome);
        }
}

}  // namespace
