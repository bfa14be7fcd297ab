// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// One case of the survey: a shape, with the operands' layout, beta and the batch.
#pragma once

#include <cstdint>
#include <string>

#include "measure/survey/kinds.hpp"

namespace tw::measure {

/// An operand's layout in memory, in elements. A line is a row, or a column if it is column-major.
struct LineLayout {
    bool by_columns = false;
    std::int64_t pitch = 0;   ///< from line to line; 0: lines are dense
    std::int64_t step = 0;    ///< from product to product; 0: contiguous
    std::int64_t offset = 0;  ///< of the first element from an aligned address

    friend bool operator==(const LineLayout&, const LineLayout&) = default;
};

struct Case {
    const Kind* kind = nullptr;
    std::string family{};
    std::int64_t m = 0, n = 0, k = 0;
    std::int64_t products = 1;
    bool by_pointers = false;  ///< the batch's operands are given by arrays of pointers
    LineLayout a{}, b{}, c{};
    double beta = 0;

    double operations() const;
    bool is_batch() const { return products > 1; }
    /// "16x14336x4096 NT", then what is not the default: " x512", " pointers", " C^T", " beta 0.5", " pitch +1 +0 +3".
    std::string text() const;

    friend bool operator==(const Case&, const Case&) = default;
};

/// An operand of the case with its pitch and step filled in.
struct OperandInMemory {
    std::int64_t rows = 0, cols = 0;
    LineLayout lay{};
    std::int64_t elements = 0;  ///< from the aligned address to the end of the last product

    std::int64_t lines() const { return lay.by_columns ? cols : rows; }
    std::int64_t width() const { return lay.by_columns ? rows : cols; }
    /// False when other products are between the lines of a product.
    bool has_gaps_of_its_own(std::int64_t products) const {
        return lay.pitch > width() && (products == 1 || lay.step >= lines() * lay.pitch);
    }
};
struct CaseInMemory {
    OperandInMemory a, b, c;
    double bytes() const;
    Type type;
};
CaseInMemory lay_out(const Case& what);

}  // namespace tw::measure
