// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The memory of one case, filled, and the products on it.
#pragma once

#include <string_view>
#include <vector>

#include "measure/judging/operand.hpp"
#include "reference/answer.hpp"
#include "tilewright/batch.hpp"
#include "tilewright/executor.hpp"
#include "tilewright/plan.hpp"

namespace tw::judging {

class Work {
public:
    explicit Work(const Case& one);

    /// All products by the case's door; a batch's one by one when asked.
    Status run(std::string_view device, bool one_by_one);

    /// What the case asks for of the library; points into this.
    Options options(std::string_view device);

    /// What of the memory was touched that must not be, or "".
    std::string what_was_touched(bool is_refused) const;

    reference::Question question(std::int64_t index) const;
    Matrix a(std::int64_t index) const;  ///< of that product, as it is multiplied
    Matrix b(std::int64_t index) const;
    Matrix result(std::int64_t index) const { return c_.product(index); }
    std::vector<std::byte> elements() const { return elements_of(c_, case_.products); }

    /// Of the kernels that may have run, the largest of each loss.
    const char* kernel() const noexcept { return kernel_; }
    double certificate() const noexcept { return certificate_; }
    double flush_loss() const noexcept { return flush_loss_; }
    double least_counted() const noexcept { return least_counted_; }
    bool rounds_before_epilogue() const noexcept { return rounds_before_epilogue_; }
    bool keeps_mode() const noexcept { return keeps_mode_; }

private:
    Status run_packed(const Options& options);
    Status run_batch(const Options& options);
    Status run_planned(const Options& options);
    void note(const Kernel* kernel, std::int64_t terms);
    void note(const Plan& plan);
    void note_plans(const Options& options);
    void fill();
    void make_special();

    const Case case_;
    Operand a_, b_, c_, residual_;
    std::vector<float> bias_;
    std::vector<std::byte> c0_, scratch_;
    Executor executor_;
    const char* kernel_ = "no kernel";
    double certificate_, flush_loss_ = 0, least_counted_ = 0;
    bool rounds_before_epilogue_ = false;
    bool keeps_mode_ = true;
};

}  // namespace tw::judging
