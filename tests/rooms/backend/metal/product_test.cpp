// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Every kernel of the Metal ladder, executed with every access checked, on ragged shapes: the judge is content with the
// numbers, the machine has no findings, and nothing but C's elements is written.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "backend/metal/on_linux/backend.hpp"
#include "backend/metal/on_linux/door.hpp"
#include "reference/fill.hpp"
#include "reference/judge.hpp"
#include "reference/random.hpp"

namespace {

using tw::Matrix;
using tw::metal_check::LastRun;

struct Shape3 {
    std::int64_t m, n, k;
};

/// A matrix inside a larger one, whose other elements must stay as they are.
class Padded {
public:
    Padded(tw::Type type, std::int64_t rows, std::int64_t cols, bool transposed, std::int64_t padding) {
        const std::int64_t lines = transposed ? cols : rows, length = (transposed ? rows : cols) + padding;
        bytes_.assign(static_cast<std::size_t>(lines * length) * tw::size_of(type),
                      std::byte{0xff});  // NaN in every type
        view = {bytes_.data(), type, rows, cols, transposed ? 1 : length, transposed ? length : 1};
    }
    Padded(const Padded& other) : view(other.view), bytes_(other.bytes_) { view.data = bytes_.data(); }

    /// True when all outside the view is as it was made.
    bool padding_is_untouched() const {
        Padded copy = *this;
        for (std::int64_t i = 0; i < view.rows; ++i)
            for (std::int64_t j = 0; j < view.cols; ++j) std::memset(copy.view.at(i, j), 0xff, tw::size_of(view.type));
        for (const std::byte b : copy.bytes_)
            if (b != std::byte{0xff}) return false;
        return true;
    }

    Matrix view;

private:
    std::vector<std::byte> bytes_;
};

std::string findings_of_last_run() {
    LastRun run;
    tw::metal_check::door()->last_run(run);
    std::string text;
    for (const auto& finding : run.outcome.findings)
        text += std::string(run.function) + ": " + name_of(finding.kind) + " at " + finding.site + ": " + finding.text +
                '\n';
    return text;
}

void check(const tw::Kernel& kernel, const tw::Tile& tile, const Shape3& s, double alpha, double beta,
           std::uint64_t seed) {
    tw::reference::Random random(seed);
    const bool at = random.whole(0, 3) == 0, bt = random.whole(0, 3) == 0;
    const std::int64_t padding = random.whole(0, 2) * random.whole(0, 4);
    Padded a(kernel.in, s.m, s.k, at, padding), b(kernel.in, s.k, s.n, bt, padding),
        c(kernel.out, s.m, s.n, false, padding);
    tw::reference::fill_operands(a.view, b.view, tw::reference::Fill::symmetric, seed);
    if (beta != 0) tw::reference::fill(c.view, tw::reference::Fill::symmetric, seed + 1);
    const Padded before = c;

    tw::Call call{.a = a.view, .b = b.view, .c = c.view, .alpha = alpha, .beta = beta};
    const std::string what = std::string(kernel.name) + " tile " + std::to_string(tile.m) + " of " +
                             std::to_string(s.m) + 'x' + std::to_string(s.n) + 'x' + std::to_string(s.k) + " seed " +
                             std::to_string(seed);
    const tw::Status status = kernel.run(call, tile);
    ASSERT_TRUE(status.is_ok()) << what << ": " << status.text << '\n' << findings_of_last_run();
    const tw::reference::Question question{.a = a.view, .b = b.view, .c0 = before.view, .alpha = alpha, .beta = beta};
    const auto verdict = tw::reference::judge(question, c.view, {.bound = tw::certificate(kernel, s.k)});
    EXPECT_TRUE(verdict.ok) << what << ": " << verdict.sentence();
    EXPECT_TRUE(c.padding_is_untouched()) << what;
}

/// The shape itself, or one with few rows for kernels that take no other.
Shape3 fitted(const tw::Kernel& kernel, Shape3 s) {
    if (!kernel.takes({.m = s.m, .n = s.n, .k = s.k})) s.m = 1 + s.m % 16;
    return s;
}

class EveryKernel : public testing::TestWithParam<const tw::Kernel*> {};

TEST_P(EveryKernel, IsRightAndCleanOnRaggedShapes) {
    const tw::Kernel& kernel = *GetParam();
    tw::reference::Random random(17);
    for (const tw::Tile& tile : kernel.tiles) {
        for (int i = 0; i < 12; ++i) {
            const Shape3 s{random.whole(1, 100), random.whole(1, 100), random.whole(1, 100)};
            check(kernel, tile, fitted(kernel, s), i % 2 ? 1 : -0.75, i % 3 ? 0 : 0.5,
                  static_cast<std::uint64_t>(i + 1));
        }
        for (const Shape3 s : {Shape3{1, 1, 1}, {64, 64, 64}, {128, 96, 64}, {1, 130, 7}, {130, 1, 33}})
            check(kernel, tile, fitted(kernel, s), 1, 0, 5);
    }
}

TEST_P(EveryKernel, IsRightAndCleanOnLargerShapes) {
    const tw::Kernel& kernel = *GetParam();
    for (const Shape3 s : {Shape3{193, 161, 38}, {67, 259, 131}, {160, 160, 64}})
        check(kernel, kernel.tiles[0], fitted(kernel, s), 1, 0, 3);
}

std::vector<const tw::Kernel*> kernels() {
    const auto ladder = tw::metal_check::backend().ladder;
    return {ladder.begin(), ladder.end()};
}

INSTANTIATE_TEST_SUITE_P(Metal, EveryKernel, testing::ValuesIn(kernels()), [](const auto& info) {
    std::string name = info.param->name;
    for (char& c : name)
        if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
    return name;
});

}  // namespace
