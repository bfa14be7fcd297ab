// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// A survey's operands in memory: enough sets for none to be in a cache, and a sentence where there is no room.
#include "measure/survey/sets.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <set>

#include "base/element.hpp"
#include "plan/registry.hpp"

namespace tw::measure {
namespace {

constexpr std::size_t block = std::size_t{5} << 27;

int allocations_left = 1 << 20, live = 0;

/// The CPU with memory of its own, of which so many pieces are given.
Backend short_of_memory() {
    Backend backend = *find_backend("cpu");
    backend.alloc = [](std::size_t bytes) -> void* {
        return allocations_left-- > 0 ? ++live, std::malloc(bytes) : nullptr;
    };
    backend.free = [](void* memory) { --live, std::free(memory); };
    return backend;
}

TEST(SurveySets, AreEnoughToExceedACacheAndNoMore) {
    const Queue queue(*find_backend("cpu"), 2);
    OperandMemory operands(queue, block);
    ASSERT_TRUE(operands.status());
    constexpr std::int64_t around_l2 = std::int64_t{128} << 20;
    for (const std::int64_t side : {64, 1000, 2000, 3000}) {
        std::vector<Set> sets;
        const Case square{.kind = find_kind("f32"), .m = side, .n = side, .k = side};
        ASSERT_TRUE(operands.lay_out(square, sets));
        const auto first = sets.front(), last = sets.back();
        const std::int64_t one = first.c_memory + first.c_bytes + guarded_bytes - static_cast<std::byte*>(first.a.data),
                           count = static_cast<std::int64_t>(sets.size());
        EXPECT_TRUE(count == 64 || count * one > around_l2) << side;
        EXPECT_TRUE(count == 2 || (count - 1) * one <= around_l2 + (1 << 20)) << side;
        EXPECT_LE(count, 64);
        EXPECT_GE(count, 2);
        std::set<const void*> places;
        for (const Set& set : sets) places.insert(set.a.data), places.insert(set.b.data), places.insert(set.c.data);
        EXPECT_EQ(places.size(), 3 * sets.size());
        if (side > 64) continue;
        EXPECT_NE(load_element(first.a, 0, 0), load_element(last.a, 0, 0)) << "each of its own numbers";
    }
}

TEST(SurveySets, AllocationsThatFailAreSaidWhicheverItIs) {
    const Backend device = short_of_memory();
    const Queue queue(device, 2);
    const Case one{.kind = find_kind("f32"), .m = 20, .n = 30, .k = 40},
        other{.kind = find_kind("f64"), .m = 9, .n = 9, .k = 9};
    for (int most = 0; most < 5; ++most) {
        allocations_left = most;
        {
            OperandMemory operands(queue, block);
            EXPECT_EQ(operands.status().is_ok(), most >= 2) << most;
            if (most < 2) continue;
            std::vector<Set> sets;
            EXPECT_EQ(operands.lay_out(one, sets).code, most >= 3 ? Code::ok : Code::out_of_memory) << most;
            EXPECT_EQ(operands.lay_out(other, sets).code, most >= 4 ? Code::ok : Code::out_of_memory) << most;
            allocations_left = 1;
            EXPECT_TRUE(operands.lay_out(most >= 3 ? other : one, sets)) << "and there is some again";
        }
        EXPECT_EQ(live, 0) << most;
    }
}

}  // namespace
}  // namespace tw::measure
