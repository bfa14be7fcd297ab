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

}  // namespace

constinit Remembered<int, -1> log_wanted;

int read_log_wanted() noexcept { return environment_number("TW_LOG", 0, 1, 0); }

void write_log(const Plan& plan, std::int64_t products) noexcept {
    if (!warned.exchange(true))
        if (const Store* store = tuning_store(); store && !store->trouble.empty())
            std::fprintf(stderr, "tilewright: %s\n", store->trouble.c_str());
    const Problem& p = plan.problem;
    char shape[72], accuracy[40], batch[40] = "", line[512];
    std::snprintf(shape, sizeof shape, "%lldx%lldx%lld", static_cast<long long>(p.m), static_cast<long long>(p.n),
                  static_cast<long long>(p.k));
    if (products > 1) std::snprintf(batch, sizeof batch, "a batch of %lld: ", static_cast<long long>(products));
    spell(resolve(p.accuracy, p.in), accuracy, sizeof accuracy);
    const int length = std::snprintf(
        line, sizeof line,
        "tilewright: %s%s %s at %s by %s, %d thread%s (%s): tw ladder --device %s --shape %s --type %s --rung %s\n",
        batch, shape, name_of(p.in), accuracy, plan.kernel->name, plan.threads, plan.threads == 1 ? "" : "s",
        plan.reason, plan.backend->name, shape, name_of(p.in), plan.kernel->name);
    // One write, so that lines of different threads don't mix.
    const auto size =
        static_cast<std::size_t>(length) < sizeof line ? static_cast<std::size_t>(length) : sizeof line - 1;
    [[maybe_unused]] const auto written = write(STDERR_FILENO, line, size);
}

}  // namespace tw
