// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// execute: gives a chosen kernel its operands and scratch, widens narrow operands for kernels that know only f32, and
// applies the epilogue if the kernel does not fuse it.
#include "carry/execute.hpp"

#include <algorithm>
#include <span>

#include "backend/contract.hpp"
#include "backend/direct.hpp"
#include "base/float_mode.hpp"
#include "base/scratch.hpp"
#include "base/threads.hpp"
#include "carry/arena.hpp"
#include "carry/call_of.hpp"
#include "carry/slabs.hpp"
#include "carry/staging.hpp"
#include "epilogue/finish.hpp"
#include "plan/operands.hpp"
#include "plan/slabs.hpp"

namespace tw {
namespace {

constexpr Status no_memory{Code::out_of_memory, Argument::scratch, "no memory for packed panels"};
constexpr Status nothing_kept{
    Code::unsupported, Argument::scratch,
    "its stream is being captured, and the device has no memory left that the graph could keep as scratch"};
constexpr Status on_the_host{
    Code::unsupported, Argument::c,
    "it lies on the host while the device's stream is being captured: a graph takes device memory"};

bool captured(const Plan& plan, const Call& call) noexcept {
    return plan.backend->captures && plan.backend->captures(call.stream);
}

std::size_t kernel_scratch(const Plan& plan, const PackedPanels& packed) noexcept {
    if (has_slabs(plan.options)) return slab_scratch_bytes(plan, packed);
    const Kernel& kernel = *plan.kernel;
    return kernel.scratch_bytes ? in_lines(kernel.scratch_bytes(plan.problem, plan.tile, plan.threads)) : 0;
}

bool needs_widening(const Plan& plan) noexcept {
    if (has_slabs(plan.options)) return widens_all_slabs(plan);
    return plan.kernel->in != plan.problem.in || plan.kernel->out != plan.problem.out;
}

/// The sums of slabs are f32 as they are.
bool widens_c(const Plan& plan) noexcept { return plan.problem.out != Type::f32 && !has_slabs(plan.options); }

/// Some kernels widen what they read. Slabs are views of widened copies.
bool widens_itself(const Plan& plan) noexcept { return plan.kernel->widens && !has_slabs(plan.options); }

/// A host's kernel that has an epilogue applies it tile by tile, and rounds where it does so.
bool rounds_itself(const Plan& plan) noexcept {
    return widens_itself(plan) || (plan.backend->place == Place::host && plan.kernel->fuses_epilogue);
}

std::size_t widened_bytes(const Plan& plan) noexcept {
    const Problem& p = plan.problem;
    return (widens_itself(plan) ? 0 : matrix_bytes(Type::f32, p.m, p.k) + matrix_bytes(Type::f32, p.k, p.n)) +
           (widens_c(plan) ? matrix_bytes(Type::f32, p.m, p.n) : 0);
}

/// What of an operand must be widened: rows or columns that a step of 0 repeats, once. Device kernels ask for rows of
/// their own.
Matrix distinct(const Plan& plan, const Matrix& m) noexcept {
    const bool on_host = plan.backend->place == Place::host;
    return m.block(0, 0, on_host && m.row_step == 0 ? 1 : m.rows, on_host && m.col_step == 0 ? 1 : m.cols);
}

struct Conversion {
    Matrix to, from;

