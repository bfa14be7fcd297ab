// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "measure/counts.hpp"

#include <array>

#include "backend/metal/on_linux/backend.hpp"
#include "backend/metal/on_linux/door.hpp"
#include "measure/ladder.hpp"
#include "measure/turns/entrant.hpp"
#include "plan/names.hpp"
#include "reference/fill.hpp"

namespace tw::measure {
namespace {

bool is_asked_for(const Kernel& kernel, const std::vector<std::string>& rungs) {
    const auto means_it = [&](const std::string& name) { return answers_to(kernel, name); };
    return rungs.empty() || std::any_of(rungs.begin(), rungs.end(), means_it);
}

}  // namespace

std::vector<Counted> count_metal_rungs(const Task& task, const std::vector<std::string>& rungs) {
    std::vector<Counted> all;
    const metal_check::Door* const door = metal_check::door();
    if (!door) return all;
    const auto [m, n, k] = std::array{task.m, task.n, task.k};
    const std::size_t size = size_of(task.type);
    std::vector<std::byte> a_data(static_cast<std::size_t>(m * k) * size),
        b_data(static_cast<std::size_t>(k * n) * size), c_data(static_cast<std::size_t>(m * n) * size);
    const Matrix a{a_data.data(), task.type, m, k, k}, b{b_data.data(), task.type, k, n, n},
        c{c_data.data(), task.type, m, n, n};
    reference::fill_operands(a, b, reference::Fill::symmetric, 1);
    const Problem problem{.m = m, .n = n, .k = k, .in = task.type, .out = task.type};
    for (const Kernel* kernel : metal_check::backend().ladder) {
        if (kernel->in != task.type || !is_asked_for(*kernel, rungs) || !kernel->takes(problem)) continue;
        for (const std::string& name : rows_of(*kernel, rungs)) {
            const Status status = kernel->run({.a = a, .b = b, .c = c}, kernel_and_tile(name).tile);
            metal_check::LastRun last;
            door->last_run(last);
            all.push_back({name, status ? "" : status.text, m, n, k, last.outcome.counters});
        }
    }
    return all;
}

}  // namespace tw::measure
