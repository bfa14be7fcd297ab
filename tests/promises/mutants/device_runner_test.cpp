// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The sweep for devices with memory of their own, tried on a device that is only pretended.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>

#include "promises/mutants/true_kernel.hpp"
#include "support/kernel_sweep.hpp"

namespace {

using namespace tw;

Status copy_bytes(const Matrix& to, const Matrix& from, void*) {
    std::memcpy(to.data, from.data, static_cast<std::size_t>(from.cols) * size_of(from.type));
    return {};
}

Backend pretended() {
    Backend row{};
    row.name = "pretended";
    row.place = Place::cuda;
    row.alloc = [](std::size_t bytes) { return std::malloc(bytes); };
    row.free = std::free;
    row.copy = copy_bytes;
    row.wait = [](void*) { return Status{}; };
    return row;
}

struct StoresAWholeVector : mutants::Correct {
    static constexpr const char* name = "stores a whole vector at the end of C, on a device";
    static void before(const Call& call) {
        const auto c = mutants::c_of(call);
        if (c.col_step == 1 && c.row_step > 0) c(c.rows - 1, (c.cols + 3) / 4 * 4 - 1) = 0;
    }
};

struct ReadsBeyondA : mutants::Correct {
    static constexpr const char* name = "sums one term too many, times 0, on a device";
    template <class D>
    static float result(const Call& call, float sum, std::int64_t i, std::int64_t j) {
        const auto a = mutants::a_of(call);
        return Correct::result<D>(call, sum + 0 * *(&a(a.rows - 1, a.cols - 1) + 1), i, j);
    }
};

TEST(DeviceRunner, TheTrueKernelPasses) {
    const Backend backend = pretended();
    const auto report = test::sweep(mutants::row<mutants::Correct>, backend.place, test::runner_for(backend));
    EXPECT_TRUE(report.ok()) << report.sentence();
}

TEST(DeviceRunner, SeesWhatIsWrittenOutside) {
    const Backend backend = pretended();
    const auto report = test::sweep(mutants::row<StoresAWholeVector>, backend.place, test::runner_for(backend));
    EXPECT_NE(report.failure.find("wrote outside"), std::string::npos) << report.sentence();
}

TEST(DeviceRunner, SeesWhatIsReadOutside) {
    const Backend backend = pretended();
    const auto report = test::sweep(mutants::row<ReadsBeyondA>, backend.place, test::runner_for(backend));
    EXPECT_FALSE(report.ok());
}

}  // namespace
