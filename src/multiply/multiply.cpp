// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The front door: check the operands, answer at once where there is nothing to multiply, choose a kernel, run it.
#include "tilewright/multiply.hpp"

#include "backend/contract.hpp"
#include "backend/direct.hpp"
#include "base/float_mode.hpp"
#include "carry/execute.hpp"
#include "multiply/all_devices.hpp"
#include "multiply/check.hpp"
#include "multiply/log.hpp"
#include "multiply/no_product.hpp"
#include "multiply/run_plan.hpp"
#include "multiply/verify.hpp"
#include "plan/choose.hpp"
#include "plan/operands.hpp"
#include "plan/registry.hpp"
#include "tilewright/plan.hpp"

namespace tw {

const char* version() noexcept { return TILEWRIGHT_VERSION; }

Status run_plan(const Plan& plan, const Matrix& a, const Matrix& b, const Matrix& c, void* stream,
                const Sharing& sharing) noexcept {
    if (!plan.options.verify) return execute(plan, a, b, c, stream, {}, sharing);
    Plan second;
    if (const Status none = plan_second(plan, second); !none) return none;
    return run_verified(plan, second, a, b, c, stream, sharing);
}

namespace {

constexpr Status other_shape{Code::bad_argument, Argument::none,
                             "the operands are not of the shapes and types planned for"};
constexpr Status other_steps{Code::bad_argument, Argument::none,
                             "the plan's kernel can't take operands with these steps"};

/// A product in host memory and nothing else: no epilogue, no verification, no line in the log.
bool is_bare(const Matrix& a, const Matrix& b, const Matrix& c, const Options& options) noexcept {
    return options.alpha != 0 && options.alpha_imag == 0 && options.beta_imag == 0 && options.epilogue.is_empty() &&
           !options.verify && log_wanted.get(read_log_wanted) == 0 &&
           (!may_lie_on_a_device() || (place_of(c.data) == Place::host && check_places(a, b, Place::host)));
}

/// Calls the kernel and nothing else, for operands that are known to be valid for it.
Status run_direct(const Direct& direct, const Matrix& a, const Matrix& b, const Matrix& c,
                  const Options& options) noexcept {
    if (const Status bad = check_overlap(a, b, c, options); !bad) return bad;
    const IeeeMode mode;
    direct.run(direct, a, b, c, options.alpha, options.beta);
    return {};
}

/// Every product that does not go the direct way. Not inlined: the direct way must not pay for its stack frame.
[[gnu::noinline]] Status multiply_general(const Matrix& a, const Matrix& b, const Matrix& c,
                                          const Options& options) noexcept {
    if (const Status bad = check_operands(a, b, c, options); !bad) return bad;
    if (needs_no_product(a, c, options)) return finish_anywhere(c, options);
    if (options.device.ends_with(":*")) return multiply_on_all_devices(a, b, c, options);
    Place place = Place::host;
    if (may_lie_on_a_device()) {
        place = place_of(c.data);
        if (const Status apart = check_places(a, b, place); !apart) return apart;
    }
    const Problem problem = problem_at(place, a, b, c, options);
    Plan plan;
    if (const Status none = try_plan(problem, options, plan); !none) return none;
    log_call(plan);
    return run_plan(plan, a, b, c, nullptr);
}

[[gnu::noinline]] Status run_general(const Plan& plan, const Matrix& a, const Matrix& b, const Matrix& c,
                                     void* stream) noexcept {
    const Problem& problem = plan.problem;
    if (const Status bad = check_operands(a, b, c, plan.options); !bad) return bad;
    if (c.rows != problem.m || c.cols != problem.n || a.cols != problem.k || a.type != problem.in ||
        c.type != problem.out)
        return other_shape;
    if (needs_no_product(a, c, plan.options)) return finish_anywhere(c, plan.options);
    if (may_lie_on_a_device())
        if (const Status apart = check_places(a, b, c); !apart) return apart;
    const Form of_a = form_of(a), of_b = form_of(b), of_c = form_of(c);
    if (of_a == problem.a && of_b == problem.b && of_c == problem.c) {
        log_call(plan);
        return run_plan(plan, a, b, c, stream);
    }
    // These operands lie differently: takes() and scratch_bytes() must see how.
    Plan restated = plan;
    restated.problem.a = of_a, restated.problem.b = of_b, restated.problem.c = of_c;
    set_direct(restated, {});
    if (plan.kernel->takes && !plan.kernel->takes(restated.problem)) return other_steps;
    log_call(restated);
    return run_plan(restated, a, b, c, stream);
}

}  // namespace

Status try_multiply(const Matrix& a, const Matrix& b, const Matrix& c, const Options& options) noexcept {
    const Direct* const direct = remembered_direct(a, b, c, options);
    return direct && is_bare(a, b, c, options) ? run_direct(*direct, a, b, c, options)
                                               : multiply_general(a, b, c, options);
}

Status Plan::try_run(const Matrix& a, const Matrix& b, const Matrix& c, void* stream) const noexcept {
    const bool is_direct = are_as_planned(direct_of(*this), problem, a, b, c) && is_bare(a, b, c, options);
    return is_direct ? run_direct(direct_of(*this), a, b, c, options) : run_general(*this, a, b, c, stream);
}

void check(const Status& status, const Matrix& a, const Matrix& b, const Matrix& c, const Options& options) {
    if (!status) throw Error(status, explain(status, a, b, c, options));
}

}  // namespace tw
