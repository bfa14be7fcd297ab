// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#pragma once

#include <cstddef>
#include <vector>

#include "reference/compensated.hpp"

namespace tw::reference {

/// A sum of doubles without any error: parts that don't overlap, the smallest first.
class ExactSum {
public:
    void add(double x) {
        std::size_t kept = 0;
        for (const double part : parts_) {
            const reference::Twice sum = reference::two_sum(x, part);
            if (sum.lo != 0) parts_[kept++] = sum.lo;
            x = sum.hi;
        }
        parts_.resize(kept);
        parts_.push_back(x);
    }
    void add_product(double a, double b) {
        const reference::Twice product = reference::two_product(a, b);
        add(product.lo), add(product.hi);
    }
    double rounded() const {
        double sum = 0;
        for (const double part : parts_) sum += part;
        return sum;
    }

private:
    std::vector<double> parts_;
};

}  // namespace tw::reference
