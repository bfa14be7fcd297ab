// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "cublas.hpp"

#include <dlfcn.h>
#include <library_types.h>

#include <cstdio>
#include <cstdlib>
#include <initializer_list>

namespace bench {
namespace {

[[noreturn]] void leave(const char* what, int code) {
    std::fprintf(stderr, "h200: cuBLAS: %s (%d)\n", what, code);
    std::exit(2);
}

constexpr int no_transpose = 0, transpose = 1;
constexpr int default_algorithm = -1;

int data_type(tw::Type type) {
    switch (type) {
        case tw::Type::f64: return CUDA_R_64F;
        case tw::Type::f32: return CUDA_R_32F;
        case tw::Type::f16: return CUDA_R_16F;
        case tw::Type::bf16: return CUDA_R_16BF;
        case tw::Type::c64: return CUDA_C_32F;
        case tw::Type::c128: return CUDA_C_64F;
    }
    return -1;
}

int compute_type(Compute compute) {
    constexpr int compute_32f = 68, compute_32f_tf32 = 77, compute_64f = 70;
    return compute == Compute::f32 ? compute_32f : compute == Compute::tf32 ? compute_32f_tf32 : compute_64f;
}

}  // namespace

Cublas::Cublas() {
    void* library = nullptr;
    for (const char* name : {"libcublas.so.13", "libcublas.so.12", "/usr/local/cuda/lib64/libcublas.so"})
        if ((library = dlopen(name, RTLD_NOW | RTLD_LOCAL))) break;
    if (!library) leave("no libcublas was found", 0);
    const auto create = reinterpret_cast<int (*)(void**)>(dlsym(library, "cublasCreate_v2"));
    set_workspace_ = reinterpret_cast<SetWorkspace>(dlsym(library, "cublasSetWorkspace_v2"));
    const auto get_version = reinterpret_cast<int (*)(void*, int*)>(dlsym(library, "cublasGetVersion_v2"));
    gemm_ex_ = reinterpret_cast<GemmEx>(dlsym(library, "cublasGemmEx"));
    by_steps_ = reinterpret_cast<BatchBySteps>(dlsym(library, "cublasGemmStridedBatchedEx"));
    by_pointers_ = reinterpret_cast<BatchByPointers>(dlsym(library, "cublasGemmBatchedEx"));
    if (!create || !set_workspace_ || !get_version || !gemm_ex_ || !by_steps_ || !by_pointers_)
        leave("a function is missing", 0);
    if (const int bad = create(&handle_)) leave("cublasCreate failed", bad);
    if (cudaMalloc(&workspace_, workspace_bytes) != cudaSuccess) leave("no memory for its workspace", 0);
    set_workspace_(handle_, workspace_, workspace_bytes);
    get_version(handle_, &version_);
    library_ = library;
}

Cublas::Emulation::Emulation(const Cublas& cublas) : cublas_(cublas) {
    constexpr int by_fixed_point = 8, eager = 2, fixed = 1, bits = 55;
    const auto set = [&](const char* name, int value) {
        const auto call = reinterpret_cast<int (*)(void*, int)>(dlsym(cublas_.library_, name));
        return call && call(cublas_.handle_, value) == 0;
    };
    // With less it answers by DGEMM.
    constexpr std::size_t bytes = std::size_t{12} << 30;
    works_ = cudaMalloc(&workspace_, bytes) == cudaSuccess &&
             cublas_.set_workspace_(cublas_.handle_, workspace_, bytes) == 0 &&
             set("cublasSetMathMode", by_fixed_point) && set("cublasSetEmulationStrategy", eager) &&
             set("cublasSetFixedPointEmulationMantissaControl", fixed) &&
             set("cublasSetFixedPointEmulationMaxMantissaBitCount", bits);
}
Cublas::Emulation::~Emulation() {
    if (const auto set = reinterpret_cast<int (*)(void*, int)>(dlsym(cublas_.library_, "cublasSetMathMode")))
        set(cublas_.handle_, 0);
    cublas_.set_workspace_(cublas_.handle_, cublas_.workspace_, workspace_bytes);
    cudaFree(workspace_);
}

void Cublas::product(int m, int n, int k, const void* a, const void* b, bool b_k_major, void* c, tw::Type in,
                     tw::Type out, Compute compute) const {
    const float one[] = {1, 0}, zero[] = {0, 0};  // as a complex number, or its real part
    const double one64[] = {1, 0}, zero64[] = {0, 0};
    const bool wide = compute == Compute::f64;
    const void *alpha = wide ? static_cast<const void*>(one64) : one,
               *beta = wide ? static_cast<const void*>(zero64) : zero;
    const int bad = gemm_ex_(handle_, b_k_major ? transpose : no_transpose, no_transpose, n, m, k, alpha, b,
                             data_type(in), b_k_major ? k : n, a, data_type(in), k, beta, c, data_type(out), n,
                             compute_type(compute), default_algorithm);
    if (bad) leave("cublasGemmEx failed", bad);
}

void Cublas::batch_by_steps(int n, const void* b, const void* a, void* c, int count, tw::Type type) const {
    const float one = 1, zero = 0;
    const int t = data_type(type);
    const long long step = static_cast<long long>(n) * n;
    const int bad = by_steps_(handle_, no_transpose, no_transpose, n, n, n, &one, b, t, n, step, a, t, n, step, &zero,
                              c, t, n, step, count, compute_type(Compute::f32), default_algorithm);
    if (bad) leave("cublasGemmStridedBatchedEx failed", bad);
}

void Cublas::batch_by_pointers(int n, void* const* b, void* const* a, void* const* c, int count, tw::Type type) const {
    const float one = 1, zero = 0;
    const int t = data_type(type);
    const int bad = by_pointers_(handle_, no_transpose, no_transpose, n, n, n, &one, b, t, n, a, t, n, &zero, c, t, n,
                                 count, compute_type(Compute::f32), default_algorithm);
    if (bad) leave("cublasGemmBatchedEx failed", bad);
}

}  // namespace bench
