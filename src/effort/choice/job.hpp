// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// One vector's product with one expert: what was chosen, and what is said of it afterwards.
#pragma once

#include "formats/body.hpp"

namespace tw::effort {

struct Job {
    const float* v;
    float* y;
    int expert = 0;
    bool is_dense = false, is_fine = false;
    EffortEntry* entries = nullptr;
    std::int64_t count = 0;
    double factor = 1;  ///< planes: what the sums are times, to be y
    double left = 0;    ///< square of the error expected, of W times 2^exponent
    double all = 0;     ///< square of |W v| expected, likewise
    EffortReport report{};
};

/// Bytes of scratch that preparing a job takes, and that a job keeps until it is done.
std::size_t desk_bytes(const EffortBody& body) noexcept;
std::size_t kept_bytes(const EffortBody& body) noexcept;

/// Chooses what is read of v and fills in the job. `desk` is free again afterwards; the job's entries lie in `kept`.
void prepare(const EffortBody& body, Budget budget, std::span<std::byte> desk, std::span<std::byte> kept,
             Job& job) noexcept;

/// True when nothing less than everything keeps the budget.
bool needs_all(Budget budget, const Job& job) noexcept;

/// A job that is prepared becomes the dense copy's.
void make_dense(const EffortBody& body, Job& job) noexcept;

/// Fills in the job for units, one number for each input, that a device has chosen.
void account_for(const EffortBody& body, std::uint8_t* units, double cutoff, bool is_fine, std::span<std::byte> kept,
                 Job& job) noexcept;

/// After the product: the error that is expected beside the |y| that came out.
void conclude(const EffortBody& body, const char* kernels, Job& job) noexcept;

}  // namespace tw::effort
