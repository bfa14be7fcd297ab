// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "blas/counts.hpp"

#include <unistd.h>

#include <atomic>
#include <cstdio>

#include "blas/settings.hpp"

namespace tw::blas {
namespace {

constexpr char letters[] = {'s', 'd', 'c', 'z'};
constexpr int types = sizeof letters, routines = sizeof stems / sizeof *stems;
constexpr int slots = types * routines * 2 * 2;
std::atomic<unsigned long long> calls[slots];
std::atomic<unsigned long long> on_device, otherwise;

constexpr int slot(char letter, int routine, bool is_c, bool is_wide) {
    int type = 0;
    while (letters[type] != letter) ++type;
    return ((type * routines + routine) * 2 + is_c) * 2 + is_wide;
}

/// Runs when the program ends, whoever loaded this library.
__attribute__((destructor)) void tell() {
    if (!settings().counts) return;
    char line[1024] = "tilewright blas:";
    int length = 16;
    const int room = static_cast<int>(sizeof line) - 96;
    const char* separator = " ";
    for (int i = 0; i < slots && length < room; ++i) {
        const unsigned long long sum = calls[i].load();
        if (sum == 0) continue;
        const bool is_wide = i & 1, is_c = i >> 1 & 1;
        length += std::snprintf(line + length, sizeof line - static_cast<std::size_t>(length), "%s%llu %s%c%s%s%s",
                                separator, sum, is_c ? "cblas_" : "", letters[i / 4 / routines],
                                stems[i / 4 % routines], is_c ? "" : "_", is_wide ? (is_c ? "_64" : "64_") : "");
        separator = ", ";
    }
    if (length == 16) return;
    if (const unsigned long long sum = on_device.load(); sum && length < room)
        length +=
            std::snprintf(line + length, sizeof line - static_cast<std::size_t>(length), "; %llu on the GPU", sum);
    if (const unsigned long long sum = otherwise.load(); sum && length < room)
        length +=
            std::snprintf(line + length, sizeof line - static_cast<std::size_t>(length), "; %llu not as asked", sum);
    line[length++] = '\n';
    [[maybe_unused]] const auto written = write(STDERR_FILENO, line, static_cast<std::size_t>(length));
}

}  // namespace

void count(char letter, Routine routine, Language language, bool wide_integers) noexcept {
    calls[slot(letter, static_cast<int>(routine), language == Language::c, wide_integers)].fetch_add(
        1, std::memory_order_relaxed);
}

void count_on_device() noexcept { on_device.fetch_add(1, std::memory_order_relaxed); }

void count_otherwise() noexcept { otherwise.fetch_add(1, std::memory_order_relaxed); }

}  // namespace tw::blas
