// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// A survey's tables, letter by letter.
#include <gtest/gtest.h>

#include <algorithm>

#include "measure/survey/changes.hpp"
#include "measure/survey/grid.hpp"
#include "measure/survey/table.hpp"

namespace tw::measure {
namespace {

Outcome outcome(const char* kind, double ratio, const char* family = "layers", std::int64_t m = 1) {
    Outcome one{.kernel = "a kernel", .peer = "a peer", .seconds = {1e-3}, .peer_seconds = {ratio * 1e-3}};
    one.what = {.kind = find_kind(kind), .family = family, .m = m, .n = 200, .k = 3000};
    return one;
}

TEST(SurveyText, OfAShape) {
    Outcome one = outcome("f32", 1.25);
    EXPECT_EQ(line_of(one),
              "f32              1x200x3000 NN                               1.25     1.00 ms    1.25 ms       1.2 "
              "GFLOP/s a kernel, a peer");
    one.is_recorded = true, one.note = "no graph: why", one.seconds = {9.99e-4}, one.peer_seconds = {0.25};
    EXPECT_EQ(line_of(one),
              "f32              1x200x3000 NN                              250.25g   999.0 us  250.00 ms       1.2 "
              "GFLOP/s a kernel, a peer, no graph: why");
    one.peer_seconds.clear();
    EXPECT_EQ(line_of(one),
              "f32              1x200x3000 NN                                999.0 us       1.2 GFLOP/s a kernel");
    one.trouble = "it failed";
    EXPECT_EQ(line_of(one), "f32              1x200x3000 NN                              it failed  a kernel");
    one.is_wrong = true;
    EXPECT_EQ(line_of(one), "f32              1x200x3000 NN                              WRONG: it failed  a kernel");
    EXPECT_DOUBLE_EQ(outcome("f32", 1).gflops(), 1.2);
    EXPECT_FALSE(one.has_ratio());
    one.seconds.clear(), one.peer_seconds = {1};
    EXPECT_FALSE(one.has_ratio());
}

TEST(SurveyText, OfAWholeSurvey) {
    std::vector<Outcome> all{outcome("bf16", 0.97), outcome("bf16", 0.95, "squares"),
                             outcome("bf16", 0.90), outcome("bf16", 0.80, "squares"),
                             outcome("bf16", 0.79), outcome("f64", 2, "squares")};
    all.push_back(outcome("f32", 1));
    all.back().seconds.clear(), all.back().trouble = "no memory";
    EXPECT_EQ(table_of(all),
              "type               shapes  >= 0.97  >= 0.95  >= 0.90  >= 0.80  geometric mean   least\n"
              "bf16                    5   20.0 %   40.0 %   60.0 %   80.0 %           0.879    0.79\n"
              "f64                     1  100.0 %  100.0 %  100.0 %  100.0 %           2.000    2.00\n"
              "\n"
              "geometric means                bf16              f64\n"
              "layers                  0.88 of   3                 \n"
              "squares                 0.87 of   2      2.00 of   1\n"
              "\n"
              "The worst:\n"
              "bf16             1x200x3000 NN                               0.79     1.00 ms   790.0 us       1.2 "
              "GFLOP/s a kernel, a peer\n"
              "bf16             1x200x3000 NN                               0.80     1.00 ms   800.0 us       1.2 "
              "GFLOP/s a kernel, a peer\n"
              "bf16             1x200x3000 NN                               0.90     1.00 ms   900.0 us       1.2 "
              "GFLOP/s a kernel, a peer\n"
              "bf16             1x200x3000 NN                               0.95     1.00 ms   950.0 us       1.2 "
              "GFLOP/s a kernel, a peer\n"
              "bf16             1x200x3000 NN                               0.97     1.00 ms   970.0 us       1.2 "
              "GFLOP/s a kernel, a peer\n"
              "f64              1x200x3000 NN                               2.00     1.00 ms    2.00 ms       1.2 "
              "GFLOP/s a kernel, a peer\n"
              "\n"
              "Not timed:\n"
              "f32              1x200x3000 NN                              no memory  a kernel\n");
    EXPECT_EQ(table_of({all.back()}),
              "\n"
              "Not timed:\n"
              "f32              1x200x3000 NN                              no memory  a kernel\n");
    EXPECT_EQ(table_of({}), "");
}

TEST(SurveyText, OfLayersAndTokens) {
    std::vector<Outcome> all{outcome("bf16", 0.5, "8B o", 2), outcome("bf16", 0.75, "70B head", 16),
                             outcome("bf16", 2, "8B o", 2)};
    all[2].what.b.by_columns = true;
    all.push_back(outcome("f32", 1, "8B o"));
    all.back().seconds.clear();
    EXPECT_EQ(grids_of(all),
              "bf16 NT               8B q/k/v        8B o  8B gate/up     8B down     8B head   70B q/k/v       "
              "70B o 70B gate/up    70B down    70B head\n"
              "2                                     2.00                                                          "
              "                                      \n"
              "\n"
              "bf16 NN               8B q/k/v        8B o  8B gate/up     8B down     8B head   70B q/k/v       "
              "70B o 70B gate/up    70B down    70B head\n"
              "2                                     0.50                                                          "
              "                                      \n"
              "16                                                                                                  "
              "                                  0.75\n"
              "\n");
    EXPECT_TRUE(is_decoding(all));
    all.push_back(outcome("f32", 1));
    EXPECT_FALSE(is_decoding(all));
}

TEST(SurveyText, OfChanges) {
    std::vector<Outcome> before, now;
    for (const double ratio : {0.959, 0.961, 1.039, 1.041, 2.0}) {
        before.push_back(outcome("f32", 1, "layers", static_cast<std::int64_t>(1000 * ratio)));
        now.push_back(before.back());
        now.back().seconds[0] /= ratio;
    }
    now[4].kernel = "another", now[3].peer_seconds.clear();
    EXPECT_EQ(text_of(changes(now, before)),
              "Against the baseline:\n"
              "f32                     5 shapes, 1.148x\n"
              "1 slower by more than 4 %:\n"
              "f32              959x200x3000 NN                             0.96x   1.00 -> 0.96 a kernel\n"
              "2 quicker by more than 4 %:\n"
              "f32              2000x200x3000 NN                            2.00x   1.00 -> 2.00 another (was a "
              "kernel)\n"
              "f32              1041x200x3000 NN                            1.04x                a kernel\n");
    EXPECT_EQ(text_of({}), "The baseline has none of these shapes\n");
    before[0].seconds.clear(), now[1].seconds.clear();
    EXPECT_EQ(changes(now, before).size(), 3u) << "both must be timed";
    std::vector<Outcome> many_before, many_now;
    for (int i = 0; i < 50; ++i) {
        many_before.push_back(outcome("f64", 1, "layers", i + 1));
        many_now.push_back(many_before.back());
        many_now.back().seconds[0] *= i < 25 ? 2 + i : 1.0 / (i + 2);
    }
    const std::string text = text_of(changes(many_now, many_before));
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2 + 1 + 20 + 1 + 20) << text;
    EXPECT_NE(text.find("25 slower by more than 4 %:\nf64              25x200x3000"), std::string::npos) << text;
    EXPECT_NE(text.find("25 quicker by more than 4 %:\nf64              50x200x3000"), std::string::npos) << text;
}

}  // namespace
}  // namespace tw::measure
