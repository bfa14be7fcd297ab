// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Which processors share a core, by the lists that Linux keeps.
#include "base/cores.hpp"

#include <gtest/gtest.h>

#include <initializer_list>
#include <vector>

namespace {

using namespace tw;

Processors allowed_of(std::initializer_list<std::size_t> numbers) {
    Processors allowed;
    for (const std::size_t number : numbers) allowed.set(number);
    return allowed;
}

std::vector<int> leading(std::initializer_list<int> processors, const char* siblings, const Processors& allowed) {
    std::vector<int> found;
    for (const int processor : processors)
        if (leads_its_core(processor, siblings, allowed)) found.push_back(processor);
    return found;
}

TEST(Cores, AreLedByTheFirstAllowedOfTheirSiblings) {
    const Processors all = Processors().set();
    EXPECT_EQ(leading({0, 64}, "0,64\n", all), std::vector{0});
    EXPECT_EQ(leading({6, 7}, "6-7\n", all), std::vector{6});
    EXPECT_EQ(leading({8, 9, 10, 11}, "8-11", all), std::vector{8});
    EXPECT_EQ(leading({2, 3, 34, 35}, "2-3,34-35", all), std::vector{2});
    EXPECT_EQ(leading({5}, "5\n", all), std::vector{5});
    EXPECT_EQ(leading({5}, "", all), std::vector{5}) << "nothing is known of it";
    EXPECT_EQ(leading({1023}, "0,1023", all), std::vector<int>{});
}

TEST(Cores, DoNotCountSiblingsThatMayNotBeUsed) {
    EXPECT_EQ(leading({64}, "0,64", allowed_of({64})), std::vector{64});
    EXPECT_EQ(leading({7}, "6-7", allowed_of({7})), std::vector{7});
    EXPECT_EQ(leading({3, 34, 35}, "2-3,34-35", allowed_of({3, 34, 35})), std::vector{3});
    EXPECT_EQ(leading({34, 35}, "2-3,34-35", allowed_of({34, 35})), std::vector{34});
    EXPECT_EQ(leading({35}, "2-3,34-35", allowed_of({35})), std::vector{35});
}

}  // namespace
