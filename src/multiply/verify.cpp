// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "multiply/verify.hpp"

#include "backend/contract.hpp"
#include "base/float_mode.hpp"
#include "carry/execute.hpp"
#include "epilogue/finish.hpp"
#include "multiply/freivalds.hpp"
#include "plan/operands.hpp"

namespace tw {
namespace {

constexpr Status no_memory{Code::out_of_memory, Argument::none, "no memory for the vectors of the verification"};
constexpr Status not_on_host{Code::unsupported, Argument::options, "verification needs operands in host memory"};
constexpr Status wrong_twice{Code::verification_failed, Argument::c,
                             "the result fails its verification, and so does a second one by the reference kernel"};

/// An activation is not linear: what is verified is the product before its epilogue.
Plan without_epilogue(Plan plan) noexcept {
    plan.options.epilogue = {};
    return plan;
}

}  // namespace

Status run_verified(const Plan& plan, const Plan& second, const Matrix& a, const Matrix& b, const Matrix& c,
                    void* stream) noexcept {
    if (plan.problem.place != Place::host) return not_on_host;
    const IeeeMode mode;
    Freivalds freivalds(a, b, plan.options.alpha, plan.options.beta, certificate(*plan.kernel, a.cols));
    if (!freivalds.prepare(c)) return no_memory;

    if (const Status failed = execute(without_epilogue(plan), a, b, c, stream); !failed) return failed;
    if (freivalds.first_wrong_row(c) >= 0) {
        if (plan.options.beta != 0) convert(c, freivalds.c0());
        freivalds.allow(certificate(*second.kernel, a.cols));
        if (const Status failed = execute(without_epilogue(second), a, b, c, stream); !failed) return failed;
        if (freivalds.first_wrong_row(c) >= 0) return wrong_twice;
    }
    finish(c, 1, plan.options.epilogue);
    return {};
}

}  // namespace tw
