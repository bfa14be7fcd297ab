// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// An operand's memory: pages of its own between two without access, so that a step beyond either end is a fault.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "measure/judging/case.hpp"

namespace tw::judging {

class Operand {
public:
    /// `products` of them lie behind one another. Every byte is 0xff, NaN in every type. Throws std::bad_alloc.
    Operand(Type type, std::int64_t rows, std::int64_t cols, const Placement& placement, std::int64_t products = 1);
    ~Operand();
    Operand(const Operand&) = delete;
    Operand& operator=(const Operand&) = delete;

    Matrix product(std::int64_t index) const noexcept;
    std::int64_t step() const noexcept { return step_; }  ///< in elements, from product to product

    void remember();
    bool is_unchanged() const;
    /// All but the elements themselves.
    bool holes_are_unchanged() const;

private:
    std::span<std::byte> mapped_, bytes_;
    Matrix first_{};
    std::int64_t step_ = 0, products_;
    std::vector<std::byte> remembered_;
};

/// The elements, row by row, of all products.
std::vector<std::byte> elements_of(const Operand& operand, std::int64_t products);

}  // namespace tw::judging
