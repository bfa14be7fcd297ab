// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// cuBLAS as a peer: opened with dlopen, never linked. Only what the table compares with.
#pragma once

#include <cuda_runtime_api.h>

#include "tilewright/types.hpp"

namespace bench {

/// Which arithmetic cuBLAS is asked for.
enum class Compute { f32, tf32, f64 };

class Cublas {
public:
    /// Exits with a sentence when the library is not there: without it there is no table.
    Cublas();

    /// Row-major C (m x n) = A (m x k) * B; B is n x k with k contiguous when `b_k_major`, else k x n.
    void product(int m, int n, int k, const void* a, const void* b, bool b_k_major, void* c, tw::Type in, tw::Type out,
                 Compute compute = Compute::f32) const;

    /// Row-major C[i] = A[i] * B[i], all n x n: one behind the other, or where arrays on the device point. The operands
    /// are told as cuBLAS sees them, column-major: B stands for its A.
    void batch_by_steps(int n, const void* b, const void* a, void* c, int count, tw::Type type) const;
    void batch_by_pointers(int n, void* const* b, void* const* a, void* const* c, int count, tw::Type type) const;

    /// While it lives, products of f64 and c128 are cuBLAS's emulation by whole numbers, 55 bits, whatever it costs.
    /// False where this cuBLAS has none.
    class Emulation {
    public:
        explicit Emulation(const Cublas& cublas);
        ~Emulation();
        explicit operator bool() const { return works_; }

    private:
        const Cublas& cublas_;
        void* workspace_ = nullptr;
        bool works_ = false;
    };

    int version() const { return version_; }

private:
    static constexpr std::size_t workspace_bytes = std::size_t{256} << 20;
    using SetWorkspace = int (*)(void*, void*, std::size_t);
    using GemmEx = int (*)(void*, int, int, int, int, int, const void*, const void*, int, int, const void*, int, int,
                           const void*, void*, int, int, int, int);
    using BatchBySteps = int (*)(void*, int, int, int, int, int, const void*, const void*, int, int, long long,
                                 const void*, int, int, long long, const void*, void*, int, int, long long, int, int,
                                 int);
    using BatchByPointers = int (*)(void*, int, int, int, int, int, const void*, void* const*, int, int, void* const*,
                                    int, int, const void*, void* const*, int, int, int, int, int);
    void *library_ = nullptr, *handle_ = nullptr, *workspace_ = nullptr;
    SetWorkspace set_workspace_ = nullptr;
    BatchBySteps by_steps_ = nullptr;
    BatchByPointers by_pointers_ = nullptr;
    GemmEx gemm_ex_ = nullptr;
    int version_ = 0;
};

}  // namespace bench
