// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The C face over the C++ one. No exception crosses it: the only code here that can throw, explain(), is caught.
#include "tilewright/tilewright.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "scheme/scheme.hpp"
#include "tilewright/plan.hpp"

struct tw_plan {
    tw::Plan plan;
    tw::Executor executor;  // the options point at it
};

namespace {

thread_local char last_error[1024];

tw::Matrix from_c(const tw_matrix* m) noexcept {
    if (!m) return {};
    return {m->data, static_cast<tw::Type>(m->type), m->rows, m->cols, m->row_step, m->col_step};
}

std::string_view text(const char* s) noexcept { return s ? std::string_view(s) : std::string_view(); }

/// A caller built against an older, shorter struct leaves the newer fields at their defaults.
tw_options filled(const tw_options* given) noexcept {
    tw_options options = tw_default_options();
    if (given) std::memcpy(&options, given, std::min(given->size, sizeof options));
    return options;
}

tw::Status from_c(const tw_options& c, tw::Executor& executor, tw::Options& options) noexcept {
    options.alpha = c.alpha;
    options.beta = c.beta;
    if (c.accuracy && !tw::parse_accuracy(c.accuracy, options.accuracy))
        return {tw::Code::bad_argument, tw::Argument::options, "the accuracy is no name of the dial and no positive number"};
    options.device = text(c.device);
    options.kernel = text(c.kernel);
    options.stream = c.stream;
    if (c.executor) executor = {c.executor->self, c.executor->run}, options.executor = &executor;
    options.scratch = {static_cast<std::byte*>(c.scratch), c.scratch ? c.scratch_bytes : 0};
    options.threads = c.threads;
    options.reproducible = c.reproducible != 0;
    options.verify = c.verify != 0;
    return {};
}

tw_code report(const tw::Status& status, const tw::Matrix& a, const tw::Matrix& b, const tw::Matrix& c,
               const tw::Options& options) noexcept {
    if (status) return TW_OK;
    try {
        const std::string sentence = tw::explain(status, a, b, c, options);
        const std::size_t length = std::min(sentence.size(), sizeof last_error - 1);
        std::memcpy(last_error, sentence.data(), length);
        last_error[length] = '\0';
    } catch (...) {
        std::strncpy(last_error, status.text, sizeof last_error - 1);
    }
    return static_cast<tw_code>(status.code);
}

tw_code report_null() noexcept {
    std::strncpy(last_error, "multiply: a matrix or plan is a null pointer; all of them must be given", sizeof last_error - 1);
    return TW_BAD_ARGUMENT;
}

}  // namespace

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
    tw::Status status = from_c(filled(given), executor, options);
    if (status) status = tw::try_multiply(am, bm, cm, options);
    return report(status, am, bm, cm, options);
}

tw_plan* tw_plan_create(const tw_matrix* a, const tw_matrix* b, const tw_matrix* c, const tw_options* given) {
    if (!a || !b || !c) return report_null(), nullptr;
    const tw::Matrix am = from_c(a), bm = from_c(b), cm = from_c(c);
    auto* made = new (std::nothrow) tw_plan;
    tw::Options options;
    tw::Status status{tw::Code::out_of_memory, tw::Argument::none, "no memory for a plan"};
    if (made) status = from_c(filled(given), made->executor, options);
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

const char* tw_last_error(void) { return last_error; }

}  // extern "C"
