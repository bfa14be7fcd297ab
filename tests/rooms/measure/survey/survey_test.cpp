// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// A whole survey on the CPU, beside a cuBLAS of three loops.
#include "measure/survey/survey.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

#include "measure/survey/draw.hpp"
#include "plan/registry.hpp"

namespace tw::measure {
namespace {

std::vector<Outcome> outcomes_of(std::vector<Case> cases, bool has_peer = true) {
    setenv("TW_PEER_CUBLAS", FAKE_CUBLAS, 1);
    std::vector<Outcome> outcomes;
    const Survey asked{
        .backend = find_backend("cpu"), .cases = std::move(cases), .has_peer = has_peer, .threads = 2, .turn = 1e-5};
    const Opened opened = survey(
        asked, {}, [&](const Opened& what) { EXPECT_EQ(what.peer, has_peer ? "cublas 13.1.0" : ""); },
        [&](const Outcome& one) { outcomes.push_back(one); });
    EXPECT_EQ(opened.trouble, "");
    unsetenv("TW_PEER_CUBLAS");
    return outcomes;
}

/// Every way to lie, of every kind: the peer must be told each rightly, or its result fails the judge.
std::vector<Case> every_way() {
    std::vector<Case> all;
    for (const Kind& kind : every_kind())
        for (int ways = 0; ways < 8; ++ways)
            for (const std::int64_t m : {1, 5})
                for (const std::int64_t n : {1, 7})
                    for (const std::int64_t k : {1, 11}) {
                        Case one{.kind = &kind, .m = m, .n = n, .k = k};
                        one.a.by_columns = ways & 1, one.b.by_columns = ways & 2, one.c.by_columns = ways & 4;
                        all.push_back(one);
                        one.a.pitch = one.b.pitch = one.c.pitch = 13;
                        one.a.offset = 1, one.b.offset = 2, one.c.offset = 3, one.beta = 0.5;
                        all.push_back(one);
                        one.products = 3;
                        all.push_back(one);
                        one.by_pointers = true;
                        all.push_back(one);
                    }
    return all;
}

TEST(Survey, ThePeerIsToldEveryWayToLieRightly) {
    for (const Outcome& one : outcomes_of(every_way())) {
        EXPECT_EQ(one.trouble, "") << one.what.kind->name << " " << one.what.text();
        EXPECT_TRUE(one.has_ratio()) << one.what.text();
    }
}

}  // namespace
}  // namespace tw::measure
