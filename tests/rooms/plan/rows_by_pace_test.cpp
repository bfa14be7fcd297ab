// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "plan/rows_by_pace.hpp"

#include <gtest/gtest.h>

#include <string_view>

#include "backend/cpu/backend.hpp"
#include "base/cpu_core.hpp"
#include "plan/choose.hpp"
#include "plan/names.hpp"

namespace tw {
namespace {

constexpr RowPace quick{.product = 1, .byte = 1, .product_along_k = 1, .byte_along_k = 1},
    slow{.product = 2, .byte = 2, .product_along_k = 2, .byte_along_k = 2};
constexpr Pace strips{.strips = quick, .panels = slow, .passing = slow},
    panels{.strips = slow, .panels = quick, .passing = slow}, passing{.strips = slow, .panels = slow, .passing = quick};

/// By name, as a matrix unit may be chosen otherwise.
const Kernel* chosen_for(const Problem& p) {
    Plan plan;
    EXPECT_TRUE(try_plan(p, {.threads = 1, .kernel = "r7_hierarchical"}, plan));
    return plan.kernel;
}
const Kernel* by(const Pace& pace, const Problem& p, int threads = 1) {
    return quickest_by_pace(cpu::backend(), p, threads, chosen_for(p), pace);
}

TEST(RowsByPace, TheQuickestWayIsTakenAndNoOtherOrder) {
    for (const Type type : {Type::f32, Type::f64})
        for (const Form c : {Form::row_major, Form::col_major}) {
            const bool turned = c == Form::col_major;
            const Problem p{
                .m = turned ? 1000 : 30, .n = turned ? 30 : 1000, .k = 300, .in = type, .out = type, .c = c};
            const Kernel* const chosen = chosen_for(p);
            ASSERT_NE(chosen->order, 0);
            for (const auto& [pace, rung] : {std::pair{&strips, Rung::vectorized},
                                             std::pair{&panels, Rung::hierarchical}, std::pair{&passing, Rung::none}}) {
                const Kernel* const found = by(*pace, p);
                EXPECT_EQ(found->rung, rung);
                EXPECT_EQ(found->order, chosen->order);
                EXPECT_EQ(found->in, type);
            }
        }
}

TEST(RowsByPace, OtherProductsAndThreadsKeepTheirRow) {
    for (const Problem& p : {Problem{.m = 6, .n = 1000, .k = 300}, Problem{.m = 96, .n = 1000, .k = 300},
                             Problem{.m = 1000, .n = 30, .k = 300}, Problem{.m = 30, .n = 500, .k = 100},
                             Problem{.m = 30, .n = 1000, .k = 300, .in = Type::bf16, .out = Type::bf16},
                             Problem{.m = 30, .n = 1000, .k = 300, .b = Form::strided}})
        for (const Pace* pace : {&strips, &panels, &passing}) EXPECT_EQ(by(*pace, p), chosen_for(p)) << p.m << p.n;
    const Problem p{.m = 30, .n = 1000, .k = 300};
    for (const Pace* pace : {&strips, &panels, &passing}) EXPECT_EQ(by(*pace, p, 2), chosen_for(p));
}

TEST(RowsByPace, RowsOfBThatFightForASetSlowStripsDown) {
    constexpr RowPace nearly{.product = 1.3, .byte = 1.3, .product_along_k = 1.3, .byte_along_k = 1.3};
    constexpr Pace pace{.strips = quick, .panels = nearly, .passing = slow};
    EXPECT_EQ(by(pace, {.m = 30, .n = 1000, .k = 300})->rung, Rung::vectorized);
    EXPECT_EQ(by(pace, {.m = 30, .n = 1024, .k = 300})->rung, Rung::hierarchical);
    EXPECT_EQ(by(pace, {.m = 30, .n = 1024, .k = 300, .b = Form::col_major})->rung, Rung::vectorized);
}

#if defined(__x86_64__)
TEST(RowsByPace, ManyRowsInLongVectorsGoToPanelsWhereTheOthersWait) {
    Backend everything = cpu::backend();
    everything.features = []() noexcept { return ~Features{0}; };
    const auto rung_of = [&](const char* chosen, const Problem& p) {
        return quickest_by_pace(everything, p, 1, find_kernel(chosen), strips)->rung;
    };
    const char *const r6 = "cpu.r6_vectorized.f32.avx512", *const few_rows = "cpu.few_rows.f32.avx512";
    const Form across = Form::col_major;
    EXPECT_EQ(rung_of(r6, {.m = 1000, .n = 200, .k = 100, .a = across}), Rung::hierarchical);
    EXPECT_EQ(rung_of(r6, {.m = 200, .n = 1000, .k = 100, .c = across}), Rung::hierarchical) << "C turned round";
    EXPECT_EQ(rung_of(r6, {.m = 1000, .n = 100, .k = 100, .a = across}), Rung::vectorized) << "one strip or two";
    EXPECT_EQ(rung_of(r6, {.m = 1000, .n = 200, .k = 100}), Rung::vectorized);
    EXPECT_EQ(rung_of("cpu.r6_vectorized.f32.avx2", {.m = 1000, .n = 200, .k = 100, .a = across}), Rung::vectorized);
    EXPECT_NE(rung_of(few_rows, {.m = 3000, .n = 50, .k = 200}), Rung::none) << "C's few columns";
    EXPECT_EQ(rung_of(few_rows, {.m = 3000, .n = 6, .k = 200}), Rung::none);
}
#endif

TEST(RowsByPace, ACoreThatSplitsVectorsHasPricesOfItsOwn) {
    const Pace* const known = pace_of_rows(cpu::backend());
    EXPECT_TRUE(!known || (known->knows_rows() && !cpu_core().splits_vectors()));
}

}  // namespace
}  // namespace tw
