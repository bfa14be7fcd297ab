// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "blas/settings.hpp"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <new>

namespace tw::blas {
namespace {

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
