// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// What tuning found of the effort dial, remembered in the tuning store. A product's bits don't depend on it, only who
// makes it and how many threads share it.
#pragma once

#include <cstdint>
#include <string>

#include "plan/store.hpp"
#include "tilewright/effort.hpp"

namespace tw {

/// A matrix by its shape, and the kernels that read it: a set of the CPU's ("avx512"), or "cuda".
struct DialMatrix {
    EffortLayout layout = EffortLayout::planes;
    std::int64_t outputs = 0, inputs = 0;
    Type type = Type::f32;
    const char* kernels = "";
};

/// What is 0 is left to the rules.
struct DialHabits {
    double toll =
        0;  ///< how much longer a byte of the layout takes than one of the dense copy, where both take as long
    std::int64_t bytes_a_thread = 0;  ///< that are worth a thread of their own
};

/// Its records have a key of their own, so that no problem of multiply() finds them.
std::string dial_store_key();

/// What a store read with that key says; nothing when it has no record of this matrix.
DialHabits habits_in(const Store& store, const DialMatrix& matrix) noexcept;

/// What this process's store says, which is read once.
DialHabits tuned_habits(const DialMatrix& matrix) noexcept;

/// As add_to_store(): a sentence when it fails, "" when not.
std::string remember_habits(const std::string& path, const DialMatrix& matrix, const DialHabits& habits);

}  // namespace tw
