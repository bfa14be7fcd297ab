// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "cli/verbs/metal_counts.hpp"

#include <fmt/format.h>

#include "measure/counts.hpp"

namespace tw::cli {

void print_metal_counts(const measure::Task& task, const std::vector<std::string>& rungs) {
    const std::vector<measure::Counted> all = measure::count_metal_rungs(task, rungs);
    if (all.empty()) return;
    fmt::print("metal-check: {} {}; emulated, so only counts are shown\n", task.shape(), name_of(task.type));
    fmt::print("{:<34} {:>13} {:>13} {:>13} {:>9} {:>13} {:>10}\n", "", "device bytes", "threadgroup", "threadgroup",
               "", "", "flop per");
    fmt::print("{:<34} {:>13} {:>13} {:>13} {:>9} {:>13} {:>10}\n", "kernel", "loaded", "bytes loaded", "bytes stored",
               "barriers", "flops", "dev. byte");
    for (const measure::Counted& one : all) {
        const auto& counts = one.counts;
        if (!one.trouble.empty()) fmt::print("{:<34} {}\n", one.kernel, one.trouble);
        else
            fmt::print("{:<34} {:>13} {:>13} {:>13} {:>9} {:>13} {:>10.2f}\n", one.kernel, counts.device_loaded,
                       counts.threadgroup_loaded, counts.threadgroup_stored, counts.barriers, counts.flops,
                       one.flops_per_byte());
    }
    fmt::print("\n");
}

}  // namespace tw::cli
