// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "measure/against.hpp"

#include "measure/turns/entrant.hpp"

namespace tw::measure {
namespace {

/// The last of our rows with that mark; null when none is timed.
const Row* marked(const std::vector<Row>& rows, std::size_t first, std::string_view mark) {
    const Row* found = nullptr;
    for (std::size_t i = first; i < rows.size(); ++i)
        if (rows[i].provider == "tilewright" && rows[i].is_timed() && mark_of(rows[i].kernel) == mark) found = &rows[i];
    return found;
}

/// What a row's products would take if its rate grew with the threads.
std::vector<double> seconds_on(const Row& row, int threads) {
    std::vector<double> seconds = row.seconds;
    for (double& one : seconds) one *= static_cast<double>(row.threads) / threads;
    return seconds;
}

}  // namespace

std::vector<Ways> against_ourselves(const std::vector<Row>& rows, std::size_t first) {
    const Row *plain = marked(rows, first, ""), *alone = marked(rows, first, one_thread_mark);
    std::vector<Ways> ways;
    if (const Row* own = marked(rows, first, reproducible_mark); own && plain)
        ways.push_back({own, plain, "reproducible against " + plain->kernel, compare(own->seconds, plain->seconds)});
    if (plain && alone)
        ways.push_back({plain, alone, std::to_string(plain->threads) + " threads against one",
                        compare(plain->seconds, alone->seconds)});
    if (!alone && plain && plain->threads == 1) alone = plain;
    if (const Row* own = marked(rows, first, region_mark); own && alone)
        ways.push_back({own, alone,
                        std::to_string(own->products) + " calls in an OpenMP region against " +
                            std::to_string(own->products) + " times the rate of one",
                        compare(own->seconds, seconds_on(*alone, static_cast<int>(own->products)))});
    for (const char* mark : {batch_mark, pointers_mark})
        if (const Row* own = marked(rows, first, mark); own && alone)
            ways.push_back({own, alone, std::string(mark + 1) + " against single products on as many threads",
                            compare(own->seconds, seconds_on(*alone, own->threads))});
    return ways;
}

Comparison against_best_peer(const std::vector<Row>& rows, std::size_t first, const Row** ours, const Row** theirs) {
    *ours = *theirs = nullptr;
    const auto take = [&](std::size_t i, const Row** best) {
        if (rows[i].is_timed() && (!*best || rows[i].gflops > (*best)->gflops)) *best = &rows[i];
    };
    for (std::size_t i = first; i < rows.size(); ++i)
        if (rows[i].provider != "tilewright") take(i, theirs);
    const std::string_view mark = *theirs ? mark_of((*theirs)->kernel) : std::string_view{};
    for (std::size_t i = first; i < rows.size(); ++i)
        if (rows[i].provider == "tilewright" && mark_of(rows[i].kernel) == mark) take(i, ours);
    return *ours && *theirs ? compare((*ours)->seconds, (*theirs)->seconds) : Comparison{};
}

}  // namespace tw::measure
