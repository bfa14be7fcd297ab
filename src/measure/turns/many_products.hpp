// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Entrants with many products in one pass: a batch, and concurrent calls from the threads of an OpenMP region.
#pragma once

#include <vector>

#include "measure/turns/entrant.hpp"
#include "tilewright/options.hpp"
#include "tilewright/plan.hpp"

namespace tw::measure {

/// All products of the operands by one call of multiply_batch().
class BatchEntrant : public OwnEntrant {
public:
    BatchEntrant(const Backend& backend, const Kernel* kernel, std::shared_ptr<Operands> operands, bool by_pointers);
    Judgement judge(const Task& task) override;

protected:
    Status begin_pass() override;

private:
    const bool is_named_, by_pointers_;
    Options options_{};
    std::vector<void*> a_at_, b_at_, c_at_;
};

/// Each of the operands' products by its own call on one thread, all at once in an OpenMP region.
class RegionEntrant : public OwnEntrant {
public:
    RegionEntrant(const Backend& backend, std::shared_ptr<Operands> operands);
    double seconds(int passes) override;

protected:
    Status begin_pass() override;

private:
    Status repeat(int passes);
};

}  // namespace tw::measure
