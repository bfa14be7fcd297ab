// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "blas/settings.hpp"

#include <cstdio>
#include <cstdlib>

namespace tw::blas {
namespace {

Settings read() noexcept {
    Settings found;
    if (const char* accuracy = variable("TW_ACCURACY"); accuracy && !parse_accuracy(accuracy, found.accuracy))
        std::fprintf(stderr,
                     "tilewright: TW_ACCURACY=%s is ignored: expected fp32, fp32_elementwise, tf32, bf16, fp16, fp64 or a "
                     "positive number\n",
                     accuracy);
    if (const char* device = variable("TW_DEVICE")) found.device = device;
    if (found.device == "auto") found.device = "cpu", found.device_by_size = true;
    if (const char* log = variable("TW_LOG")) found.counts = std::string_view(log) == "counts";
    return found;
}

}  // namespace

const char* variable(const char* name) noexcept {
    const char* text = secure_getenv(name);
    return text && *text ? text : nullptr;
}

const Settings& settings() noexcept {
    static const Settings found = read();
    return found;
}

}  // namespace tw::blas
