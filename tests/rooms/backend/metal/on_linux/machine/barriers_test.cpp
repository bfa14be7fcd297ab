// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Every barrier of the effort dial's kernels is needed, and its loss is noticed: each kernel is read from its file once
// as it is and once more for each of its barriers, with that one taken out.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <string>
#include <vector>

#include "backend/metal/effort/effort_parameters.h"
#include "backend/metal/on_linux/check_file.hpp"
#include "backend/metal/on_linux/machine/executor.hpp"
#include "backend/metal/on_linux/translator/command.hpp"

namespace {

using tw::metal_check::Bound;
using tw::metal_check::Outcome;

const std::string sources = std::string(TW_METAL_TESTS) + "/../../../../src/backend/metal/effort";
constexpr std::string_view barrier = "threadgroup_barrier(mem_flags::mem_threadgroup);";
constexpr const char* kernels[] = {"effort_select", "effort_planes", "effort_buckets", "effort_tiers"};

std::size_t barriers_of(const std::string& text) {
    std::size_t count = 0;
    for (std::size_t at = text.find(barrier); at != std::string::npos; at = text.find(barrier, at + 1)) ++count;
    return count;
}

/// The file without its #include lines and without barrier `which`; names that it declares end with `suffix`.
std::string variant_of(std::string text, std::size_t which, const std::string& suffix) {
    std::size_t at = text.find(barrier);
    for (std::size_t i = 0; i < which && at != std::string::npos; ++i) at = text.find(barrier, at + 1);
    if (at != std::string::npos) text.erase(at, barrier.size());
    for (const char* name :
         {"effort_select", "effort_planes", "effort_buckets", "effort_tiers", "prefix_of", "total_of", "key_of",
          "units_before", "search", "value_at", "THREADS", "GROUPS", "GUESSES", "BLOCKS"}) {
        const std::size_t length = std::strlen(name);
        const auto joins = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
        for (at = text.find(name); at != std::string::npos; at = text.find(name, at + length))
            if ((at == 0 || !joins(text[at - 1])) && !joins(text[at + length])) text.insert(at + length, suffix);
    }
    for (at = text.find("#include"); at != std::string::npos; at = text.find("#include"))
        text.erase(at, text.find('\n', at) - at);
    return text;
}

struct Variants {
    std::vector<std::size_t> barriers;  ///< of each kernel
    tw::metal_check::OpenedFile file;
};

const Variants& variants() {
    static const Variants once = [] {
        Variants made;
        std::string all = "#include \"effort_parameters.h\"\n";
        for (const char* kernel : kernels) {
            std::string text;
            tw::metal_check::read_file(sources + '/' + kernel + ".metal", text);
            made.barriers.push_back(barriers_of(text));
            for (std::size_t which = 0; which <= made.barriers.back(); ++which)  // the last is whole
                all.append(variant_of(text, which, std::string("_").append(std::to_string(which))));
        }
        const tw::metal_check::TemporaryFolder folder;
        const std::string path = folder.path() + "/variants.metal";
        tw::metal_check::write_file(path, all);
        made.file = tw::metal_check::open_file(path, {"-I" + sources}, true);
        return made;
    }();
    return once;
}

/// What a run did: findings, and the bytes that it wrote.
struct Ran {
    Outcome outcome;
    std::vector<std::byte> written;
};

Ran run(const std::string& kernel, std::span<const Bound> buffers, std::size_t output, std::uint32_t threads) {
    tw::metal_check::Request request;
    request.module = variants().file.module;
    request.kernel = kernel;
    request.buffers = buffers;
    request.grid = request.threads = {threads, 1, 1};
    request.seed = 5;
    Ran ran{tw::metal_check::execute(request), {}};
    const auto* bytes = static_cast<const std::byte*>(buffers[output].data);
    ran.written.assign(bytes, bytes + buffers[output].bytes);
    return ran;
}

Ran run_select(std::size_t which) {
    constexpr tw::metal::uint inputs = 2100, units = 3;
    std::vector<float> v(inputs), importance(inputs, 3), left(4 * inputs, 1), gains(units * inputs, 1);
    for (std::size_t i = 0; i < inputs; ++i) v[i] = static_cast<float>(i * 7 % 5);  // many worths alike
    tw::metal::EffortChoice choice{};
    choice.inputs = inputs, choice.units = units,
    choice.reached = choice.affordable = 2900;  // ends among the equals of the second unit
    choice.has_gains = 1, choice.scale = 1, choice.entry_scale = 1;
    choice.weights[1] = 5, choice.weights[2] = 9, choice.weights[3] = 17;
    // Behind the entries what was chosen, so that one buffer is all that is written.
    std::vector<std::byte> out(sizeof(tw::metal::EffortEntry) * inputs);
    tw::metal::EffortChosen chosen{};
    const auto bound = [](auto& values) { return Bound{values.data(), values.size() * sizeof values[0]}; };
    const Bound buffers[] = {bound(v),   bound(importance),       bound(left), bound(gains), {&choice, sizeof choice},
                             bound(out), {&chosen, sizeof chosen}};
    Ran ran = run("effort_select_" + std::to_string(which), buffers, 5, 1024);
    const auto* bytes = reinterpret_cast<const std::byte*>(&chosen);
    ran.written.insert(ran.written.end(), bytes, bytes + sizeof chosen);
    return ran;
}

Ran run_product(const char* kernel, std::size_t which) {
    constexpr tw::metal::uint inputs = 100;
    std::vector<std::byte> rows(1 << 20, std::byte{0x0f});
    std::vector<tw::metal::EffortEntry> entries(inputs);
    for (tw::metal::uint i = 0; i < inputs; ++i) entries[i] = {i, 1 + i % 3, static_cast<float>(i)};
    tw::metal::EffortProduct product{};
    product.inputs = inputs, product.outputs = product.outputs_of_tile = product.padded_outputs = 512;
    product.width = product.last_width = kernel == std::string_view("effort_planes") ? 4 : 32;
    product.bucket = 16, product.kept = 0xfff0;
    tw::metal::EffortChosen chosen{inputs, 0, 1, 0};
    std::vector<float> partial(512);
    const Bound buffers[] = {{rows.data(), rows.size()},
                             {entries.data(), 12 * inputs},
                             {&product, sizeof product},
                             {&chosen, sizeof chosen},
                             {partial.data(), 2048}};
    return run(std::string(kernel) + '_' + std::to_string(which), buffers, 4, 128);
}

Ran run_variant(const char* kernel, std::size_t which) {
    return kernel == std::string_view("effort_select") ? run_select(which) : run_product(kernel, which);
}

TEST(Barriers, AreEachMissedWhenTheyAreGone) {
    for (const std::string& refusal : variants().file.refusals) ADD_FAILURE() << refusal;
    ASSERT_NE(variants().file.module, nullptr);
    for (std::size_t k = 0; k < std::size(kernels); ++k) {
        const std::size_t count = variants().barriers[k];
        EXPECT_GT(count, 0u) << kernels[k];
        const Ran whole = run_variant(kernels[k], count);
        for (const auto& finding : whole.outcome.findings) ADD_FAILURE() << kernels[k] << " as it is: " << finding.text;
        for (std::size_t which = 0; which < count; ++which) {
            const Ran ran = run_variant(kernels[k], which);
            EXPECT_TRUE(!ran.outcome.findings.empty() || ran.written != whole.written)
                << kernels[k] << " without barrier " << which << " of " << count << ": nothing was noticed";
        }
    }
}

}  // namespace
