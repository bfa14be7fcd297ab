// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// What every kernel passes before anybody times it: ragged shapes, every way to lie in memory, every kind of value,
// each scalar, Inf and NaN at each position, any number of threads; all against the kernel's own certificate.
#pragma once

#include <string>

#include "support/runner.hpp"
#include "support/trial.hpp"

namespace tw::test {

/// What a kernel's documentation takes back of the promises that a plain sum keeps.
struct SweepRules {
    Loss loss{};                 ///< see Tolerance
    bool exact_integers = true;  ///< small whole numbers come out to the last bit
    bool specials = true;        ///< Inf, NaN and subnormals come out as IEEE arithmetic has them
    bool brief = false;          ///< every seventh of the small cases, for a device that is only emulated
    bool by_address = false;     ///< for a sanitizer, which sees what is read and written, not what comes out: every
                                 ///< shape, edge and way to lie in memory, but few values of each
    int judged_once_in = 1;      ///< cases: the others are run, and no value of theirs is looked at
};

struct SweepReport {
    int cases = 0, refused = 0;
    double worst = 0;     ///< the largest error, as a fraction of the certificate
    std::string failure;  ///< the first, with its case; the sweep ends there

    bool ok() const { return failure.empty() && cases > 0; }
    std::string sentence() const;
};

SweepReport sweep(const Kernel& kernel, Place place, const Runner& runner, const SweepRules& rules = {});

}  // namespace tw::test
