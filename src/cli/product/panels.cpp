// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "cli/product/panels.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "base/control_group.hpp"

namespace tw::cli {
namespace {

constexpr bool is_narrow(Type type) noexcept { return size_of(type) == 2; }

double pieces(std::int64_t whole, std::int64_t part) noexcept {
    return static_cast<double>(std::max<std::int64_t>(1, (whole + part - 1) / part));
}

/// C is rounded once for so many terms: enough for the roundings not to matter, and a multiple of the kernels' blocks.
constexpr std::int64_t step_of_k = 1024;

constexpr std::int64_t half(std::int64_t extent) noexcept { return (extent + 1) / 2; }

/// The next smaller k to try, 0 when there is none.
std::int64_t smaller_k(std::int64_t k) noexcept {
    const std::int64_t next = (half(k) + step_of_k - 1) / step_of_k * step_of_k;
    return next < k ? next : 0;
}

/// Bytes moved, from files and within memory, plus a constant for each read.
double cost(const PanelProblem& p, const Panels& panels) noexcept {
    constexpr double bytes_a_read = 8192, memory_over_file = 0.25;
    const auto m = static_cast<double>(p.m), n = static_cast<double>(p.n), k = static_cast<double>(p.k);
    const double down = pieces(p.m, panels.m), across = pieces(p.n, panels.n), deep = pieces(p.k, panels.k);
    const auto size = static_cast<double>(size_of(p.type));

    const double times_a = deep == 1 ? 1 : across, times_b = deep == 1 && across == 1 ? 1 : down;
    const double reads_a = p.a_by_rows ? (deep == 1 ? down : m * deep) : (down == 1 ? deep : k * down);
    const double reads_b = p.b_by_rows ? (across == 1 ? deep : k * across) : (deep == 1 ? across : n * deep);
    const double from_files =
        times_a * (m * k * size + reads_a * bytes_a_read) + times_b * (k * n * size + reads_b * bytes_a_read);
    const double in_memory = size * (across * m * k + down * k * n + 2 * deep * m * n);
    return from_files + memory_over_file * in_memory;
}

/// A number in a file of the system, such as "MemAvailable:  123 kB"; -1 when there is none.
double number_in(const char* path, const char* label) noexcept {
    std::FILE* file = std::fopen(path, "re");
    if (!file) return -1;
    char line[256];
    double value = -1;
    while (value < 0 && std::fgets(line, sizeof line, file))
        if (std::strncmp(line, label, std::strlen(label)) == 0 &&
            std::sscanf(line + std::strlen(label), "%lf", &value) != 1)
            value = -1;
    std::fclose(file);
    return value;
}

}  // namespace

double panel_bytes(const PanelProblem& p, const Panels& panels) noexcept {
    const auto m = static_cast<double>(panels.m), n = static_cast<double>(panels.n), k = static_cast<double>(panels.k);
    const auto size = static_cast<double>(size_of(p.type));
    const double of_operand = is_narrow(p.type) ? size + sizeof(float) : size;
    const double of_result = is_narrow(p.type) ? sizeof(float) : size;
    const bool adds_to_c = p.copies_c || panels.k < p.k;
    return of_operand * (m * k + k * n) + of_result * m * n * (adds_to_c ? 2 : 1);
}

std::optional<Panels> choose_panels(const PanelProblem& problem, std::int64_t bytes) noexcept {
    std::optional<Panels> best;
    double best_cost = 0;
    const auto try_one = [&](const Panels& panels) {
        if (panel_bytes(problem, panels) > static_cast<double>(bytes)) return;
        const double this_cost = cost(problem, panels);
        if (!best || this_cost < best_cost) best = panels, best_cost = this_cost;
    };
    const std::int64_t m = std::max<std::int64_t>(1, problem.m), n = std::max<std::int64_t>(1, problem.n);
    for (std::int64_t k = problem.k; k == problem.k || k > 0; k = problem.may_split_k ? smaller_k(k) : 0) {
        for (std::int64_t rows = m;; rows = half(rows)) {
            for (std::int64_t cols = n;; cols = half(cols)) {
                try_one({rows, cols, std::max<std::int64_t>(1, k)});
                if (cols == 1) break;
            }
            if (rows == 1) break;
        }
        if (k == 0) break;
    }
    return best;
}

std::int64_t available_memory() noexcept { return available_memory(memory_left()); }

std::int64_t available_memory(double left) noexcept {
    double most = number_in("/proc/meminfo", "MemAvailable:") * 1024;
    if (most < 0) most = static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE)) / 2;
    if (left >= 0) most = std::min(most, left);
    return static_cast<std::int64_t>(most);
}

}  // namespace tw::cli
