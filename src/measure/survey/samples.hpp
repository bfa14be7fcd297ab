// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The judge for results that are too large to check whole: it fetches some rows and columns of up to three products of
// a batch, and checks the elements of C where they cross. It also checks that nothing beside C was written.
#pragma once

#include <cstddef>
#include <vector>

#include "measure/survey/sets.hpp"
#include "reference/judge.hpp"

namespace tw::measure {

class Samples {
public:
    /// Fetches A's rows and B's columns, and C's old elements where beta needs them. Call it after poison().
    Status fetch(const OperandMemory& operands, const Case& what, const Set& set);

    struct Found {
        double error_over_bound = 0;
        std::string trouble{};  ///< a sentence when the result is wrong
    };
    /// Checks the set's C against the bound, in units of |A||B|.
    Status judge(double bound, int threads, Found& found) const;

private:
    /// The samples of one product, dense and on the host.
    struct Part {
        std::int64_t product = 0;
        std::vector<std::byte> a{}, b{}, old_c{};
    };
    Status fetch_lines(const Matrix& from, std::vector<std::byte>& to) const;
    Status fetch_part(Part& part) const;
    Status fetch_crossings(std::int64_t product, std::vector<std::byte>& crossings, bool& is_whole) const;
    Status check_surroundings(bool& is_untouched) const;
    Matrix matrix_of_crossings(std::vector<std::byte>& crossings) const;

    const OperandMemory* operands_ = nullptr;
    const Case* what_ = nullptr;
    const Set* set_ = nullptr;
    std::vector<std::int64_t> rows_, cols_;
    std::vector<Part> parts_;
};

}  // namespace tw::measure
