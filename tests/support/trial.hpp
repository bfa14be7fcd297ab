// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// One run of one kernel: a product on guarded operands, judged.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "reference/fill.hpp"
#include "reference/judge.hpp"
#include "support/guarded_matrix.hpp"
#include "support/runner.hpp"

namespace tw::test {

struct Trial {
    std::int64_t m = 1, n = 1, k = 1;
    Tile tile{};
    Lie a{}, b{}, c{};
    double alpha = 1, beta = 0;
    double alpha_imag = 0, beta_imag = 0;  ///< of complex kernels
    reference::Fill fill = reference::Fill::normal;
    std::uint64_t seed = 1;
    int threads = 1;

    /// Applied to A, B and C once they are filled: a special value, a zero.
    std::function<void(const Matrix& a, const Matrix& b, const Matrix& c)> alter{};
    std::string about{};  ///< what `alter` did, for the sentence

    bool exact = false;     ///< the very answer is wanted
    bool is_judged = true;  ///< else what is written is looked at, and no value
    std::string text() const;
};

struct Outcome {
    bool refused = false;           ///< its row does not take it, or the answer was "unsupported" and nothing written
    std::string failure;            ///< empty: right
    double worst = 0;               ///< the largest error as a fraction of what the certificate allows
    std::vector<std::byte> result;  ///< C's elements in row-major order
};

/// Beyond the certificate and its scheme's flush loss: what a kernel's documentation takes back (see Tolerance).
struct Loss {
    double flush = 0;
};

/// C is NaN when beta is 0, A, B and every padding must be as before, and C must satisfy the judge.
Outcome run(const Trial& trial, const Kernel& kernel, Place place, const Runner& runner, const Loss& loss = {});

}  // namespace tw::test
