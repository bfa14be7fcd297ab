// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "measure/turns/many_products.hpp"

#include <atomic>
#include <limits>

#include "measure/basis/clock.hpp"
#include "measure/turns/openmp_region.hpp"
#include "tilewright/batch.hpp"

namespace tw::measure {

BatchEntrant::BatchEntrant(const Backend& backend, const Kernel* kernel, std::shared_ptr<Operands> operands,
                           bool by_pointers)
    : OwnEntrant(backend, kernel, Tile{}, std::move(operands)), is_named_(kernel), by_pointers_(by_pointers) {
    products = this->operands().products();
    mark = by_pointers ? pointers_mark : batch_mark;
}

Judgement BatchEntrant::judge(const Task& task) {
    if (const Status status = prepare(task); !status) return {.trouble = status.text};
    options_ = plan().options;
    if (!is_named_) options_.kernel = {};  // the plan set it to its own choice
    for (std::int64_t i = 0; by_pointers_ && i < products; ++i) {
        a_at_.push_back(operands().a(i).data);
        b_at_.push_back(operands().b(i).data);
        c_at_.push_back(operands().c(i).data);
    }
    return OwnEntrant::judge(task);
}

Status BatchEntrant::begin_pass() {
    const Matrix a = operands().a(), b = operands().b(), c = operands().c();
    Batch batch{.size = products, .a_step = a.rows * a.cols, .b_step = b.rows * b.cols, .c_step = c.rows * c.cols};
    if (by_pointers_) batch.a = a_at_.data(), batch.b = b_at_.data(), batch.c = c_at_.data();
    return try_multiply_batch(a, b, c, batch, options_);
}

RegionEntrant::RegionEntrant(const Backend& backend, std::shared_ptr<Operands> operands)
    : OwnEntrant(backend, nullptr, Tile{}, std::move(operands)) {
    products = this->operands().products();
    threads = 1;  // a call in a region uses only its own thread
    mark = region_mark;
}

Status RegionEntrant::repeat(int passes) {
    struct Calls {
        const RegionEntrant& its;
        int passes;
        std::atomic<const char*> trouble{nullptr};
    } calls{*this, passes};
    const auto call = [](void* context, int thread) {
        auto& all = *static_cast<Calls*>(context);
        const Operands& of = all.its.operands();
        const Matrix a = of.a(thread), b = of.b(thread), c = of.c(thread);
        for (int pass = 0; pass < all.passes; ++pass)
            if (const Status status = all.its.plan().try_run(a, b, c); !status) all.trouble = status.text;
    };
    if (!run_in_region(static_cast<int>(products), call, &calls))
        return {Code::unsupported, Argument::options, "no OpenMP runtime gives a region of so many threads here"};
    if (const char* trouble = calls.trouble) return {Code::unsupported, Argument::none, trouble};
    return {};
}

Status RegionEntrant::begin_pass() { return repeat(1); }

double RegionEntrant::seconds(int passes) {
    const double start = now();
    return repeat(passes) ? now() - start : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace tw::measure
