// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// cublasLt as a peer: one square bf16 product with a bias and an activation in the same pass. Its GELU is the one by
// tanh.
#pragma once

#include <cstddef>

#include "device_data.hpp"
#include "tilewright/epilogue.hpp"

namespace bench {

class CublasLt {
public:
    /// C = activation(scale * A * B^T + bias), all n x n and row-major, by the first of its own choices.
    CublasLt(int n, const void* bias, tw::Activation activation);
    void run(const void* a, const void* b, void* c, float scale) const;

private:
    using Matmul = int (*)(void* handle, void* product, const void* alpha, const void* a, void* a_layout, const void* b,
                           void* b_layout, const void* beta, const void* c, void* c_layout, void* d, void* d_layout,
                           const void* algorithm, void* workspace, std::size_t bytes, void* stream);
    void *handle_ = nullptr, *product_ = nullptr, *layout_ = nullptr;
    Matmul matmul_ = nullptr;
    unsigned long long algorithm_[8]{};
    std::size_t workspace_bytes_ = 0;
    Buffer workspace_;
};

}  // namespace bench
