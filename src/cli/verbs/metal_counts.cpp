// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "cli/verbs/metal_counts.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "backend/metal/on_linux/backend.hpp"
#include "backend/metal/on_linux/door.hpp"
#include "measure/ladder.hpp"
#include "measure/turns/entrant.hpp"
#include "plan/names.hpp"
#include "reference/fill.hpp"

namespace tw::cli {
namespace {

bool is_asked_for(const Kernel& kernel, const std::vector<std::string>& rungs) {
    const auto means_it = [&](const std::string& name) { return answers_to(kernel, name); };
    return rungs.empty() || std::any_of(rungs.begin(), rungs.end(), means_it);
}

}  // namespace

void print_metal_counts(std::int64_t m, std::int64_t n, std::int64_t k, Type type,
                        const std::vector<std::string>& rungs) {
    const metal_check::Door* door = metal_check::door();
    if (!door) return;
    const std::size_t size = size_of(type);
    std::vector<std::byte> a_data(static_cast<std::size_t>(m * k) * size),
        b_data(static_cast<std::size_t>(k * n) * size), c_data(static_cast<std::size_t>(m * n) * size);
    const Matrix a{a_data.data(), type, m, k, k}, b{b_data.data(), type, k, n, n}, c{c_data.data(), type, m, n, n};
    reference::fill_operands(a, b, reference::Fill::symmetric, 1);
    fmt::print("metal-check: {} x {} x {} {}; emulated, so only counts are shown\n", m, n, k, name_of(type));
    fmt::print("{:<34} {:>13} {:>13} {:>13} {:>9} {:>13} {:>10}\n", "", "device bytes", "threadgroup", "threadgroup",
               "", "", "flop per");
    fmt::print("{:<34} {:>13} {:>13} {:>13} {:>9} {:>13} {:>10}\n", "kernel", "loaded", "bytes loaded", "bytes stored",
               "barriers", "flops", "dev. byte");
    const Problem problem{.m = m, .n = n, .k = k, .in = type, .out = type};
    for (const Kernel* kernel : metal_check::backend().ladder) {
        if (kernel->in != type || !is_asked_for(*kernel, rungs) || !kernel->takes(problem)) continue;
        for (const std::string& name : measure::rows_of(*kernel, rungs)) {
            const Status status = kernel->run({.a = a, .b = b, .c = c}, measure::kernel_and_tile(name).tile);
            metal_check::LastRun last;
            door->last_run(last);
            const auto& counts = last.outcome.counters;
            if (!status) {
                fmt::print("{:<34} {}\n", name, status.text);
                continue;
            }
            fmt::print("{:<34} {:>13} {:>13} {:>13} {:>9} {:>13} {:>10.2f}\n", name, counts.device_loaded,
                       counts.threadgroup_loaded, counts.threadgroup_stored, counts.barriers, counts.flops,
                       static_cast<double>(counts.flops) /
                           static_cast<double>(std::max<std::uint64_t>(counts.device_loaded, 1)));
        }
    }
    fmt::print("\n");
}

}  // namespace tw::cli
