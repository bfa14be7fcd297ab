// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// One vector's product with one expert: what it reads, and its report.
#pragma once

#include "formats/body.hpp"

namespace tw::effort {

struct Job {
    const float* v;
    float* y;
    int expert = 0;
    bool is_dense = false, is_fine = false;
    bool may_be_whole = false;  ///< the kernel puts codes together where everything is read, or v rounded finely
    bool is_whole = false;      ///< and it will
    bool has_gaps = false;      ///< of whole codes: not everything is read
    EffortEntry* entries = nullptr;
    std::int64_t count = 0;
    double factor = 1;  ///< planes: y is the sums times this
    double left = 0;    ///< square of the expected error, for W times 2^exponent
    double all = 0;     ///< square of the expected |W v|, likewise
    EffortReport report{};
};

/// Bytes of scratch: while a job is prepared, and (kept_bytes) until it is done.
std::size_t workspace_bytes(const EffortBody& body) noexcept;
std::size_t kept_bytes(const EffortBody& body) noexcept;

/// Chooses what is read for v and fills in the job. `workspace` is free again afterwards; the entries are in `kept`.
void prepare(const EffortBody& body, Budget budget, std::span<std::byte> workspace, std::span<std::byte> kept,
             Job& job) noexcept;

/// True when only reading everything keeps the budget.
bool needs_all(Budget budget, const Job& job) noexcept;

/// Turns a prepared job into one that reads the dense copy.
void make_dense(const EffortBody& body, Job& job) noexcept;

/// Fills in the job from what a device has chosen: a number of units for each input.
void account_for(const EffortBody& body, std::uint8_t* units, double cutoff, bool is_fine, std::span<std::byte> kept,
                 Job& job) noexcept;

/// After the product: fills in the expected error relative to |y|.
void conclude(const EffortBody& body, const char* kernels, Job& job) noexcept;

}  // namespace tw::effort
