// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "measure/peers/libxsmm.hpp"

#include "measure/peers/symbols.hpp"

namespace tw::measure {
namespace {

/// Column-major, so C^T = B^T A^T. For large products libxsmm calls the BLAS that it was built with.
template <class T>
std::function<bool(const Matrix&, const Matrix&, const Matrix&)> gemm_of(void* handle, const char* name) {
    using Gemm = void(const char*, const char*, const int*, const int*, const int*, const T*, const T*, const int*,
                      const T*, const int*, const T*, T*, const int*);
    auto* gemm = function<Gemm>(handle, name);
    if (!gemm) return {};
    return [gemm](const Matrix& a, const Matrix& b, const Matrix& c) {
        const auto m = static_cast<int>(c.cols), n = static_cast<int>(c.rows), k = static_cast<int>(a.cols);
        const auto lda = static_cast<int>(b.row_step), ldb = static_cast<int>(a.row_step),
                   ldc = static_cast<int>(c.row_step);
        const T one = 1, zero = 0;
        gemm("N", "N", &m, &n, &k, &one, static_cast<const T*>(b.data), &lda, static_cast<const T*>(a.data), &ldb,
             &zero, static_cast<T*>(c.data), &ldc);
        return true;
    };
}

}  // namespace

void open_libxsmm(void* handle, PeerLibrary& library) {
    if (auto* target = function<const char*()>(handle, "libxsmm_get_target_arch")) library.core_type = target();
    library.f32 = gemm_of<float>(handle, "libxsmm_sgemm");
    library.f64 = gemm_of<double>(handle, "libxsmm_dgemm");
}

}  // namespace tw::measure
