// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#pragma once

#include "plan/choose_effort.hpp"

namespace tw {

/// Where the plan's kernels find the matrix: a device with memory of its own has it laid out there by the first that
/// asks. The calling thread's device is the plan's from then on.
Status place_effort(const EffortPlan& plan, const EffortBody& body, EffortPlaced& placed) noexcept;

/// Any bytes, a multiple of 4 of them, as a backend's copy takes them.
inline Matrix bytes_at(const void* memory, std::size_t bytes) noexcept {
    const auto words = static_cast<std::int64_t>(bytes / 4);
    return {const_cast<void*>(memory), Type::f32, 1, words, words};
}

}  // namespace tw
