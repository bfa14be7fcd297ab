// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Times of products on an H200, measured in captured graphs, for matrices from 384 x 384 to 14336 x 4096. They decide
// between a layout and the dense copy, so far on every chip, and never change what is read of a layout.
#pragma once

#include "backend/effort_contract.hpp"

namespace tw::cuda::effort {

/// Microseconds: of the start of a call, for a thousand inputs, for a million bytes read.
struct Pace {
    double begin, of_inputs, of_bytes;
};

inline constexpr Pace buckets_on_h200 = {7, 0.2, 0.256}, tiers_on_h200 = {7, 0.17, 0.245},
                      planes_on_h200 = {5.9, 0.25, 0.2}, dense_on_h200 = {2.4, 0, 0.222};

constexpr double nanoseconds_of(const Pace& pace, const EffortProblem& p, double bytes) noexcept {
    return 1e3 * pace.begin + pace.of_inputs * static_cast<double>(p.inputs) + 1e-3 * pace.of_bytes * bytes;
}

/// Each product reads its own rows.
constexpr double nanoseconds_of_rows(const Pace& pace, const EffortProblem& p) noexcept {
    return nanoseconds_of(pace, p, static_cast<double>(p.products) * static_cast<double>(p.bytes));
}

/// Products with one expert read its dense copy once for every four of them.
constexpr double nanoseconds_of_dense(const Pace& pace, const EffortProblem& p) noexcept {
    constexpr int read_together = 4;
    const int reads = p.of_one_expert ? (p.products + read_together - 1) / read_together : p.products;
    return nanoseconds_of(pace, p, static_cast<double>(reads) * static_cast<double>(p.dense_bytes));
}

}  // namespace tw::cuda::effort
