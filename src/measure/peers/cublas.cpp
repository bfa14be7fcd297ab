// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "measure/peers/cublas.hpp"

#include <dlfcn.h>

#include <complex>

#include "measure/peers/of_any_type.hpp"

namespace tw::measure {
namespace {

constexpr int no_transpose = 0;  // CUBLAS_OP_N

template <class T>
std::function<bool(const Matrix&, const Matrix&, const Matrix&)> gemm(void* handle, void* context, const char* name) {
    using Gemm = int(void*, int, int, int, int, int, const T*, const T*, int, const T*, int, const T*, T*, int);
    auto* call = reinterpret_cast<Gemm*>(dlsym(handle, name));
    if (!call) return {};
    return [call, context](const Matrix& a, const Matrix& b, const Matrix& c) TW_OF_ANY_TYPE {
        // cuBLAS is column-major: row-major memory looks transposed to it, so it computes C' = B' A'.
        const T one = 1, zero = 0;
        const auto whole = [](std::int64_t x) { return static_cast<int>(x); };
        return call(context, no_transpose, no_transpose, whole(c.cols), whole(c.rows), whole(a.cols), &one,
                    static_cast<const T*>(b.data), whole(b.row_step), static_cast<const T*>(a.data), whole(a.row_step),
                    &zero, static_cast<T*>(c.data), whole(c.row_step)) == 0;
    };
}

}  // namespace

TW_OF_ANY_TYPE void open_cublas(void* handle, PeerLibrary& library) {
    auto* create = reinterpret_cast<int (*)(void**)>(dlsym(handle, "cublasCreate_v2"));
    auto* version = reinterpret_cast<int (*)(void*, int*)>(dlsym(handle, "cublasGetVersion_v2"));
    void* context = nullptr;
    if (!create || create(&context) != 0) {
        library.trouble = "it opens, but finds no device that it can use";
        return;
    }
    int number = 0;
    if (version && version(context, &number) == 0)
        library.version = std::to_string(number / 10000) + "." + std::to_string(number / 100 % 100) + "." +
                          std::to_string(number % 100);
    library.core_type = "its own choice";
    library.f32 = gemm<float>(handle, context, "cublasSgemm_v2");
    library.f64 = gemm<double>(handle, context, "cublasDgemm_v2");
    library.c64 = gemm<std::complex<float>>(handle, context, "cublasCgemm_v2");
    library.c128 = gemm<std::complex<double>>(handle, context, "cublasZgemm_v2");
}

}  // namespace tw::measure
