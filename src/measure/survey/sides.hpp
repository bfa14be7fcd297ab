// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Who multiplies: our library, or one of the peer's ways.
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

    /// Puts one product, or one batch, of the set's into the queue.
    virtual Status begin(const Set& set) = 0;

    std::string name;  ///< the kernel that was chosen; the peer's function
};

/// What multiply() chooses.
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

/// cuBLAS's ways to do the case, those that its heuristic likes most first and cublasGemmEx last.
std::vector<std::unique_ptr<Side>> cublas_sides(const CublasHere& cublas, const Case& what, const Set& set);

}  // namespace tw::measure
