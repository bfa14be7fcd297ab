// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// cuBLAS in this process, on a stream of ours, so that its products and ours take turns on one queue and are recorded
// into graphs alike: cublasGemmEx and its batches, and cublasLt with the algorithms that its heuristic names.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "measure/peers/cublas_product.hpp"

namespace tw::measure {

class CublasHere {
public:
    /// Opens the library and makes it ready for the stream. `workspace` is device memory that it may use for products
    /// in flight, one at a time. Null with a sentence in `trouble` when there is none that works here.
    static std::unique_ptr<CublasHere> open(void* stream, void* workspace, std::size_t bytes, std::string& trouble);
    ~CublasHere();
    CublasHere(const CublasHere&) = delete;
    CublasHere& operator=(const CublasHere&) = delete;

    const std::string& version() const { return version_; }
    const std::string& file() const { return file_; }

    /// cublasGemmEx, cublasGemmStridedBatchedEx or cublasGemmBatchedEx, as the product is.
    Status multiply(const CublasProduct& product) const;

    /// One of cublasLt's algorithms, made ready for products of one description.
    class Choice {
    public:
        /// For other operands of the same description.
        Status multiply(const CublasProduct& product) const;

    private:
        friend class CublasHere;
        struct Description;
        std::shared_ptr<const Description> description_;
        unsigned long long algorithm_[8]{};  // cublasLtMatmulAlgo_t
    };

    /// What its heuristic names first, up to `most`, for operands that lie as these do; none for a batch by pointers.
    std::vector<Choice> choices(const CublasProduct& product, int most) const;

private:
    CublasHere() = default;
    struct Calls;
    std::unique_ptr<const Calls> calls_;
    void *handle_ = nullptr, *lt_handle_ = nullptr, *stream_ = nullptr, *workspace_ = nullptr;
    std::size_t workspace_bytes_ = 0;
    std::string version_, file_;
};

}  // namespace tw::measure
