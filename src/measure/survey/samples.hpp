// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The judge where a result is too large to be looked at whole: some rows and columns of three of a batch's products
// are fetched, and what they meet in is judged as a product of its own. What C must not change is looked at too.
#pragma once

#include <cstddef>
#include <vector>

#include "measure/survey/sets.hpp"
#include "reference/judge.hpp"

namespace tw::measure {

class Samples {
public:
    /// Fetches A's rows and B's columns, and the old C's elements where beta needs them: of the set as poison() left
    /// it.
    Status fetch(const Ground& ground, const Case& what, const Set& set);

    struct Found {
        double error_over_bound = 0;
        std::string trouble{};  ///< a sentence when the result is wrong
    };
    /// The set's C as it is now, within so much of |A||B|.
    Status judge(double bound, int threads, Found& found) const;

private:
    /// Of one product; everything on the host and dense.
    struct Part {
        std::int64_t product = 0;
        std::vector<std::byte> a{}, b{}, old_c{};
    };
    Status fetch_lines(const Matrix& from, std::vector<std::byte>& to) const;
    Status fetch_part(Part& part) const;
    Status fetch_met(std::int64_t product, std::vector<std::byte>& met, bool& is_whole) const;
    Status look_beside(bool& is_untouched) const;
    Matrix met_matrix(std::vector<std::byte>& met) const;

    const Ground* ground_ = nullptr;
    const Case* what_ = nullptr;
    const Set* set_ = nullptr;
    std::vector<std::int64_t> rows_, cols_;
    std::vector<Part> parts_;
};

}  // namespace tw::measure
