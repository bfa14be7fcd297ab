// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// A batch on a device whose kernel does many products in one call: a launch costs as much as a small product.
#include <algorithm>

#include "carry/arena.hpp"
#include "carry/batch.hpp"
#include "carry/call_of.hpp"
#include "carry/staging.hpp"
#include "plan/eligibility.hpp"
#include "plan/operands.hpp"
#include "plan/slabs.hpp"

namespace tw {
namespace {

constexpr std::size_t most_scratch = std::size_t{1} << 29;  // per call: larger batches go in pieces
constexpr std::int64_t most_products = 32768;

/// The part of the batch that has `count` products from `first` on.
Batch piece_of(const Batch& batch, std::int64_t first, std::int64_t count) noexcept {
    Batch piece = batch;
    piece.size = count;
    if (piece.a) piece.a += first;
    if (piece.b) piece.b += first;
    if (piece.c) piece.c += first;
    return piece;
}

Call call_of_piece(const Plan& plan, const Products& products, const Batch& piece, std::int64_t first) noexcept {
    Call call = call_of(plan.options, products.a_of(first), products.b_of(first), products.c_of(first));
    call.scratch = from_first_line(plan.options.scratch);
    call.batch = &piece;
    call.epilogue.residual = products.residual_of(first);
    return call;
}

bool takes(const Plan& plan, const Kernel& kernel, const Call& call) noexcept {
    return kernel.batching && kernel.in == plan.problem.in && kernel.out == plan.problem.out &&
           (call.epilogue.is_empty() || kernel.fuses_epilogue) && kernel.batching->takes(call);
}

}  // namespace

bool plan_at_once(const Plan& plan, const Products& products, bool any_of_its_order, Plan& found) noexcept {
    const bool there =
        plan.backend->place != Place::host && plan.backend->copy && !needs_staging(plan, products.c_of(0));
    if (!there || plan.options.verify || has_slabs(plan.options)) return false;
    const Batch piece = piece_of(products.batch, 0, std::min(products.batch.size, most_products));
    return row_at_once(plan, call_of_piece(plan, products, piece, 0), any_of_its_order, found);
}

bool row_at_once(const Plan& plan, const Call& call, bool any_of_its_order, Plan& found) noexcept {
    found = plan;
    if (takes(plan, *plan.kernel, call)) return true;
    if (!any_of_its_order || plan.kernel->order == 0) return false;
    // Parts of k are one row's own: no other has its bits.
    if (plan.kernel->cuts && !plan.options.reproducible && plan.kernel->cuts(plan.problem)) return false;
    const auto& ladder = plan.backend->ladder;
    const auto at = std::find_if(ladder.rbegin(), ladder.rend(), [&](const Kernel* kernel) {
        return kernel->order == plan.kernel->order && takes(plan, *kernel, call) &&
               can_run(*plan.backend, *kernel, plan.problem);
    });
    if (at == ladder.rend()) return false;
    found.kernel = *at;
    found.options.kernel = found.kernel->name;
    found.tile = found.kernel->tiles.empty() ? Tile{} : found.kernel->tiles.front();
    return true;
}

Status execute_at_once(const Plan& plan, const Products& products) noexcept {
    if (plan.device >= 0 && plan.backend->select)
        if (const Status bad = plan.backend->select(plan.device); !bad) return bad;
    const auto needed = [&](std::int64_t count) {
        return plan.kernel->batching->scratch_bytes(plan.problem, plan.tile, piece_of(products.batch, 0, count));
    };
    const std::int64_t size = products.batch.size;
    std::int64_t at_once = std::min(size, most_products);
    while (at_once > 1 && needed(at_once) > most_scratch) at_once = (at_once + 1) / 2;
    for (std::int64_t first = 0; first < size; first += at_once) {
        const Batch piece = piece_of(products.batch, first, std::min(at_once, size - first));
        Call call = call_of_piece(plan, products, piece, first);
        Status status = scratch_for(plan, needed(piece.size), call);
        if (status) status = plan.kernel->run(call, plan.tile);
        if (status) continue;
        status.product = static_cast<std::int32_t>(std::min<std::int64_t>(first, INT32_MAX));
        return status;
    }
    return {};
}

}  // namespace tw
