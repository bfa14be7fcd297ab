// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// choose: the cheapest row whose certificate keeps the promise.
#include <string_view>

#include "base/environment.hpp"
#include "base/threads.hpp"
#include "plan/operands.hpp"
#include "plan/registry.hpp"
#include "tilewright/plan.hpp"

namespace tw {
namespace {

/// "cuda:1" names the backend before the colon.
std::string_view backend_part(std::string_view device) noexcept { return device.substr(0, device.find(':')); }

const Backend* backend_for(const Problem& problem, std::string_view device) noexcept {
    if (!device.empty()) return find_backend(backend_part(device));
    for (const BackendSource source : backends())
        if (const Backend& backend = source(); backend.place == problem.place) return &backend;
    return nullptr;
}

/// Narrow operands are widened by execute(), exactly, for kernels that know only f32.
bool types_fit(const Kernel& kernel, const Problem& problem) noexcept {
    const bool as_they_are = kernel.in == problem.in && kernel.out == problem.out;
    return as_they_are || (kernel.in == Type::f32 && kernel.out == Type::f32 && widens_to_f32(problem));
}

bool can_run(const Backend& backend, const Kernel& kernel, const Problem& problem) noexcept {
    return types_fit(kernel, problem) && (kernel.needs & ~backend.features()) == 0 &&
           (!kernel.takes || kernel.takes(problem));
}

bool keeps_promise(const Kernel& kernel, const Problem& problem) noexcept {
    return certificate(kernel, problem.k) <= promise(problem.accuracy, problem.in, problem.k);
}

constexpr Status no_backend{Code::no_device, Argument::options, "no backend of this build has that name"};
constexpr Status no_devices{Code::no_device, Argument::options, "the backend finds no device on this machine"};
constexpr Status no_such_kernel{Code::unsupported, Argument::options,
                                "no kernel of that name can do this product on this machine"};
constexpr Status promise_too_high{Code::unsupported, Argument::options, "no kernel here keeps that accuracy"};

}  // namespace

Status try_plan(const Problem& problem, const Options& options, Plan& plan) noexcept {
    const Backend* backend = backend_for(problem, options.device);
    if (!backend) return no_backend;
    if (backend->devices() == 0) return no_devices;

    const char* forced = environment("TW_KERNEL");
    const std::string_view wanted = !options.kernel.empty() ? options.kernel : forced ? forced : "";
    const int threads = options.threads > 0 ? options.threads : default_threads();

    // A kernel forced by name may break a promise that nobody made, never one that the caller spelled out.
    const bool promised = wanted.empty() || problem.accuracy.rule != Accuracy::Rule::automatic;

    const Kernel* best = nullptr;
    double best_cost = 0;
    bool broke_promise = false;
    for (const Kernel* kernel : backend->ladder) {
        if (!wanted.empty() && !answers_to(*kernel, wanted)) continue;
        if (!can_run(*backend, *kernel, problem)) continue;
        if (promised && !keeps_promise(*kernel, problem)) {
            broke_promise = true;
            continue;
        }
        const double cost = kernel->nanoseconds(problem, threads);
        if (!best || cost < best_cost) best = kernel, best_cost = cost;
    }
    if (!best) return broke_promise || wanted.empty() ? promise_too_high : no_such_kernel;

    plan.problem = problem;
    plan.options = options;
    plan.backend = backend;
    plan.kernel = best;
    plan.tile = best->tiles.empty() ? Tile{} : best->tiles.front();
    plan.threads = threads;
    plan.reason = wanted.empty() ? "the cheapest that keeps the promise" : "asked for by name";
    return {};
}

Plan plan(const Problem& problem, const Options& options) {
    Plan made;
    const Matrix a{nullptr, problem.in, problem.m, problem.k, problem.k},
        b{nullptr, problem.in, problem.k, problem.n, problem.n}, c{nullptr, problem.out, problem.m, problem.n, problem.n};
    check(try_plan(problem, options, made), a, b, c, options);
    return made;
}

Problem problem_of(const Matrix& a, const Matrix& b, const Matrix& c, const Options& options) noexcept {
    Problem problem{.m = c.rows, .n = c.cols, .k = a.cols, .in = a.type, .out = c.type,
                    .accuracy = options.accuracy, .a = form_of(a), .b = form_of(b), .c = form_of(c)};
    problem.place = place_of(c.data);
    return problem;
}

}  // namespace tw
