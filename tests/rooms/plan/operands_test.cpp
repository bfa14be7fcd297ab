// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// What is copied from one type to another: every element, rounded once, and nothing beside it.
#include "plan/operands.hpp"

#include <gtest/gtest.h>

#include "base/element.hpp"
#include "base/rounding.hpp"
#include "support/guarded_matrix.hpp"

namespace {

using namespace tw;

constexpr std::int64_t rows = 5, cols = 37;

double element(std::int64_t i, std::int64_t j) { return (static_cast<double>(i * cols + j) - 90) / 3; }

void expect_copied(Type to, Type from, const test::Lie& there, const test::Lie& here) {
    SCOPED_TRACE(std::string(name_of(from)) + ", " + here.text() + ", to " + name_of(to) + ", " + there.text());
    const test::GuardedMatrix source(from, rows, cols, here);
    test::GuardedMatrix target(to, rows, cols, there);
    const bool is_complex = tw::is_complex(to);
    for (std::int64_t i = 0; i < rows; ++i)
        for (std::int64_t j = 0; j < cols; ++j)
            if (is_complex) store_complex(source, i, j, {element(i, j), element(j, i)});
            else store_element(source, i, j, element(i, j));
    target.remember();
    convert(target, source);
    EXPECT_TRUE(target.padding_is_unchanged());
    const test::GuardedMatrix one(to, 1, 1);
    for (std::int64_t i = 0; i < rows; ++i)
        for (std::int64_t j = 0; j < cols; ++j)
            if (is_complex) {
                store_complex(one, 0, 0, load_complex(source, i, j));
                ASSERT_EQ(load_complex(target, i, j), load_complex(one, 0, 0)) << i << ", " << j;
            } else {
                store_element(one, 0, 0, load_element(source, i, j));
                ASSERT_EQ(load_element(target, i, j), load_element(one, 0, 0)) << i << ", " << j;
            }
}

TEST(Convert, CopiesEveryElementAndNothingBeside) {
    const test::Lie ways[] = {
        {}, {.padding = 3}, {.columns = true, .padding = 2}, {.padding = 1, .gap = 2}, {.at_start = true}};
    const auto among = [&](std::initializer_list<Type> types) {
        for (const Type to : types)
            for (const Type from : types)
                for (const test::Lie& there : ways)
                    for (const test::Lie& here : ways) expect_copied(to, from, there, here);
    };
    among({Type::f32, Type::f64, Type::f16, Type::bf16});
    among({Type::c64, Type::c128});
}

}  // namespace
