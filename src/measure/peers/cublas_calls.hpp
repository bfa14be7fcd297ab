// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The functions of cuBLAS and cublasLt that we call, as their headers declare them, by address.
#pragma once

#include <cstddef>
#include <cstdint>

#include "measure/peers/cublas_here.hpp"

namespace tw::measure {

struct CublasHere::Calls {
    int (*create)(void** handle);
    int (*destroy)(void* handle);
    int (*get_version)(void* handle, int* version);
    int (*set_stream)(void* handle, void* stream);
    int (*set_workspace)(void* handle, void* memory, std::size_t bytes);
    int (*gemm)(void* handle, int op_a, int op_b, int m, int n, int k, const void* alpha, const void* a, int a_type,
                int lda, const void* b, int b_type, int ldb, const void* beta, void* c, int c_type, int ldc,
                int compute, int algorithm);
    int (*gemm_by_steps)(void* handle, int op_a, int op_b, int m, int n, int k, const void* alpha, const void* a,
                         int a_type, int lda, long long a_step, const void* b, int b_type, int ldb, long long b_step,
                         const void* beta, void* c, int c_type, int ldc, long long c_step, int count, int compute,
                         int algorithm);
    int (*gemm_by_pointers)(void* handle, int op_a, int op_b, int m, int n, int k, const void* alpha,
                            const void* const* a, int a_type, int lda, const void* const* b, int b_type, int ldb,
                            const void* beta, void* const* c, int c_type, int ldc, int count, int compute,
                            int algorithm);

    int (*lt_create)(void** handle);
    int (*lt_destroy)(void* handle);
    int (*lt_multiply)(void* handle, void* product, const void* alpha, const void* a, void* a_layout, const void* b,
                       void* b_layout, const void* beta, const void* c, void* c_layout, void* d, void* d_layout,
                       const void* algorithm, void* workspace, std::size_t bytes, void* stream);
    int (*lt_create_product)(void** product, int compute_type, int scale_type);
    int (*lt_set_product)(void* product, int attribute, const void* value, std::size_t bytes);
    int (*lt_destroy_product)(void* product);
    int (*lt_create_layout)(void** layout, int type, std::uint64_t rows, std::uint64_t cols, std::int64_t pitch);
    int (*lt_set_layout)(void* layout, int attribute, const void* value, std::size_t bytes);
    int (*lt_destroy_layout)(void* layout);
    int (*lt_create_preference)(void** preference);
    int (*lt_set_preference)(void* preference, int attribute, const void* value, std::size_t bytes);
    int (*lt_destroy_preference)(void* preference);
    int (*lt_heuristic)(void* handle, void* product, void* a, void* b, void* c, void* d, void* preference, int most,
                        void* results, int* found);

    /// The name of the first function that the library lacks; null when it has all.
    const char* find_all(void* library);
};

}  // namespace tw::measure
