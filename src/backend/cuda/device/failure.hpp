// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// An error of the CUDA runtime becomes a Status with a sentence of its own. Errors that a device does not recover
// from mark it dead: every later call on it is refused at once.
#pragma once

#include <cuda_runtime_api.h>

#include "tilewright/status.hpp"

namespace tw::cuda {

/// What was being done: the sentence for an error that has none of its own.
enum class Step : unsigned char {
    count,
    select,
    query,
    allocate,
    release,
    copy,
    clear,
    wait,
    prepare,
    launch,
    describe,
    order
};

/// ok for cudaSuccess.
Status status_of(cudaError_t error, Step step) noexcept;

/// The sentence for a device that failed earlier; ok while it lives.
Status alive() noexcept;

/// Forgets failures: for tests.
void revive() noexcept;

}  // namespace tw::cuda
