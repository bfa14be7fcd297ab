// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "cublas_lt.hpp"

#include <dlfcn.h>
#include <library_types.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace bench {
namespace {

[[noreturn]] void leave(const char* what, int code) {
    std::fprintf(stderr, "h200: cublasLt: %s (%d)\n", what, code);
    std::exit(2);
}
void must(int code, const char* what) {
    if (code) leave(what, code);
}

void* library() {
    for (const char* name : {"libcublasLt.so.13", "libcublasLt.so.12", "/usr/local/cuda/lib64/libcublasLt.so"})
        if (void* found = dlopen(name, RTLD_NOW | RTLD_LOCAL)) return found;
    leave("no libcublasLt was found", 0);
}
template <class Function>
Function find(void* from, const char* name) {
    const auto found = reinterpret_cast<Function>(dlsym(from, name));
    if (!found) leave(name, 0);
    return found;
}

/// As cublasLt.h has it.
struct Heuristic {
    unsigned long long algorithm[8];
    std::size_t workspace;
    int state;
    float waves;
    int reserved[4];
};

constexpr int compute_32f = 68, of_transposed_a = 3, of_epilogue = 7, of_bias = 8, of_most_workspace = 1;
constexpr int relu_and_bias = 6, gelu_and_bias = 36;
constexpr std::size_t most_workspace = std::size_t{64} << 20;

}  // namespace

CublasLt::CublasLt(int n, const void* bias, tw::Activation activation) : workspace_(most_workspace) {
    void* const from = library();
    matmul_ = find<Matmul>(from, "cublasLtMatmul");
    const auto create = find<int (*)(void**)>(from, "cublasLtCreate");
    const auto create_product = find<int (*)(void**, int, int)>(from, "cublasLtMatmulDescCreate");
    const auto set = find<int (*)(void*, int, const void*, std::size_t)>(from, "cublasLtMatmulDescSetAttribute");
    const auto create_layout =
        find<int (*)(void**, int, std::uint64_t, std::uint64_t, std::int64_t)>(from, "cublasLtMatrixLayoutCreate");
    const auto create_preference = find<int (*)(void**)>(from, "cublasLtMatmulPreferenceCreate");
    const auto prefer =
        find<int (*)(void*, int, const void*, std::size_t)>(from, "cublasLtMatmulPreferenceSetAttribute");
    const auto choose = find<int (*)(void*, void*, void*, void*, void*, void*, void*, int, Heuristic*, int*)>(
        from, "cublasLtMatmulAlgoGetHeuristic");
    must(create(&handle_), "cublasLtCreate failed");
    must(create_product(&product_, compute_32f, CUDA_R_32F), "a product");
    const int transposed = 1, epilogue = activation == tw::Activation::relu ? relu_and_bias : gelu_and_bias;
    must(set(product_, of_transposed_a, &transposed, sizeof transposed), "a transpose");
    must(set(product_, of_epilogue, &epilogue, sizeof epilogue), "an epilogue");
    must(set(product_, of_bias, &bias, sizeof bias), "a bias");
    const auto extent = static_cast<std::uint64_t>(n);
    must(create_layout(&layout_, CUDA_R_16BF, extent, extent, n), "a layout");
    void* preference = nullptr;
    must(create_preference(&preference), "a preference");
    must(prefer(preference, of_most_workspace, &most_workspace, sizeof most_workspace), "a workspace");
    Heuristic best{};
    int found = 0;
    must(choose(handle_, product_, layout_, layout_, layout_, layout_, preference, 1, &best, &found), "a choice");
    if (found == 0) leave("it has no algorithm for a product with this epilogue", 0);
    std::copy(std::begin(best.algorithm), std::end(best.algorithm), algorithm_);
    workspace_bytes_ = best.workspace;
}

void CublasLt::run(const void* a, const void* b, void* c, float scale) const {
    const float zero = 0;
    must(matmul_(handle_, product_, &scale, b, layout_, a, layout_, &zero, c, layout_, c, layout_, algorithm_,
                 workspace_.get(), workspace_bytes_, nullptr),
         "cublasLtMatmul failed");
}

}  // namespace bench
