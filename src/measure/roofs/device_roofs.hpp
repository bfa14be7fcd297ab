// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Which of a device's roofs a kernel stands under. (Those of the CPU are in peaks.hpp.)
#pragma once

#include <string>
#include <string_view>

#include "backend/contract.hpp"

namespace tw::measure {

/// From r8 on the matrix unit's, for the type that the kernel's scheme multiplies ("tf32" where that is f32); FMA's for
/// the type of its sums below r8, and where the device has no such unit. Null: the device has no roofs.
const Roof* roof_of(const Backend& backend, const Kernel& kernel);

/// Null: the device has none.
const Roof* fma_roof(const Backend& backend, std::string_view type);
const Roof* memory_roof(const Backend& backend);

/// 0: unknown.
double formula_of(const Roof& roof);

/// For about so many seconds. 0: it has no loop, or the loop fails.
double loop_of(const Roof& roof, double seconds);

/// By the loop, else by formula. 0: unknown.
double rate_of(const Roof& roof, double seconds);

/// "FMA f32"; "tensor core f16, by formula" where nothing measures it.
std::string name_of(const Roof& roof);

/// "4812.3"; "-" for what is not known.
std::string in_a_table(double rate);

inline constexpr std::string_view by_formula = ", by formula";

}  // namespace tw::measure
