// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// cuBLAS in this process, on our stream, so that its products and ours take turns on one stream and both can be
// recorded into graphs: cublasGemmEx and its batches, and cublasLt with the algorithms that its heuristic suggests.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "measure/peers/cublas_product.hpp"

namespace tw::measure {

class CublasHere {
public:
    /// Opens the library for the stream. `workspace` is device memory for one product in flight at a time. Null, with a
    /// sentence in `trouble`, if no cuBLAS works here.
    static std::unique_ptr<CublasHere> open(void* stream, void* workspace, std::size_t bytes, std::string& trouble);
    ~CublasHere();
    CublasHere(const CublasHere&) = delete;
    CublasHere& operator=(const CublasHere&) = delete;

    const std::string& version() const { return version_; }
    const std::string& file() const { return file_; }

    /// Calls cublasGemmEx, cublasGemmStridedBatchedEx or cublasGemmBatchedEx, depending on the product.
    Status multiply(const CublasProduct& product) const;

    /// One of cublasLt's algorithms, for products of one description.
    class Choice {
    public:
        /// Also for other operands of the same description.
        Status multiply(const CublasProduct& product) const;

    private:
        friend class CublasHere;
        struct Description;
        std::shared_ptr<const Description> description_;
        unsigned long long algorithm_[8]{};  // cublasLtMatmulAlgo_t
    };

    /// The heuristic's first `most` algorithms for operands laid out like these; none for a batch by pointers.
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
