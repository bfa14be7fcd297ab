// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// choose for the effort dial: which kernels of a backend do the products with a matrix.
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
    const EffortKernel* dense = nullptr;   ///< reads the dense copy; null: no copy, or no kernel for it
    DialTuning tuned{};                    ///< for this matrix and kernel
};

/// `bytes`: how much of the layout each product reads.
EffortProblem effort_problem(const EffortBody& body, std::int64_t bytes, int products = 1, bool of_one_expert = true);

/// Sets backend and device of "cuda:1"; "" is the CPU. Fails if there is no such device, or no kernels for the dial.
Status find_effort_device(std::string_view device, EffortPlan& plan) noexcept;

/// Sets the cheapest kernels of the plan's backend that this machine can run; `kernels` names a set, "" is any.
Status choose_effort(const EffortProblem& problem, std::string_view kernels, EffortPlan& plan) noexcept;

/// True when reading the dense copy is expected to be faster than reading the problem's bytes of the layout.
bool dense_is_quicker(const EffortPlan& plan, const EffortProblem& problem) noexcept;

/// The number of threads, at most `allowed`, that pay for so many bytes.
int effort_threads(const EffortPlan& plan, std::int64_t bytes, int allowed) noexcept;

}  // namespace tw
