// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "measure/peers/cublas_here.hpp"

#include <dlfcn.h>

#include "measure/peers/cublas_calls.hpp"
#include "measure/peers/search.hpp"

namespace tw::measure {
namespace {

constexpr Status refused{Code::unsupported, Argument::none, "cuBLAS refuses the product"};
constexpr int own_choice = -1;  // CUBLAS_GEMM_DEFAULT

template <class Function>
bool find(void* library, const char* name, Function*& found) {
    found = reinterpret_cast<Function*>(dlsym(library, name));
    return found != nullptr;
}

}  // namespace

/// cuBLAS is linked to cublasLt, so its functions are found through cuBLAS's handle.
const char* CublasHere::Calls::find_all(void* library) {
    const char* missing = nullptr;
    const auto want = [&](const char* name, auto*& found) {
        if (!find(library, name, found) && !missing) missing = name;
    };
    want("cublasCreate_v2", create);
    want("cublasDestroy_v2", destroy);
    want("cublasGetVersion_v2", get_version);
    want("cublasSetStream_v2", set_stream);
    want("cublasSetWorkspace_v2", set_workspace);
    want("cublasGemmEx", gemm);
    want("cublasGemmStridedBatchedEx", gemm_by_steps);
    want("cublasGemmBatchedEx", gemm_by_pointers);
    want("cublasLtCreate", lt_create);
    want("cublasLtDestroy", lt_destroy);
    want("cublasLtMatmul", lt_multiply);
    want("cublasLtMatmulDescCreate", lt_create_product);
    want("cublasLtMatmulDescSetAttribute", lt_set_product);
    want("cublasLtMatmulDescDestroy", lt_destroy_product);
    want("cublasLtMatrixLayoutCreate", lt_create_layout);
    want("cublasLtMatrixLayoutSetAttribute", lt_set_layout);
    want("cublasLtMatrixLayoutDestroy", lt_destroy_layout);
    want("cublasLtMatmulPreferenceCreate", lt_create_preference);
    want("cublasLtMatmulPreferenceSetAttribute", lt_set_preference);
    want("cublasLtMatmulPreferenceDestroy", lt_destroy_preference);
    want("cublasLtMatmulAlgoGetHeuristic", lt_heuristic);
    return missing;
}

std::unique_ptr<CublasHere> CublasHere::open(void* stream, void* workspace, std::size_t bytes, std::string& trouble) {
    trouble = "not found";
    void* library = nullptr;
    std::unique_ptr<CublasHere> made(new CublasHere);
    for (const PeerCandidate& candidate : peer_candidates(*find_peer_kind("cublas"))) {
        library = dlopen(candidate.file.c_str(), RTLD_NOW | RTLD_LOCAL);
        made->file_ = candidate.file;
        if (library) break;
        const char* why = dlerror();
        if (candidate.found_by != "the loader" && why) trouble = why;
    }
    if (!library) return nullptr;
    auto calls = std::make_unique<Calls>();
    if (const char* missing = calls->find_all(library)) {
        trouble = made->file_ + " has no function " + missing;
        return nullptr;
    }
    made->calls_ = std::move(calls);
    const Calls& its = *made->calls_;
    int number = 0;
    if (its.create(&made->handle_) != 0 || its.lt_create(&made->lt_handle_) != 0) {
        trouble = made->file_ + " opens, but finds no device that it can use";
        return nullptr;
    }
    // Setting a stream resets the workspace to cuBLAS's own, so the workspace comes second.
    if (its.set_stream(made->handle_, stream) != 0 || its.set_workspace(made->handle_, workspace, bytes) != 0 ||
        its.get_version(made->handle_, &number) != 0) {
        trouble = made->file_ + " does not take our stream and workspace";
        return nullptr;
    }
    made->version_ =
        std::to_string(number / 10000) + "." + std::to_string(number / 100 % 100) + "." + std::to_string(number % 100);
    made->stream_ = stream, made->workspace_ = workspace, made->workspace_bytes_ = bytes;
    trouble.clear();
    return made;
}

CublasHere::~CublasHere() {
    if (handle_) calls_->destroy(handle_);
    if (lt_handle_) calls_->lt_destroy(lt_handle_);
}

Status CublasHere::multiply(const CublasProduct& p) const {
    const auto whole = [](std::int64_t x) { return static_cast<int>(x); };
    const int m = whole(p.m), n = whole(p.n), k = whole(p.k), t = p.data_type, count = whole(p.products);
    const int lda = whole(p.a.pitch), ldb = whole(p.b.pitch), ldc = whole(p.c.pitch);
    int bad = 0;
    if (p.products == 1)
        bad = calls_->gemm(handle_, p.a.operation, p.b.operation, m, n, k, p.alpha_at(), p.a.data, t, lda, p.b.data, t,
                           ldb, p.beta_at(), p.c.data, t, ldc, p.compute_type, own_choice);
    else if (p.by_pointers)
        bad = calls_->gemm_by_pointers(handle_, p.a.operation, p.b.operation, m, n, k, p.alpha_at(), p.a.pointers, t,
                                       lda, p.b.pointers, t, ldb, p.beta_at(), p.c.pointers, t, ldc, count,
                                       p.compute_type, own_choice);
    else
        bad = calls_->gemm_by_steps(handle_, p.a.operation, p.b.operation, m, n, k, p.alpha_at(), p.a.data, t, lda,
                                    p.a.step, p.b.data, t, ldb, p.b.step, p.beta_at(), p.c.data, t, ldc, p.c.step,
                                    count, p.compute_type, own_choice);
    return bad ? refused : Status{};
}

}  // namespace tw::measure
