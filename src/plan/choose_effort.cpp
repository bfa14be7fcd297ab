// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "plan/choose_effort.hpp"

#include <algorithm>

#include "plan/registry.hpp"

namespace tw {
namespace {

constexpr Status no_rows{Code::no_device, Argument::options,
                         "the effort dial runs on the devices cpu, cuda, metal and metal-check"};
constexpr Status no_such_device{Code::no_device, Argument::options, "there is no device of that number"};
constexpr Status no_such_kernels{Code::unsupported, Argument::options,
                                 "this machine has no set of kernels of that name"};
constexpr Status too_large{Code::unsupported, Argument::options,
                           "the matrix is too large for the effort dial's kernels on that device"};

constexpr std::int64_t bytes_worth_a_thread = 1 << 18;  // unless tuned

struct Choice {
    const EffortKernel* kernel = nullptr;
    double nanoseconds = 0;
    bool one_refused = false;
};

/// From the last kernel to the first: of two that cost the same, the one for the later instruction set wins.
Choice cheapest(const Backend& backend, const EffortProblem& problem, std::string_view kernels, bool dense) noexcept {
    Choice best;
    const Features present = backend.features();
    for (auto at = backend.effort.rbegin(); at != backend.effort.rend(); ++at) {
        const EffortKernel* const kernel = *at;
        if (kernel->is_dense != dense || (!dense && kernel->layout != problem.layout)) continue;
        if ((kernel->needs & ~present) != 0 || (!kernels.empty() && kernels != kernel->kernels)) continue;
        if (kernel->takes && !kernel->takes(problem)) {
            best.one_refused = true;
            continue;
        }
        const double cost = kernel->nanoseconds(problem);
        if (!best.kernel || cost < best.nanoseconds) best.kernel = kernel, best.nanoseconds = cost;
    }
    return best;
}

}  // namespace

EffortProblem effort_problem(const EffortBody& body, std::int64_t bytes, int products, bool of_one_expert) {
    return {.layout = body.layout(),
            .type = body.type,
            .outputs = body.outputs,
            .inputs = body.inputs,
            .products = products,
            .of_one_expert = of_one_expert,
            .bytes = bytes,
            .dense_bytes = body.dense.size() > 0 ? effort::dense_tiling_of(body).bytes : 0};
}

Status find_effort_device(std::string_view device, EffortPlan& plan) noexcept {
    plan.backend = find_backend(device.empty() ? "cpu" : backend_part(device));
    if (!plan.backend) return no_rows;
    if (plan.backend->devices() == 0) return {Code::no_device, Argument::options, plan.backend->absence()};
    if (plan.backend->effort.empty()) return no_rows;
    const int number = device_part(device);
    if (number < -1 || number >= plan.backend->devices()) return no_such_device;
    plan.device = std::max(0, number);
    return {};
}

Status choose_effort(const EffortProblem& problem, std::string_view kernels, EffortPlan& plan) noexcept {
    const Choice choice = cheapest(*plan.backend, problem, kernels, false);
    if (!choice.kernel) return choice.one_refused ? too_large : no_such_kernels;
    plan.kernel = choice.kernel;
    plan.dense = problem.dense_bytes > 0 ? cheapest(*plan.backend, problem, kernels, true).kernel : nullptr;
    plan.tuned = stored_tuning({problem.layout, problem.outputs, problem.inputs, problem.type, plan.kernel->kernels});
    return {};
}

bool dense_is_quicker(const EffortPlan& plan, const EffortProblem& problem) noexcept {
    if (!plan.dense) return false;
    if (plan.tuned.byte_cost > 0)
        return plan.tuned.byte_cost * static_cast<double>(problem.bytes) > static_cast<double>(problem.dense_bytes);
    return plan.kernel->nanoseconds(problem) > plan.dense->nanoseconds(problem);
}

int effort_threads(const EffortPlan& plan, std::int64_t bytes, int allowed) noexcept {
    const std::int64_t of_thread = plan.tuned.bytes_a_thread > 0 ? plan.tuned.bytes_a_thread : bytes_worth_a_thread;
    return static_cast<int>(std::clamp<std::int64_t>(bytes / of_thread, 1, allowed));
}

}  // namespace tw
