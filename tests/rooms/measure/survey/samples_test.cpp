// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The judge by samples: what is right passes, and every fault that it is there for is found.
#include "measure/survey/samples.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "base/element.hpp"
#include "plan/operands.hpp"
#include "plan/registry.hpp"
#include "tilewright/multiply.hpp"

namespace tw::measure {
namespace {

/// The CPU, or a device that it plays: with memory of its own, which only copies reach.
Backend backend_of(bool is_device) {
    Backend backend = *find_backend("cpu");
    if (!is_device) return backend;
    backend.alloc = [](std::size_t bytes) { return std::malloc(bytes); };
    backend.free = [](void* memory) { std::free(memory); };
    backend.copy = [](const Matrix& to, const Matrix& from, void*) { return convert(to, from), Status{}; };
    return backend;
}

class SurveySamples : public testing::TestWithParam<bool> {
protected:
    SurveySamples() : backend_(backend_of(GetParam())), queue_(backend_), operands_(queue_, std::size_t{1} << 30) {
        what_.c.pitch = 47;
        EXPECT_TRUE(operands_.status());
        EXPECT_TRUE(operands_.lay_out(what_, sets_));
        EXPECT_TRUE(operands_.poison(what_, set()));
        EXPECT_TRUE(samples_.fetch(operands_, what_, set()));
        for (std::int64_t product = 0; product < what_.products; ++product)
            EXPECT_TRUE(try_multiply(set().a_of(product), set().b_of(product), set().c_of(product)));
    }
    const Set& set() const { return sets_.front(); }
    std::string trouble() const {
        Samples::Found found;
        EXPECT_TRUE(samples_.judge(1e-5, 1, found));
        return found.trouble;
    }

    const Backend backend_;
    Case what_{.kind = find_kind("f32"), .m = 30, .n = 40, .k = 50, .products = 3};
    Queue queue_;
    OperandMemory operands_;
    std::vector<Set> sets_;
    Samples samples_;
};

TEST_P(SurveySamples, WhatIsRightPasses) { EXPECT_EQ(trouble(), ""); }

TEST_P(SurveySamples, AWrongCornerOfTheLastProductIsFound) {
    store_element(set().c_of(2), 29, 39, 1000);
    EXPECT_NE(trouble().find("give or take"), std::string::npos) << trouble();
}

TEST_P(SurveySamples, AnElementThatNobodyWroteIsFound) {
    store_element(set().c_of(0), 29, 20, NAN);
    EXPECT_NE(trouble(), "");
}

TEST_P(SurveySamples, AWriteBetweenRowsIsFound) {
    store_element(set().c_of(1), 10, 46, 0);
    EXPECT_EQ(trouble(), "something was written beside C");
}

TEST_P(SurveySamples, AWriteBehindIsFound) {
    set().c_memory[set().c_bytes + guarded_bytes - 1] = std::byte{0};
    EXPECT_EQ(trouble(), "something was written beside C");
}

TEST_P(SurveySamples, SetsAreSeveralAndTheirNumbersDiffer) {
    ASSERT_GT(sets_.size(), 1u);
    EXPECT_NE(load_element(sets_[0].a, 0, 0), load_element(sets_[1].a, 0, 0));
    EXPECT_NE(load_element(sets_[0].a, 0, 0), load_element(sets_[0].b, 0, 0));
    double sum = 0, squares = 0;
    for (std::int64_t i = 0; i < what_.m; ++i)
        for (std::int64_t p = 0; p < what_.k; ++p) {
            const double x = load_element(set().a, i, p);
            sum += x, squares += x * x;
        }
    EXPECT_NEAR(sum / 1500, 0, 0.1);
    EXPECT_NEAR(squares / 1500, 1, 0.15);
}

INSTANTIATE_TEST_SUITE_P(InMemory, SurveySamples, testing::Bool(),
                         [](const auto& of) { return of.param ? "OfADevice" : "OfTheHost"; });

}  // namespace
}  // namespace tw::measure
