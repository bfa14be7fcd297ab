// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// TW_DEVICE=auto: large products go to the GPU from the size on where that was seen to be faster. What is measured are
// the program's own calls, copies there and back included, so nothing is computed twice: of the first calls of a size,
// one runs on the CPU and two on the GPU (the first of these warms it up); later ones go where it was quicker.
#pragma once

#include "tilewright/view.hpp"

namespace tw::blas {

enum class Where : std::uint8_t { cpu, gpu_unmeasured, gpu };

/// One product's place. Products of fewer than 2^24 multiplications are never worth the way.
class Crossing {
public:
    Crossing(const Matrix& a, const Matrix& c) noexcept;

    Where where() const noexcept { return where_; }

    /// How the call ended, for those that come after: a GPU that failed is not asked again for this size.
    void ended(bool well) noexcept;

private:
    int bucket_ = -1;
    bool measured_ = false;
    Where where_ = Where::cpu;
    double started_ = 0;
};

}  // namespace tw::blas
