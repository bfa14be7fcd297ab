// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Rows so far apart that offsets pass 2^31 elements: a kernel that computes them in 32 bits reads elsewhere. The memory
// is reserved, not filled, so kernels run without checks, which would copy it.
#include <gtest/gtest.h>

#include <sys/mman.h>

#include <cstdlib>
#include <vector>

#include "backend/metal/on_linux/backend.hpp"
#include "backend/metal/on_linux/door.hpp"
#include "reference/fill.hpp"
#include "reference/judge.hpp"

namespace {

class Plain {
public:
    Plain() { setenv("TW_METAL_CHECK", "plain", 1); }
    ~Plain() { unsetenv("TW_METAL_CHECK"); }
};

TEST(Offsets, AreSixtyFourBitsWide) {
    const Plain plain;
    constexpr std::int64_t step = (std::int64_t{1} << 31) + 64, rows = 3, cols = 9;
    constexpr std::size_t bytes = static_cast<std::size_t>(rows * step) * tw::size_of(tw::Type::c64);  // the widest
    void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) GTEST_SKIP() << "this machine does not reserve " << bytes << " bytes";
    for (const tw::Kernel* kernel : tw::metal_check::backend().ladder) {
        const tw::Matrix a{memory, kernel->in, rows, cols, step};
        std::vector<std::byte> b_data(static_cast<std::size_t>(cols * cols) * tw::size_of(kernel->in));
        const tw::Matrix b{b_data.data(), kernel->in, cols, cols, cols};
        const tw::Matrix c{static_cast<char*>(memory) + 256, kernel->out, rows, cols, step};
        tw::reference::fill_operands(a, b, tw::reference::Fill::symmetric, 7);
        ASSERT_TRUE(kernel->run({.a = a, .b = b, .c = c}, kernel->tiles[0]).is_ok()) << kernel->name;
        const auto verdict = tw::reference::judge({.a = a, .b = b}, c, {.bound = tw::certificate(*kernel, cols)});
        EXPECT_TRUE(verdict.ok) << kernel->name << ": " << verdict.sentence();
    }
    munmap(memory, bytes);
}

}  // namespace