    /// The same, row by row as `to` lies.
    Conversion by_rows() const noexcept {
        const bool turns = to.col_step != 1 && to.row_step == 1;
        return turns ? Conversion{to.transposed(), from.transposed()} : *this;
    }
};

/// Converts on the host, with all threads of the call if there is much. They begin once for all: what one thread alone
/// had converted, the others would fetch from its cache one after the other.
void convert_in_parallel(const Call& call, std::span<const Conversion> all) noexcept {
    constexpr std::int64_t worth_a_thread = 1 << 13;  // elements
    std::int64_t elements = 0;
    for (const Conversion& one : all) elements += one.to.rows * one.to.cols;
    struct Shared {
        std::span<const Conversion> all;
        std::int64_t tasks;
    } shared{all, std::clamp<std::int64_t>(elements / worth_a_thread, 1, call.threads)};
    const auto tasks = static_cast<int>(shared.tasks);
    run_tasks(
        call.executor, tasks, tasks,
        [](void* context, int index) {
            const auto& s = *static_cast<const Shared*>(context);
            for (const Conversion& one : s.all) {
                const auto [to, from] = one.by_rows();
                const std::int64_t first = to.rows * index / s.tasks, end = to.rows * (index + 1) / s.tasks;
                convert(to.block(first, 0, end - first, to.cols), from.block(first, 0, end - first, to.cols));
            }
        },
        &shared);
}

/// Converts on the device that holds the operands.
Status move(const Plan& plan, const Call& call, std::span<const Conversion> all) noexcept {
    if (!plan.backend->copy) {
        if (!all.empty()) convert_in_parallel(call, all);
        return {};
    }
    for (const Conversion& one : all)
        if (const Status bad = plan.backend->copy(one.to, one.from, call.stream); !bad) return bad;
    return {};
}

/// Room for a widened copy. On the host the copy lies as the operand does, so that nothing is transposed.
Matrix room_like(const Plan& plan, Arena& arena, const Matrix& operand) noexcept {
    const bool by_columns = !plan.backend->copy && operand.row_step == 1 && operand.col_step != 1;
    return by_columns ? arena.row_major(Type::f32, operand.cols, operand.rows).transposed()
                      : arena.row_major(Type::f32, operand.rows, operand.cols);
}

Status run_kernel(const Plan& plan, Call& call) noexcept {
    if (has_slabs(plan.options)) return run_slabs(plan, call);
    if (plan.kernel->fuses_epilogue || call.epilogue.is_empty()) return plan.kernel->run(call, plan.tile);
    const Epilogue epilogue = call.epilogue;
    call.epilogue = {};
    if (const Status status = plan.kernel->run(call, plan.tile); !status) return status;
    if (plan.backend->finish) return plan.backend->finish(call.c, 1, 0, epilogue, call.stream);
    finish(call.c, 1, epilogue);
    return {};
}

Conversion widened_copy(const Plan& plan, Arena& arena, Matrix& operand) noexcept {
    const Matrix narrow = distinct(plan, operand), wide = room_like(plan, arena, narrow);
    operand = {wide.data,
               Type::f32,
               operand.rows,
               operand.cols,
               narrow.rows == operand.rows ? wide.row_step : 0,
               narrow.cols == operand.cols ? wide.col_step : 0};
    return {wide, narrow};
}

Status run_widened(const Plan& plan, Call& call) noexcept {
    Arena arena(call.scratch);
    const Matrix c = call.c;
    const bool packed_a = call.packed.panels && call.packed.is_a, packed_b = call.packed.panels && !packed_a;
    const bool copies = !widens_itself(plan), rounds = widens_c(plan) && !rounds_itself(plan);
    Conversion widened[3];
    std::size_t count = 0;
    if (copies && !packed_a) widened[count++] = widened_copy(plan, arena, call.a);  // packed, it was widened then
    if (copies && !packed_b) widened[count++] = widened_copy(plan, arena, call.b);
    if (widens_c(plan)) {
        call.c = room_like(plan, arena, c);
        if (!rounds) call.rounded = c;
        if (call.beta != 0) widened[count++] = {call.c, c};
    }
    call.scratch = arena.rest();
    if (const Status bad = move(plan, call, {widened, count}); !bad) return bad;
    const Status status = run_kernel(plan, call);
    const Conversion rounded[] = {{c, call.c}};
    return status && rounds ? move(plan, call, rounded) : status;
}

}  // namespace

std::size_t aligned_scratch_bytes(const Plan& plan, const PackedPanels& packed) noexcept {
    return kernel_scratch(plan, packed) + (needs_widening(plan) ? widened_bytes(plan) : 0);
}

std::size_t Plan::scratch_bytes() const noexcept {
    const std::size_t bytes = kernel ? aligned_scratch_bytes(*this) : 0;
    return bytes == 0 ? 0 : bytes + line - 1;
}

const char* Plan::kernel_name() const noexcept { return kernel ? kernel->name : ""; }

Status scratch_for(const Plan& plan, std::size_t bytes, Call& call) noexcept {
    if (call.scratch.size() < bytes)
        call.scratch = plan.backend->scratch ? plan.backend->scratch(bytes, call.stream) : thread_scratch(bytes);
    if (call.scratch.size() >= bytes) return {};
    return captured(plan, call) ? nothing_kept : no_memory;
}

/// Less than any operands of the plan's shape may need, where theirs repeat rows or columns.
std::size_t scratch_of(const Plan& plan, const Call& call) noexcept {
    std::size_t bytes = aligned_scratch_bytes(plan, call.packed);
    if (!needs_widening(plan) || widens_itself(plan)) return bytes;
    for (const Matrix* whole : {&call.a, &call.b}) {
        const Matrix once = distinct(plan, *whole);
        bytes -= matrix_bytes(Type::f32, whole->rows, whole->cols) - matrix_bytes(Type::f32, once.rows, once.cols);
    }
    return bytes;
}

Status run_in_place(const Plan& plan, Call& call) noexcept {
    const std::size_t least = scratch_of(plan, call);
    // Odd addresses and steps: copies that lie in order are worth more scratch, but nothing fails without it. A call
    // that has some already may work in the very block that would be given back for a larger one.
    const bool may_grow = !call.scratch.data() && !needs_widening(plan);
    const auto more = may_grow ? plan.kernel->scratch_of : nullptr;
    const std::size_t best = more ? more(call, plan.tile) : 0;
    if (best <= least || !scratch_for(plan, best, call))
        if (const Status short_of = scratch_for(plan, least, call); !short_of) return short_of;
    return needs_widening(plan) ? run_widened(plan, call) : run_kernel(plan, call);
}

Status execute(const Plan& plan, const Matrix& a, const Matrix& b, const Matrix& c, void* stream,
               const PackedPanels& packed, const Sharing& sharing) noexcept {
    const IeeeMode mode;
    if (plan.device >= 0 && plan.backend->select)
        if (const Status bad = plan.backend->select(plan.device); !bad) return bad;
    const Options& options = plan.options;
    Call call = call_of(options, a, b, c);
    call.scratch = from_first_line(options.scratch);
    call.threads = plan.threads;
    call.executor = options.executor;
    if (stream) call.stream = stream;
    call.packed = packed;
    call.direct = direct_of(plan).run ? &direct_of(plan) : nullptr;
    if (!needs_staging(plan, c)) return run_in_place(plan, call);
    return captured(plan, call) ? on_the_host : run_staged(plan, call, sharing);
}

}  // namespace tw
