// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "blas/settings.hpp"

#include <atomic>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <new>

namespace tw::blas {
namespace {

/// Deeper panels would only take memory: a rank holds one of its rows and one of its columns.
constexpr int deepest_panel = 32768;

int panel_of(const char* text, int otherwise) noexcept {
    const std::string_view word = text;
    int depth = 0;
    const auto [end, error] = std::from_chars(word.begin(), word.end(), depth);
    if (error == std::errc() && end == word.end() && depth >= 1 && depth <= deepest_panel) return depth;
    std::fprintf(stderr, "tilewright: TW_PANEL=%s is ignored: expected a whole number from 1 to %d\n", text,
                 deepest_panel);
    return otherwise;
}

bool reproducible_of(const char* text) noexcept {
    const std::string_view word = text;
    if (word == "0" || word == "1") return word == "1";
    std::fprintf(stderr, "tilewright: TW_REPRODUCIBLE=%s is ignored: expected 0 or 1\n", text);
    return false;
}

Settings read() noexcept {
    Settings found;
    if (const char* accuracy = variable("TW_ACCURACY"); accuracy && !parse_accuracy(accuracy, found.accuracy))
        std::fprintf(
            stderr,
            "tilewright: TW_ACCURACY=%s is ignored: expected fp32, fp32_elementwise, tf32, bf16, fp16, fp64 or a "
            "positive number\n",
            accuracy);
    if (const char* device = variable("TW_DEVICE")) found.device = device;
    if (found.device == "auto") found.device = "cpu", found.device_by_size = true;
    if (const char* same = variable("TW_REPRODUCIBLE")) found.reproducible = reproducible_of(same);
    if (const char* panel = variable("TW_PANEL")) found.panel = panel_of(panel, found.panel);
    if (const char* log = variable("TW_LOG")) found.counts = std::string_view(log) == "counts";
    return found;
}

constinit const Settings without_memory;
constinit std::atomic<const Settings*> known{nullptr};  // never freed: calls may come until the very end

}  // namespace

const char* variable(const char* name) noexcept {
    const char* text = secure_getenv(name);
    return text && *text ? text : nullptr;
}

const Settings& settings() noexcept {
    // No static object of this function: a child forked while another thread makes it would wait for it for ever.
    const Settings* first = known.load(std::memory_order_acquire);
    if (first) return *first;
    const Settings* mine = new (std::nothrow) Settings(read());
    if (!mine) return without_memory;
    if (known.compare_exchange_strong(first, mine, std::memory_order_acq_rel, std::memory_order_acquire)) return *mine;
    delete mine;
    return *first;
}

}  // namespace tw::blas
