// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// With packed operands a row stays within the scratch that it asks for, whatever its parts' heights are.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "backend/cpu/backend.hpp"
#include "base/element.hpp"
#include "support/sanitized.hpp"

namespace {

using namespace tw;

constexpr std::byte untouched{0xa5};

/// Memory that begins at a line, and what lies behind it.
class Guarded {
public:
    explicit Guarded(std::size_t bytes) : memory_(bytes + line + behind, untouched), bytes_(bytes) {
        const std::size_t off = reinterpret_cast<std::uintptr_t>(memory_.data()) % line;
        begin_ = memory_.data() + (off ? line - off : 0);
    }
    std::span<std::byte> span() { return {begin_, bytes_}; }
    bool is_whole() const {
        return std::all_of(begin_ + bytes_, begin_ + bytes_ + behind, [](std::byte b) { return b == untouched; });
    }

private:
    static constexpr std::size_t line = 64, behind = 1 << 16;
    std::vector<std::byte> memory_;
    std::size_t bytes_;
    std::byte* begin_;
};

void expect_within(const Kernel& row, bool is_a, std::int64_t m, std::int64_t n, int threads) {
    constexpr std::int64_t k = 48;
    const std::string what = std::string(row.name) + (is_a ? " packed A " : " packed B ") + std::to_string(m) + "x" +
                             std::to_string(n) + ", " + std::to_string(threads) + " threads";
    const auto size = size_of(row.in);
    std::vector<std::byte> a(static_cast<std::size_t>(m * k) * size), b(static_cast<std::size_t>(k * n) * size),
        c(static_cast<std::size_t>(m * n) * size);
    const Matrix of_a{a.data(), row.in, m, k, k}, of_b{b.data(), row.in, k, n, n}, of_c{c.data(), row.out, m, n, n};
    Call call{.a = of_a, .b = of_b, .c = of_c, .threads = threads};
    Guarded panels(row.packing->bytes(row.in, is_a ? m : n, k, is_a));
    row.packing->pack(is_a ? of_a : of_b, is_a, call, panels.span().data());
    EXPECT_TRUE(panels.is_whole()) << what;
    const Problem problem{.m = m, .n = n, .k = k, .in = row.in, .out = row.out};
    Guarded scratch(row.scratch_bytes(problem, row.tiles[0], threads));
    call.scratch = scratch.span();
    call.packed = {.panels = panels.span().data(), .is_a = is_a, .on_left = is_a, .type = row.in};
    ASSERT_TRUE(row.run(call, row.tiles[0]).is_ok()) << what;
    EXPECT_TRUE(scratch.is_whole()) << what << ": memory behind the scratch was written to";
}

TEST(PackedOperands, LeaveWhatLiesBehindTheScratch) {
    int rows = 0;
    for (const Kernel* row : cpu::backend().ladder) {
        if (!row->packing || (row->needs & ~cpu::backend().features())) continue;
        ++rows;
        for (const bool is_a : {false, true})
            for (std::int64_t m = test::is_sanitized ? 127 : 125; m <= (test::is_sanitized ? 128 : 129); ++m)
                for (const std::int64_t n : {192, 512})
                    for (const int threads : {1, 2}) expect_within(*row, is_a, m * threads, n, threads);
    }
    EXPECT_GT(rows, 0);
}

}  // namespace
