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

/// One after another, each seeing what those before it have written; returns when the GPU is done. Memory is the
/// backend's: alloc() lent it.
Status launch(std::span<const Dispatch> dispatches);

/// What the last launch took by the GPU's own clock.
double last_gpu_seconds();

/// The GPU's name as Metal tells it; "" when there is none.
std::string device_name();

/// A family of kernels, and what Metal's compiler on this machine says against it.
struct FamilyState {
    std::string name;     ///< "r9_async_pipeline"
    std::string refusal;  ///< "" when it compiles
    const char* instead;  ///< the family that does its work then; "" when none does
};

/// Every family, compiled now if it was not yet; empty when there is no GPU.
std::vector<FamilyState> family_states();

/// Apple's own product, a peer: C = A B of f32 or f16 in memory that this backend lent.
Status multiply_by_mps(const Matrix& a, const Matrix& b, const Matrix& c);
/// Why there is none; "" when there is.
const char* why_no_mps();

}  // namespace tw::metal
