// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// OpenBLAS and BLIS name the processor whose kernels they chose: whether that is less than this processor has.
#pragma once

#include <cstdint>
#include <string>

namespace tw::measure {

/// How wide the vectors of a core type's kernels are, in bits, by the names that OpenBLAS and BLIS use; 0: unknown
/// name.
int vector_bits(const std::string& core_type);

/// What OpenBLAS and BLIS should be told when their own detection fell short of the feature bits; "" when it did not.
std::string better_core_type(const std::string& peer, const std::string& detected, std::uint64_t features);

}  // namespace tw::measure
