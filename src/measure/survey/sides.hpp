// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The two sides of a comparison: our library, and each of the peer's ways to multiply.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "measure/peers/cublas_here.hpp"
#include "measure/survey/sets.hpp"
#include "tilewright/plan.hpp"

namespace tw::measure {

class Side {
public:
    virtual ~Side() = default;

    /// Enqueues one product, or one batch, of the set.
    virtual Status begin(const Set& set) = 0;

    /// Brings the set's result to its C if begin() left it elsewhere; never timed.
    virtual void show(const Set&) {}

    /// Before products are timed: brings the calling thread to where the side wants it.
    virtual void make_ready() {}

    /// After products were timed: until what the side has left running sleeps.
    virtual void settle() {}

    std::string name;  ///< the chosen kernel, or the peer's function
};

/// multiply(), with the kernel that it chooses.
class OurSide : public Side {
public:
    OurSide(const Case& what, bool is_reproducible, int threads, const Queue& queue);

    /// Plans for sets like this one.
    Status prepare(const Set& set);
    Status begin(const Set& set) override;

private:
    const Case& what_;
    const Queue& queue_;
    Options options_{};
    Plan plan_{};
};

/// cuBLAS's ways to do the case, in the order of its heuristic, and cublasGemmEx last.
std::vector<std::unique_ptr<Side>> cublas_sides(const CublasHere& cublas, const Case& what, const Set& set);

}  // namespace tw::measure
