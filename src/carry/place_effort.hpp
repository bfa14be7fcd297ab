// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#pragma once

#include "plan/choose_effort.hpp"

namespace tw {

/// Says where the plan's kernels find the matrix. For a device with memory of its own the first call copies it there.
/// Makes the plan's device the calling thread's.
Status place_effort(const EffortPlan& plan, const EffortBody& body, EffortPlaced& placed) noexcept;

/// A multiple of 4 bytes, as a matrix that a backend's copy takes.
inline Matrix bytes_at(const void* memory, std::size_t bytes) noexcept {
    const auto words = static_cast<std::int64_t>(bytes / 4);
    return {const_cast<void*>(memory), Type::f32, 1, words, words};
}

}  // namespace tw
