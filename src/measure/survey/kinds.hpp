// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The kinds of products in a survey: a type of elements and an accuracy.
#pragma once

#include <span>
#include <string_view>

#include "tilewright/accuracy.hpp"
#include "tilewright/types.hpp"

namespace tw::measure {

struct Kind {
    const char* name;  ///< "bf16", "tf32": the type, or the accuracy for f32
    Type type;
    Accuracy accuracy;
    int weight;              ///< its share of the shapes
    bool is_usual;           ///< false: measured only on request
    double most_operations;  ///< of one shape on a device, so that the slower side takes about 0.1 s
};

std::span<const Kind> every_kind() noexcept;

/// Null for any other word.
const Kind* find_kind(std::string_view name) noexcept;

}  // namespace tw::measure
