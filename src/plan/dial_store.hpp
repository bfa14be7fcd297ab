// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// What `tw tune` found for the effort dial, in the tuning store. It decides which kernel runs and on how many threads,
// never the bits of a product.
#pragma once

#include <cstdint>
#include <string>

#include "plan/store.hpp"
#include "tilewright/effort.hpp"

namespace tw {

/// A matrix, by its shape, and the kernels that read it: an instruction set of the CPU ("avx512"), or "cuda".
struct DialMatrix {
    EffortLayout layout = EffortLayout::planes;
    std::int64_t outputs = 0, inputs = 0;
    Type type = Type::f32;
    const char* kernels = "";
};

/// 0: not tuned, so the rules decide.
struct DialTuning {
    double byte_cost = 0;  ///< time of a byte of the layout over that of the dense copy, where both are as fast
    std::int64_t bytes_a_thread = 0;  ///< bytes that pay for one more thread
};

/// The dial's records have their own key, so that multiply() never finds them.
std::string dial_store_key();

/// From a store read with that key; all 0 when it has no record of this matrix.
DialTuning tuning_in(const Store& store, const DialMatrix& matrix) noexcept;

/// From this process's store, which is read once.
DialTuning stored_tuning(const DialMatrix& matrix) noexcept;

/// Like add_to_store(): returns a sentence when it fails, else "".
std::string store_tuning(const std::string& path, const DialMatrix& matrix, const DialTuning& tuning);

}  // namespace tw
