// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The C interface over the C++ one. No exception leaves it: only explain() can throw, and report() catches that.
#include <new>

#include "multiply/c/values.hpp"
#include "multiply/check.hpp"

struct tw_plan {
    tw::Plan plan;
    tw::Executor executor;  // the options point at it
};

using tw::c_face::from_c, tw::c_face::report, tw::c_face::report_null;

extern "C" {

const char* tw_version(void) { return tw::version(); }

tw_options tw_default_options(void) {
    tw_options options{};
    options.size = sizeof options;
    options.alpha = 1;
    return options;
}

tw_code tw_multiply(const tw_matrix* a, const tw_matrix* b, const tw_matrix* c, const tw_options* given) {
    if (!a || !b || !c) return report_null();
    const tw::Matrix am = from_c(a), bm = from_c(b), cm = from_c(c);
    tw::Options options;
    tw::Executor executor;
    tw::Status status = from_c(given, executor, options);
    if (status) status = tw::try_multiply(am, bm, cm, options);
    return report(status, am, bm, cm, options);
}

tw_plan* tw_plan_create(const tw_matrix* a, const tw_matrix* b, const tw_matrix* c, const tw_options* given) {
    if (!a || !b || !c) return report_null(), nullptr;
    const tw::Matrix am = from_c(a), bm = from_c(b), cm = from_c(c);
    auto* made = new (std::nothrow) tw_plan;
    tw::Options options;
    tw::Status status{tw::Code::out_of_memory, tw::Argument::none, "no memory for a plan"};
    if (made) status = from_c(given, made->executor, options);
    if (status) status = tw::check_shapes(am, bm, cm);
    if (status) status = tw::try_plan(tw::problem_of(am, bm, cm, options), options, made->plan);
    if (status) return made;
    delete made;
    return report(status, am, bm, cm, options), nullptr;
}

tw_code tw_plan_run(const tw_plan* plan, const tw_matrix* a, const tw_matrix* b, const tw_matrix* c) {
    if (!plan || !a || !b || !c) return report_null();
    const tw::Matrix am = from_c(a), bm = from_c(b), cm = from_c(c);
    return report(plan->plan.try_run(am, bm, cm), am, bm, cm, plan->plan.options);
}

size_t tw_plan_scratch_bytes(const tw_plan* plan) { return plan ? plan->plan.scratch_bytes() : 0; }

const char* tw_plan_kernel(const tw_plan* plan) { return plan ? plan->plan.kernel_name() : ""; }

void tw_plan_destroy(tw_plan* plan) { delete plan; }

const char* tw_last_error(void) { return tw::c_face::last_error(); }

}  // extern "C"
