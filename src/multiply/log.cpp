// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "multiply/log.hpp"

#include <unistd.h>

#include <atomic>
#include <cstdio>

#include "backend/contract.hpp"
#include "base/environment.hpp"
#include "plan/store.hpp"

namespace tw {
namespace {

constinit std::atomic<bool> warned{false};

struct Shape {
    char text[72];

    explicit Shape(const Problem& p) noexcept {
        std::snprintf(text, sizeof text, "%lldx%lldx%lld", static_cast<long long>(p.m), static_cast<long long>(p.n),
                      static_cast<long long>(p.k));
    }
};

/// One write, so that lines of different threads don't mix. `length` is what snprintf() wanted to write.
template <std::size_t room>
void write_line(const char (&line)[room], int length) noexcept {
    const auto size = static_cast<std::size_t>(length) < room ? static_cast<std::size_t>(length) : room - 1;
    [[maybe_unused]] const auto written = write(STDERR_FILENO, line, size);
}

}  // namespace

constinit Remembered<int, -1> log_wanted;

int read_log_wanted() noexcept { return environment_number("TW_LOG", 0, 1, 0); }

void write_log(const Plan& plan, std::int64_t products) noexcept {
    if (!warned.exchange(true))
        if (const Store* store = tuning_store(); store && !store->trouble.empty())
            std::fprintf(stderr, "tilewright: %s\n", store->trouble.c_str());
    const Problem& p = plan.problem;
    const Shape shape(p);
    char accuracy[40], batch[40] = "", line[512];
    if (products > 1) std::snprintf(batch, sizeof batch, "a batch of %lld: ", static_cast<long long>(products));
    spell(resolve(p.accuracy, p.in), accuracy, sizeof accuracy);
    const int length = std::snprintf(
        line, sizeof line,
        "tilewright: %s%s %s at %s by %s, %d thread%s (%s): tw ladder --device %s --shape %s --type %s --rung %s\n",
        batch, shape.text, name_of(p.in), accuracy, plan.kernel->name, plan.threads, plan.threads == 1 ? "" : "s",
        plan.reason, plan.backend->name, shape.text, name_of(p.in), plan.kernel->name);
    write_line(line, length);
}

void write_corrections(const Plan& plan, const Corrections& done) noexcept {
    const Shape shape(plan.problem);
    char line[320], corrected[80];
    std::snprintf(corrected, sizeof corrected, "%lld of %lld elements made again were corrected",
                  static_cast<long long>(done.elements), static_cast<long long>(done.made_again));
    const int length = std::snprintf(line, sizeof line, "tilewright: %s %s by %s was wrong: %s%s\n", shape.text,
                                     name_of(plan.problem.in), plan.kernel->name,
                                     done.whole && done.elements == 0 ? "C was made again on its device" : corrected,
                                     done.by_second ? ", and the reference kernel made what stayed wrong" : "");
    write_line(line, length);
}

}  // namespace tw
