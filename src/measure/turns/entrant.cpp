// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "measure/turns/entrant.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <thread>
#include <vector>

#include "measure/basis/clock.hpp"
#include "measure/roofs/bandwidth.hpp"
#include "plan/names.hpp"
#include "plan/operands.hpp"
#include "reference/judge.hpp"

namespace tw::measure {
namespace {

constexpr double products_judged = 0x1p27;  // about half a second

Problem problem_for(const Backend& backend, const Task& task) {
    Problem problem{.m = task.m,
                    .n = task.n,
                    .k = task.k,
                    .in = task.type,
                    .out = task.type,
                    .place = backend.place,
                    .accuracy = task.accuracy};
    return problem;
}

std::string spelled(Accuracy accuracy) {
    char text[40];
    spell(accuracy, text, sizeof text);
    return text;
}

/// The accuracy to show: a kernel that does not keep the task's promise is shown with its own.
std::string accuracy_of(const Kernel& kernel, const Task& task) {
    const double own = certificate(kernel, task.k);
    const Accuracy asked = resolve(task.accuracy, task.type);
    if (own <= promise(asked, task.type, task.k)) return spelled(asked);
    for (const Accuracy named : {fp32, tf32, fp16, bf16})
        if (own <= promise(named, task.type, task.k)) return spelled(named);
    return spelled(Accuracy(own));
}

}  // namespace

std::string_view mark_of(std::string_view kernel) {
    for (const char* mark : {reproducible_mark, one_thread_mark, pointers_mark, batch_mark, region_mark})
        if (kernel.ends_with(mark)) return mark;
    return {};
}

KernelAndTile kernel_and_tile(std::string_view name) {
    const std::size_t mark = name.find(tile_mark);
    const Kernel* kernel = find_kernel(name.substr(0, mark));
    if (!kernel || kernel->tiles.empty()) return {kernel, {}};
    for (const Tile& tile : kernel->tiles)
        if (mark != std::string_view::npos && name.substr(mark + tile_mark.size()) == std::to_string(tile.m))
            return {kernel, tile};
    return {kernel, kernel->tiles.front()};
}

bool works_alone(const Backend& backend, const Kernel& kernel) {
    return backend.place == Place::host && kernel.rung != Rung::none && kernel.rung < Rung::vectorized &&
           std::string_view(backend.name) == "cpu";
}

bool can_enter(const Backend& backend, const Kernel& kernel, const Task& task) {
    return kernel.in == task.type && kernel.out == task.type && (kernel.needs & ~backend.features()) == 0 &&
           (!kernel.takes || kernel.takes(problem_for(backend, task)));
}

OwnEntrant::OwnEntrant(const Backend& backend, const Kernel* kernel, Tile tile, std::shared_ptr<Operands> operands)
    : backend_(backend), kernel_(kernel), tile_(tile), operands_(std::move(operands)) {
    provider = "tilewright";
    device = backend.name;
    times_mean_nothing = backend.times_mean_nothing;
    if (kernel) {
        this->kernel = kernel->name;
        rung = stem_of(*kernel);
        needs = kernel->needs;
        row = kernel;
        if (works_alone(backend, *kernel)) threads = 1;
    }
}

Status OwnEntrant::prepare(const Task& task) {
    task_ = task;
    if (threads > 0) task_.threads = threads;
    if (const Status status = operands_->place_on(backend_); !status) return status;
    a_ = operands_->a(), b_ = operands_->b(), c_ = operands_->c();
    if (kernel_) {
        plan_.problem = problem_for(backend_, task);
        plan_.options = {.accuracy = task.accuracy, .threads = task_.threads, .kernel = kernel_->name};
        plan_.backend = &backend_;
        plan_.kernel = kernel_;
        plan_.tile = tile_;
        plan_.threads = task_.threads;
        this->kernel = kernel_->name + mark;
    } else {
        const Options options{.accuracy = task.accuracy,
                              .reproducible = is_reproducible,
                              .device = backend_.name,
                              .threads = task_.threads};
        if (const Status status = try_plan(problem_for(backend_, task), options, plan_); !status) return status;
        kernel = plan_.kernel->name + mark;
        rung = stem_of(*plan_.kernel);
        needs = plan_.kernel->needs;
        row = plan_.kernel;
    }
    accuracy = accuracy_of(*plan_.kernel, task);
    return {};
}

Judgement OwnEntrant::judge(const Task& task) {
    if (const Status status = prepare(task); !status) return {.trouble = status.text};
    if (const Status status = operands_->poison_result(); !status) return {.trouble = status.text};
    const double start = now();
    if (const Status status = run_once(); !status) return {.trouble = status.text};
    const double taken = now() - start;
    if (const Status status = operands_->fetch_result(); !status) return {.trouble = status.text};
    Judgement judgement = judge_results(*operands_, products, certificate(*plan_.kernel, task.k), task.threads);
    judgement.seconds = taken;
    return judgement;
}

Status OwnEntrant::run_once() {
    if (const Status status = begin_pass(); !status) return status;
    return backend_.wait ? backend_.wait(nullptr) : Status{};
}

void OwnEntrant::begin_turn() { std::this_thread::sleep_for(std::chrono::microseconds(500)); }

double OwnEntrant::seconds(int passes) {
    constexpr double failed = std::numeric_limits<double>::quiet_NaN();
    double sum = 0;
    if (task_.is_cold) {
        for (int pass = 0; pass < passes; ++pass) {
            empty_caches();
            const double start = now();
            if (!run_once()) return failed;
            sum += now() - start;
        }
        return sum;
    }
    const double start = now();
    for (int pass = 0; pass < passes; ++pass)
        if (!begin_pass()) return failed;
    if (backend_.wait && !backend_.wait(nullptr)) return failed;
    return now() - start;
}

Judgement judge_results(const Operands& operands, std::int64_t products, double bound, int threads) {
    const Matrix first = operands.host_c();
    const double terms = static_cast<double>(first.rows * first.cols) * static_cast<double>(operands.host_a().cols);
    const auto judged =
        static_cast<std::int64_t>(std::clamp(products_judged / terms, 1.0, static_cast<double>(products)));
    Judgement judgement{.ok = true};
    for (std::int64_t i = 0; i < judged && judgement.ok; ++i) {
        const std::int64_t product =
            judged > 1 ? i * (products - 1) / (judged - 1) : 0;  // the first, the last, and evenly between
        const reference::Question question{.a = operands.host_a(product), .b = operands.host_b(product)};
        const reference::Verdict verdict =
            reference::judge(question, operands.host_c(product), {.bound = bound},
                             {.products = products_judged / static_cast<double>(judged), .threads = threads});
        judgement.relative_error = std::max(judgement.relative_error, verdict.relative_error);
        judgement.error_over_bound = std::max(judgement.error_over_bound, verdict.worst);
        judgement.ok = verdict.ok;
        if (!verdict.ok)
            judgement.trouble = (products > 1 ? "product " + std::to_string(product) + ": " : "") + verdict.sentence();
    }
    return judgement;
}

void empty_caches() { measure_memory_bandwidth(0); }

}  // namespace tw::measure
