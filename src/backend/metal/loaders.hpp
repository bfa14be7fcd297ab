// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The seeds' microbenchmark: a threadgroup fills all of its memory from device memory, by one, some or all of its
// SIMD-groups. With the copy instruction one alone is said to be fastest.
#pragma once

#include <span>

#include "backend/metal/dispatch.hpp"

namespace tw::metal {

/// The two kernels; some compilers refuse the first.
inline constexpr const char* loader_forms[] = {"loaders_async", "loaders_plain"};

/// The most SIMD-groups that may load.
inline constexpr uint most_loaders = 8, loaders_threads = 32 * most_loaders;

/// Floats of threadgroup memory that a threadgroup fills: all 32 KB.
inline constexpr uint loaders_floats = 8192;

/// `from` has loaders_floats, `to` loaders_threads for each threadgroup. The dispatch points to `loaders`.
Dispatch loaders_dispatch(const char* form, std::span<const float> from, std::span<float> to, const uint& loaders);

/// True when every thread has read the right data.
bool is_loaded_right(std::span<const float> from, std::span<const float> to) noexcept;

}  // namespace tw::metal
