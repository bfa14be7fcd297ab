// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "tilewright/accuracy.hpp"
#include "tilewright/epilogue.hpp"
#include "tilewright/executor.hpp"
#include "tilewright/verify.hpp"
#include "tilewright/version.hpp"

namespace tw {

/// Reads "fp32", "tf32", ... or a positive decimal number; false when the text names no accuracy.
TW_API bool parse_accuracy(std::string_view text, Accuracy& accuracy) noexcept;

/// How one product is to be done. Every field has a default that suits most callers.
struct Options {
    double alpha = 1;
    double alpha_imag = 0;      ///< of complex operands alone
    double beta = 0;            ///< 0, the imaginary part too: C is never read
    double beta_imag = 0;       ///< of complex operands alone
    Accuracy accuracy{};        ///< fp32 for f32, c64 and narrower, fp64 for f64 and c128
    bool reproducible = false;  ///< a row's bits depend on that row of A, on B and on k alone
    int slabs = 0;              ///< a power of two: so many parts of k, added in a tree (docs/rules.md, 40); 0: k whole
    Verify verify{};            ///< true: check the result in O(n^2); Verify::correct: mend what is wrong, too
    Epilogue epilogue{};
    std::string_view device{};  ///< "cpu", "cuda:1", "cuda:*" (all of them), "metal"; empty: where operands live
    void* stream = nullptr;     ///< the device's stream; null: its default one
    int threads = 0;            ///< 0: affinity mask, quota and physical cores, whichever is smallest
    const Executor* executor = nullptr;  ///< null: the library's own pool
    std::span<std::byte> scratch{};      ///< at any address, one call's at a time; empty: the library keeps its own
    std::string_view kernel{};           ///< a kernel or rung by name; empty: the cheapest that keeps the promise
};

}  // namespace tw
