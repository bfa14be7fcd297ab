// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Whether the processor that OpenBLAS or BLIS chose kernels for has narrower vectors than this one.
#pragma once

#include <cstdint>
#include <string>

namespace tw::measure {

/// The vector width, in bits, of a core type's kernels, by the names of OpenBLAS and BLIS; 0: unknown name.
int vector_bits(const std::string& core_type);

/// The core type to force when the library's detection fell short of the feature bits; "" when it did not.
std::string better_core_type(const std::string& peer, const std::string& detected, std::uint64_t features);

}  // namespace tw::measure
