// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "backend/cpu/effort.hpp"

namespace tw::cpu {
namespace {

const EffortKernels* const sets[] = {
    &effort_portable,
};

}  // namespace

EffortKernelSets effort_kernel_sets() noexcept { return {sets, static_cast<int>(sizeof sets / sizeof *sets)}; }

}  // namespace tw::cpu
