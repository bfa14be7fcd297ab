// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#pragma once

#include <span>
#include <string>
#include <vector>

#include "backend/contract.hpp"
#include "backend/metal/dispatch.hpp"

namespace tw::metal {

/// The GPU of a Mac.
const Backend& backend() noexcept;
bool owns(const void* memory) noexcept;
bool may_own() noexcept;

/// Runs them in order, each after the one before has finished writing; returns when the GPU is done. The memory must be
/// from the backend's alloc().
Status launch(std::span<const Dispatch> dispatches);

/// The time of the last launch by the GPU's clock.
double last_gpu_seconds();

/// Metal's name for the GPU; "" when there is no GPU.
std::string device_name();

/// A family of kernels, and whether Metal's compiler on this machine accepts it.
struct FamilyState {
    std::string name;     ///< "r9_async_pipeline"
    std::string refusal;  ///< "" when it compiles
    const char* instead;  ///< the family to use if it does not; "" when there is none
};

/// Every family, compiled now unless it is already; empty when there is no GPU.
std::vector<FamilyState> family_states();

/// Apple's own product, a peer: C = A B of f32 or f16 in memory from this backend's alloc().
Status multiply_by_mps(const Matrix& a, const Matrix& b, const Matrix& c);
/// Why Apple's product is not there; "" when it is.
const char* why_no_mps();

}  // namespace tw::metal
