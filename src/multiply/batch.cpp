// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The front door for batches: one check and one plan, then threads share the products, or share each product.
#include "tilewright/batch.hpp"

#include <algorithm>

#include "base/threads.hpp"
#include "carry/batch.hpp"
#include "carry/execute.hpp"
#include "multiply/check.hpp"
#include "multiply/first_elsewhere.hpp"
#include "multiply/log.hpp"
#include "multiply/no_product.hpp"
#include "multiply/run_plan.hpp"
#include "plan/choose.hpp"
#include "plan/operands.hpp"
#include "plan/registry.hpp"

namespace tw {
namespace {

constexpr Status negative{Code::bad_argument, Argument::batch, "its size is negative"};

Status of_product(Status status, std::int64_t i) noexcept {
    if (!status) status.product = static_cast<std::int32_t>(i < INT32_MAX ? i : INT32_MAX);
    return status;
}

Options options_of(const Options& options, const Products& products, std::int64_t i) noexcept {
    Options own = options;
    own.epilogue.residual = products.residual_of(i);
    return own;
}

Status finish_each(const Products& products, const Options& options) noexcept {
    for (std::int64_t i = 0; i < products.batch.size; ++i)
        if (const Status failed = finish_anywhere(products.c_of(i), options_of(options, products, i)); !failed)
            return of_product(failed, i);
    return {};
}

/// With a step, products lie between the first and the last; with an array of pointers, each is looked at.
Status check_each_place(const Products& products) noexcept {
    const Batch& batch = products.batch;
    const Place place = place_of(products.c_of(0).data);
    const auto elsewhere = [&](const auto* array, Matrix (Products::*product)(std::int64_t) const noexcept) {
        PlaceCache where;
        return first_elsewhere(array, batch.size,
                               [&](std::int64_t i) { return where.of((products.*product)(i).data) == place; });
    };
    constexpr const char* than_c = "it lives on another device than the first C";
    if (const auto i = elsewhere(batch.a, &Products::a_of); i >= 0)
        return of_product({Code::bad_argument, Argument::a, than_c}, i);
    if (const auto i = elsewhere(batch.b, &Products::b_of); i >= 0)
        return of_product({Code::bad_argument, Argument::b, than_c}, i);
    if (const auto i = elsewhere(batch.c, &Products::c_of); i >= 0)
        return of_product({Code::bad_argument, Argument::c, "it lives on another device than the first product's"}, i);
    return {};
}

/// Each product by itself: with verification, on a device whose kernel does one product a call, and for products that
/// keep all threads busy.
Status one_by_one(Plan plan, const Products& products) noexcept {
    const Options options = plan.options;
    log_call(plan, products.batch.size);
    for (std::int64_t i = 0; i < products.batch.size; ++i) {
        plan.options = options_of(options, products, i);
        if (const Status failed = run_plan(plan, products.a_of(i), products.b_of(i), products.c_of(i), nullptr);
            !failed)
            return of_product(failed, i);
    }
    return {};
}

}  // namespace

Status try_multiply_batch(const Matrix& a, const Matrix& b, const Matrix& c, const Batch& batch,
                          const Options& options) noexcept {
    if (batch.size < 0) return negative;
    if (batch.size == 0) return {};
    if (const Status bad = check_batch(a, b, c, batch, options); !bad) return bad;
    const Products products{a, b, c, options.epilogue.residual, batch};
    if (needs_no_product(a, c, options)) return finish_each(products, options);
    if (may_lie_on_a_device())
        if (const Status apart = check_each_place(products); !apart) return apart;

    const Problem problem = problem_of(products.a_of(0), products.b_of(0), products.c_of(0), options);
    Plan together, alone;
    if (const Status none = try_plan(problem, options, together); !none) return none;
    if (Plan whole; plan_at_once(together, products, !names_kernel(options), whole)) {
        log_call(whole, batch.size);
        return execute_at_once(whole, products);
    }
    Options single = options;
    single.threads = 1;
    if (const Status none = try_plan(problem, single, alone); !none) return none;
    if (!shares_the_batch(alone, together, batch.size)) return one_by_one(together, products);
    log_call(alone, batch.size);
    return execute_batch(alone, products, together.threads);
}

}  // namespace tw
