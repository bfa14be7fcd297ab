// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "measure/judging/trial.hpp"

#include <algorithm>
#include <cmath>

#include "base/element.hpp"
#include "measure/judging/work.hpp"
#include "reference/judge.hpp"

namespace tw::judging {
namespace {

constexpr double products_judged = 0x1p18;  // of one case: rows of larger ones are sampled

/// The same product at other addresses, by other threads, a batch's one at a time.
Case otherwise(Case one) {
    for (Placement* placement : {&one.a, &one.b, &one.c})
        placement->skew = (placement->skew + 13) % 41, placement->at_start = !placement->at_start;
    one.threads = one.threads == 1 ? 3 : 1;
    one.runner = one.runner == Runner::pool ? Runner::odd_executor : Runner::pool;
    one.odd_mode = !one.odd_mode;
    one.scratch = one.scratch < 0 ? 5 : -1;
    return one;
}

/// The first element whose bits differ; -1 when none does. Of a NaN any bits do, part by part where it is complex.
std::int64_t first_that_differs(Type whole, const std::vector<std::byte>& x, const std::vector<std::byte>& y) {
    const Type type = part_of(whole);
    const std::size_t size = size_of(type);
    for (std::size_t at = 0; at < x.size(); at += size) {
        if (std::equal(x.begin() + static_cast<std::ptrdiff_t>(at), x.begin() + static_cast<std::ptrdiff_t>(at + size),
                       y.begin() + static_cast<std::ptrdiff_t>(at)))
            continue;
        const auto value = [&](const std::vector<std::byte>& all) {
            return load_element({const_cast<std::byte*>(all.data()) + at, type, 1, 1, 1}, 0, 0);
        };
        if (!std::isnan(value(x)) || !std::isnan(value(y))) return static_cast<std::int64_t>(at / size_of(whole));
    }
    return -1;
}

bool is_refusal(const Status& status) { return status.code == Code::unsupported; }

std::string sentence_of(const Status& status) { return std::string("it ended with a status: ") + status.text; }

std::string judged(const Case& one, const Work& work) {
    const reference::Tolerance tolerance{.bound = work.certificate(),
                                         .flush = work.flush_loss(),
                                         .rounds_before_epilogue = work.rounds_before_epilogue(),
                                         .least = work.least_counted()};
    for (std::int64_t p = 0; p < one.products; ++p) {
        const reference::Verdict verdict = reference::judge(work.question(p), work.result(p), tolerance,
                                                            {.products = products_judged, .seed = one.seed});
        if (!verdict.ok) return (one.products > 1 ? "product " + std::to_string(p) + ": " : "") + verdict.sentence();
    }
    return "";
}

}  // namespace

Outcome try_case(const Case& one, const Where& where) {
    Work work(one);
    Outcome outcome;
    const Status status = work.run(where.device, false);
    outcome.refused = is_refusal(status);
    outcome.failure = work.what_was_touched(outcome.refused);
    if (!status && !outcome.refused) outcome.failure = sentence_of(status);
    if (!work.keeps_mode()) outcome.failure = "the caller's floating-point mode was changed";
    if (outcome.refused || !outcome.failure.empty()) return outcome;

    for (std::int64_t p = 0; where.spoil && p < one.products; ++p) where.spoil(work.result(p));
    outcome.elements = one.products * one.m * one.n;
    if (one.m > 0 && one.n > 0) outcome.failure = judged(one, work);
    if (!outcome.failure.empty()) outcome.failure += std::string("; by ") + work.kernel();
    if (!outcome.failure.empty() || where.spoil) return outcome;

    const Case other = otherwise(one);
    Work again(other);
    if (const Status second = again.run(where.device, true); !second) outcome.failure = sentence_of(second);
    else if (const std::int64_t at = first_that_differs(one.out, work.elements(), again.elements()); at >= 0)
        outcome.failure = "element " + std::to_string(at) + " has other bits when done with " + spelled(other);
    return outcome;
}

}  // namespace tw::judging
