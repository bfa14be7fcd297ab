// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The front door: check the operands, settle what needs no product, choose a kernel, execute it.
#include "tilewright/multiply.hpp"

#include "backend/contract.hpp"
#include "base/finish.hpp"
#include "base/float_mode.hpp"
#include "multiply/check.hpp"
#include "multiply/log.hpp"
#include "multiply/verify.hpp"
#include "plan/execute.hpp"
#include "plan/operands.hpp"
#include "plan/registry.hpp"
#include "tilewright/plan.hpp"

namespace tw {

const char* version() noexcept { return TILEWRIGHT_VERSION; }

namespace {

/// Nothing to write, or nothing to add to beta * C.
bool needs_no_product(const Matrix& a, const Matrix& c, const Options& options) noexcept {
    return c.rows == 0 || c.cols == 0 || options.alpha == 0 || a.cols == 0;
}

/// What is left of a product without terms, done where C lives.
Status finish_anywhere(const Matrix& c, const Options& options) noexcept {
    if (c.rows == 0 || c.cols == 0) return {};
    const Place place = place_of(c.data);
    for (const BackendSource& source : backends())
        if (source.place == place && place != Place::host)
            return source().finish(c, options.beta, options.epilogue, options.stream);
    const IeeeMode mode;
    finish(c, options.beta, options.epilogue);
    return {};
}

/// One address space for all three: a device's kernel can't read the host's memory, nor the other way round.
Status check_places(const Matrix& a, const Matrix& b, const Matrix& c) noexcept {
    constexpr const char* text = "it lives on another device than C";
    const Place place = place_of(c.data);
    if (place_of(a.data) != place) return {Code::bad_argument, Argument::a, text};
    if (place_of(b.data) != place) return {Code::bad_argument, Argument::b, text};
    return {};
}

/// The plan that a doubtful result is computed again by: nothing in common with the kernels that are hard to write.
Status plan_by_reference(const Plan& plan, Plan& second) noexcept {
    Problem problem = plan.problem;
    problem.accuracy = {};
    Options options = plan.options;
    options.kernel = "r1_naive";
    return try_plan(problem, options, second);
}

Status run_planned(const Plan& plan, const Matrix& a, const Matrix& b, const Matrix& c, void* stream) noexcept {
    log_call(plan);
    if (!plan.options.verify) return execute(plan, a, b, c, stream);
    Plan second;
    if (const Status none = plan_by_reference(plan, second); !none) return none;
    return run_verified(plan, second, a, b, c, stream);
}

constexpr Status other_shape{Code::bad_argument, Argument::none, "the operands are not of the shapes and types planned for"};
constexpr Status other_steps{Code::bad_argument, Argument::none, "the plan's kernel can't take operands with these steps"};

}  // namespace

Status try_multiply(const Matrix& a, const Matrix& b, const Matrix& c, const Options& options) noexcept {
    if (const Status bad = check_operands(a, b, c, options); !bad) return bad;
    if (needs_no_product(a, c, options)) return finish_anywhere(c, options);
    if (const Status apart = check_places(a, b, c); !apart) return apart;
    Plan plan;
    if (const Status none = try_plan(problem_of(a, b, c, options), options, plan); !none) return none;
    return run_planned(plan, a, b, c, nullptr);
}

Status Plan::try_run(const Matrix& a, const Matrix& b, const Matrix& c, void* stream) const noexcept {
    if (const Status bad = check_operands(a, b, c, options); !bad) return bad;
    if (c.rows != problem.m || c.cols != problem.n || a.cols != problem.k || a.type != problem.in || c.type != problem.out)
        return other_shape;
    if (needs_no_product(a, c, options)) return finish_anywhere(c, options);
    if (const Status apart = check_places(a, b, c); !apart) return apart;
    if (kernel->takes) {
        Problem posed = problem;
        posed.a = form_of(a), posed.b = form_of(b), posed.c = form_of(c);
        if (!kernel->takes(posed)) return other_steps;
    }
    return run_planned(*this, a, b, c, stream);
}

void check(const Status& status, const Matrix& a, const Matrix& b, const Matrix& c, const Options& options) {
    if (!status) throw Error(status, explain(status, a, b, c, options));
}

}  // namespace tw
