// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The effort dial in Metal, executed with every access checked: it reads what the CPU reads, to the row; its results
// are the CPU's, to the bit for planes of which something is left out, within the certificate of a sum for the others;
// the order of threads changes nothing.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <string>

#include "backend/metal/effort/effort_parameters.h"
#include "backend/metal/on_linux/door.hpp"
#include "backend/metal/on_linux/machine/executor.hpp"
#include "backend/metal/on_linux/modules.hpp"
#include "rooms/effort/samples.hpp"

namespace {

using namespace tw::effort_tests;
using tw::Budget;
using tw::EffortBuild;
using tw::EffortLayout;
using tw::Type;

std::string findings() {
    tw::metal_check::LastRun run;
    tw::metal_check::door()->last_run(run);
    std::string text;
    for (const auto& finding : run.outcome.findings)
        text += std::string(run.function) + ": " + name_of(finding.kind) + " at " + finding.site + ": " + finding.text +
                '\n';
    return text;
}

/// The same number, or both none (the cutoff of a product that reads nothing).
void expect_same(double a, double b, const std::string& what) {
    EXPECT_TRUE(a == b || (std::isnan(a) && std::isnan(b))) << what << ": " << a << ", " << b;
}

struct Case {
    EffortBuild build;
    std::int64_t outputs, inputs;
    Type type = Type::f32;
};

/// Equal worths, and worths of nothing.
std::vector<float> rounded(std::int64_t inputs) {
    std::vector<float> v = gauss(inputs, 5);
    for (std::size_t i = 0; i < v.size(); i += 3) v[i] = 0.5f * std::round(2 * v[i]);
    return v;
}

/// Of every size there is: what units fall by takes most of them below nothing.
std::vector<float> fading(std::int64_t inputs) {
    std::vector<float> v = gauss(inputs, 6);
    for (std::size_t i = 1; i < v.size(); ++i)
        v[i] = std::ldexp(v[i], i % 4 == 0 ? -static_cast<int>(i % 60) : -100 - static_cast<int>(i % 50));
    return v;
}

void check(const Case& c, Budget budget, const std::vector<float>& v) {
    const std::string what = std::string(name_of(c.build.layout)) + ' ' + std::to_string(c.build.bucket) + ' ' +
                             tw::name_of(c.type) + ' ' + std::to_string(c.outputs) + 'x' + std::to_string(c.inputs) +
                             (budget.is_error() ? " error " : " effort ") + std::to_string(budget.value());
    const Weights w(c.outputs, c.inputs, c.type, 3, 0.01);
    const tw::EffortMatrix m = tw::build_effort(w.matrix, c.build);
    const Answer cpu = product(m, v, budget, {.dense = tw::DenseSwitch::never, .kernels = "portable"});
    Answer metal{std::vector<float>(static_cast<std::size_t>(c.outputs), NAN), {}};
    const tw::Status status = tw::try_matvec(m, v, metal.y, budget, {.device = "metal-check"}, metal.report);
    ASSERT_TRUE(status.is_ok()) << what << ": " << status.text << '\n' << findings();

    EXPECT_EQ(metal.report.rows_read, cpu.report.rows_read) << what;
    EXPECT_EQ(metal.report.bytes_read, cpu.report.bytes_read) << what;
    EXPECT_EQ(metal.report.rows, cpu.report.rows) << what;
    EXPECT_EQ(metal.report.bytes, cpu.report.bytes) << what;
    EXPECT_STREQ(metal.report.kernels, "metal-check");
    expect_same(metal.report.cutoff, cpu.report.cutoff, what);
    const bool is_planes = c.build.layout == EffortLayout::planes;
    // The CPU puts codes together, and rounds v d to 15 bits at once, where everything is read or nearly so.
    const bool is_whole = is_planes && cpu.report.rows_read == cpu.report.rows;
    const bool is_together = is_whole || (is_planes && cpu.report.estimated_error < 0.04);
    EXPECT_NEAR(metal.report.estimated_error, cpu.report.estimated_error,
                is_whole      ? 1e-2
                : is_together ? 1e-3
                              : 1e-6)
        << what;
    if (is_together) {
        const std::vector<double> wanted(cpu.y.begin(), cpu.y.end());
        EXPECT_LE(tw::effort_tests::relative_error(metal.y, wanted), 1e-2) << what;
        return;
    }
    if (is_planes) {
        EXPECT_EQ(std::memcmp(metal.y.data(), cpu.y.data(), 4 * metal.y.size()), 0)
            << what << ": planes sum whole numbers, chunk after chunk";
        return;
    }
    // Each is within gamma(terms) of the exact sum; a weight read is at most 1 + 2^-6 times the weight.
    const double terms = static_cast<double>(c.inputs + 4), gamma = terms * 0x1p-24 / (1 - terms * 0x1p-24);
    for (std::int64_t o = 0; o < c.outputs; ++o) {
        double sizes = 0;
        for (std::int64_t i = 0; i < c.inputs; ++i)
            sizes += std::fabs(tw::load_element(w.matrix, o, i) * static_cast<double>(v[static_cast<std::size_t>(i)]));
        const auto at = static_cast<std::size_t>(o);
        EXPECT_TRUE(std::fabs(static_cast<double>(metal.y[at]) - static_cast<double>(cpu.y[at])) <=
                    2 * gamma * (1 + 0x1p-6) * sizes)
            << what << " output " << o << ": " << metal.y[at] << ", " << cpu.y[at];
    }
}

const Case ragged[] = {
    {{.layout = EffortLayout::buckets}, 1, 1},
    {{.layout = EffortLayout::buckets}, 77, 130},
    {{.layout = EffortLayout::buckets, .bucket = 8}, 300, 65},
    {{.layout = EffortLayout::buckets, .bucket = 32}, 1030, 40},
    {{.layout = EffortLayout::buckets, .truncating = true}, 528, 129},
    {{.layout = EffortLayout::tiers}, 1, 3},
    {{.layout = EffortLayout::tiers}, 515, 131},
    {{.layout = EffortLayout::tiers}, 96, 257, Type::f16},
    {{.layout = EffortLayout::tiers}, 40, 70, Type::bf16},
    {{.layout = EffortLayout::planes}, 1, 1},
    {{.layout = EffortLayout::planes}, 130, 129},
    {{.layout = EffortLayout::planes}, 512, 70},
    {{.layout = EffortLayout::planes}, 530, 1100},
};

TEST(Effort, ReadsAndMakesWhatTheCpuDoes) {
    for (const Case& c : ragged)
        for (const Budget budget : {Budget::effort(0), Budget::effort(0.13), Budget::effort(0.5), Budget::effort(0.9),
                                    Budget::effort(1), Budget::error(0.3)})
            check(c, budget, rounded(c.inputs));
}

TEST(Effort, ReadsWhatTheCpuDoesOfVectorsThatFadeAway) {
    for (const EffortLayout layout : every_layout)
        for (const double effort : {0.1, 0.3, 0.6, 0.95})
            check({{.layout = layout}, 64, 300}, Budget::effort(effort), fading(300));
}

TEST(Effort, HasTheSameBitsInEveryOrderOfThreads) {
    for (const EffortLayout layout : every_layout) {
        const Weights w(600, 300, Type::f32, 8);
        const tw::EffortMatrix m = tw::build_effort(w.matrix, {.layout = layout});
        const std::vector<float> v = gauss(300, 9);
        const Answer first = product(m, v, Budget::effort(0.4), {.device = "metal-check"});
        for (const char* seed : {"1", "2", "3"}) {
            setenv("TW_METAL_SEED", seed, 1);
            const Answer other = product(m, v, Budget::effort(0.4), {.device = "metal-check"});
            unsetenv("TW_METAL_SEED");
            EXPECT_EQ(std::memcmp(first.y.data(), other.y.data(), 4 * first.y.size()), 0)
                << name_of(layout) << ", seed " << seed;
            EXPECT_EQ(first.report.estimated_error, other.report.estimated_error);
        }
    }
}

TEST(Effort, ServesExpertsAndBatches) {
    const Weights first(140, 90, Type::f32, 11), second(140, 90, Type::f32, 12);
    const tw::Matrix experts[] = {first.matrix, second.matrix};
    for (const EffortLayout layout : every_layout) {
        const tw::EffortMatrix m = tw::build_effort(experts, {.layout = layout});
        const std::vector<float> v = gauss(90, 13);
        std::vector<float> cpu(280), metal(280);
        const int chosen[] = {1, 0};
        for (const auto& [y, device] : {std::pair(&cpu, "cpu"), std::pair(&metal, "metal-check")})
            ASSERT_TRUE(tw::try_matvec_experts(m, chosen, {v.data(), 1, 90}, {y->data(), 2, 140}, Budget::effort(0.6),
                                               {.dense = tw::DenseSwitch::never, .device = device}, {})
                            .is_ok())
                << findings();
        for (std::size_t o = 0; o < cpu.size(); ++o)
            EXPECT_NEAR(cpu[o], metal[o], 2e-5f) << name_of(layout) << ' ' << o;
    }
}

/// What the multiplying kernels load from device memory: the bytes of the units that are read, and the entries.
TEST(Effort, CountsAreThoseOfTheHeaders) {
    for (const EffortLayout layout : every_layout) {
        const Weights w(1024, 200, Type::f32, 21);
        const tw::EffortMatrix m = tw::build_effort(w.matrix, {.layout = layout});
        const std::vector<float> v = gauss(200, 22);
        const Answer answer = product(m, v, Budget::effort(1), {.device = "metal-check"});
        tw::metal_check::LastRun run;
        tw::metal_check::door()->last_run(run);
        const auto& c = run.outcome.counters;
        const std::uint64_t tiles = 2;
        const std::uint64_t readers = layout == EffortLayout::planes ? 1 : 32;  // lanes that read an entry
        const std::uint64_t select =
            12 * 200 + (layout == EffortLayout::planes ? 4 * 200 : 0);  // everything is taken: nothing is counted
        const std::uint64_t multiply =
            static_cast<std::uint64_t>(answer.report.bytes_read) + 12 * 200 * readers * tiles;
        const std::uint64_t sum = 4 * 2 * 1024;
        EXPECT_EQ(c.device_loaded, select + multiply + sum) << name_of(layout);
        EXPECT_EQ(c.device_stored, 12 * 200 + 16 + 4 * 2 * 1024 + 4 * 1024u) << name_of(layout);
    }
}

/// The seeds keep the offset of a row in a float, which is exact below 2^24 only.
TEST(Effort, FindsRowsThatLieFarIntoTheMatrix) {
    constexpr tw::metal::uint inputs = 40002, far = 40001, buckets = 32;
    std::vector<std::uint16_t> words(std::size_t{inputs} * 16 * buckets);
    for (tw::metal::uint b = 0; b < buckets; ++b)
        words[std::size_t{far} * 16 * buckets + b] = static_cast<std::uint16_t>(0x3c00 | b % 16);
    std::vector<float> partial(16 * buckets, -1);
    tw::metal::EffortEntry entry{far, 1, 2};
    tw::metal::EffortChosen chosen{1, 0, 0, 0};
    tw::metal::EffortProduct product{};
    product.inputs = inputs, product.outputs = product.outputs_of_tile = product.padded_outputs = 16 * buckets;
    product.width = product.last_width = buckets, product.bucket = 16, product.kept = 0xfff0;
    const tw::metal_check::Bound buffers[] = {{words.data(), 2 * words.size()},
                                              {&entry, sizeof entry},
                                              {&product, sizeof product},
                                              {&chosen, sizeof chosen},
                                              {partial.data(), 4 * partial.size()}};
    tw::metal_check::Request request;
    request.module = tw::metal_check::find_family("effort_buckets")->plain;
    request.kernel = "effort_buckets";
    request.buffers = buffers;
    request.grid = request.threads = {128, 1, 1};
    request.checked = false;
    EXPECT_TRUE(tw::metal_check::execute(request).findings.empty());
    for (std::size_t o = 0; o < partial.size(); ++o) EXPECT_EQ(partial[o], o / 16 % 16 == o % 16 ? 2.0f : 0.0f) << o;
}

TEST(Effort, SaysWhichDevicesThereAre) {
    const Weights w(4, 4, Type::f32, 1);
    const tw::EffortMatrix m = tw::build_effort(w.matrix, {});
    std::vector<float> v(4, 1), y(4);
    tw::EffortReport report;
    EXPECT_EQ(tw::try_matvec(m, v, y, Budget::effort(1), {.device = "toaster"}, report).code, tw::Code::no_device);
    EXPECT_EQ(tw::try_matvec(m, v, y, Budget::effort(1), {.device = "metal"}, report).code, tw::Code::no_device)
        << "no Mac runs this test";
}

}  // namespace
