// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// How long products take on a CUDA device, by which one is given to the dense copy where that is quicker. Neither
// changes what is read.
#pragma once

#include "formats/body.hpp"

namespace tw::effort {

/// Microseconds of an order: while it begins, for a thousand inputs, for a million bytes that are read.
struct Pace {
    double begin, of_inputs, of_bytes;
};

struct Paces {
    Pace of_layout[3];  ///< in the order of EffortLayout
    Pace of_dense;
};

/// By times of matrices from 384 x 384 to 14336 x 4096 in captured graphs.
extern const Paces paces_on_h200;

/// Products of one order, each of which may read so many bytes of the layout. Those of one matrix read its dense copy
/// together.
struct Asked {
    std::int64_t bytes;
    int products;
    bool of_one_matrix;
};

bool dense_is_quicker(const EffortBody& body, const Asked& asked, const Paces& paces) noexcept;

}  // namespace tw::effort
