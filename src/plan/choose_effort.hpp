// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// choose for the effort dial: the rows of a backend that do products with a matrix.
#pragma once

#include "backend/contract.hpp"
#include "backend/effort_contract.hpp"
#include "formats/body.hpp"
#include "plan/dial_store.hpp"

namespace tw {

struct EffortPlan {
    const Backend* backend = nullptr;
    int device = 0;
    const EffortKernel* kernel = nullptr;  ///< reads the layout
    const EffortKernel* dense = nullptr;   ///< reads the dense copy; null: there is none, or no row for it
    DialHabits tuned{};                    ///< of the matrix with the kernel
};

/// Products that read so many bytes of the layout each.
EffortProblem effort_problem(const EffortBody& body, std::int64_t bytes, int products = 1, bool of_one_expert = true);

/// "cuda:1", with "" for the CPU: its backend, if that has rows for the dial and there is such a device.
Status find_effort_device(std::string_view device, EffortPlan& plan) noexcept;

/// The cheapest rows of the plan's backend that this machine can run, of the set of kernels that is named if one is.
Status choose_effort(const EffortProblem& problem, std::string_view kernels, EffortPlan& plan) noexcept;

/// True when reading the dense copy is expected to take less time than reading what the problem says of the layout.
bool dense_is_quicker(const EffortPlan& plan, const EffortProblem& problem) noexcept;

/// Of at most `allowed` threads, as many as so many bytes are worth.
int effort_threads(const EffortPlan& plan, std::int64_t bytes, int allowed) noexcept;

}  // namespace tw
