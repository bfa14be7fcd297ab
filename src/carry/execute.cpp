// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// execute: gives a chosen kernel its operands and scratch, widens narrow operands for kernels that know only f32, and
// applies the epilogue if the kernel does not fuse it.
#include "carry/execute.hpp"

#include "backend/contract.hpp"
#include "backend/direct.hpp"
#include "base/float_mode.hpp"
#include "base/scratch.hpp"
#include "carry/arena.hpp"
#include "carry/staging.hpp"
#include "epilogue/finish.hpp"
#include "plan/operands.hpp"

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

std::size_t kernel_scratch(const Plan& plan) noexcept {
    const Kernel& kernel = *plan.kernel;
    return kernel.scratch_bytes ? in_lines(kernel.scratch_bytes(plan.problem, plan.tile, plan.threads)) : 0;
}

bool needs_widening(const Plan& plan) noexcept {
    return plan.kernel->in != plan.problem.in || plan.kernel->out != plan.problem.out;
}

std::size_t widened_bytes(const Problem& p) noexcept {
    return matrix_bytes(Type::f32, p.m, p.k) + matrix_bytes(Type::f32, p.k, p.n) +
           (p.out == Type::f32 ? 0 : matrix_bytes(Type::f32, p.m, p.n));
}

/// Converts element by element, on the device that holds the operands.
Status move(const Plan& plan, const Matrix& to, const Matrix& from, void* stream) noexcept {
    if (plan.backend->copy) return plan.backend->copy(to, from, stream);
    convert(to, from);
    return {};
}

Status run_kernel(const Plan& plan, Call& call) noexcept {
    if (plan.kernel->fuses_epilogue || call.epilogue.is_empty()) return plan.kernel->run(call, plan.tile);
    const Epilogue epilogue = call.epilogue;
    call.epilogue = {};
    if (const Status status = plan.kernel->run(call, plan.tile); !status) return status;
    if (plan.backend->finish) return plan.backend->finish(call.c, 1, epilogue, call.stream);
    finish(call.c, 1, epilogue);
    return {};
}

Status run_widened(const Plan& plan, Call& call) noexcept {
    Arena arena(call.scratch);
    const Matrix a = call.a, b = call.b, c = call.c;
    const bool packed_a = call.packed.panels && call.packed.is_a, packed_b = call.packed.panels && !packed_a;
    if (!packed_a) {  // a packed operand was widened when it was packed
        call.a = arena.row_major(Type::f32, a.rows, a.cols);
        if (const Status bad = move(plan, call.a, a, call.stream); !bad) return bad;
    }
    if (!packed_b) {
        call.b = arena.row_major(Type::f32, b.rows, b.cols);
        if (const Status bad = move(plan, call.b, b, call.stream); !bad) return bad;
    }
    if (c.type != Type::f32) {
        call.c = arena.row_major(Type::f32, c.rows, c.cols);
        if (call.beta != 0)
            if (const Status bad = move(plan, call.c, c, call.stream); !bad) return bad;
    }
    call.scratch = arena.rest();
    const Status status = run_kernel(plan, call);
    return status && c.type != Type::f32 ? move(plan, c, call.c, call.stream) : status;
}

}  // namespace

std::size_t aligned_scratch_bytes(const Plan& plan) noexcept {
    return kernel_scratch(plan) + (needs_widening(plan) ? widened_bytes(plan.problem) : 0);
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

Status run_in_place(const Plan& plan, Call& call) noexcept {
    if (const Status short_of = scratch_for(plan, aligned_scratch_bytes(plan), call); !short_of) return short_of;
    return needs_widening(plan) ? run_widened(plan, call) : run_kernel(plan, call);
}

Status execute(const Plan& plan, const Matrix& a, const Matrix& b, const Matrix& c, void* stream,
               const PackedPanels& packed) noexcept {
    const IeeeMode mode;
    if (plan.device >= 0 && plan.backend->select)
        if (const Status bad = plan.backend->select(plan.device); !bad) return bad;
    const Options& options = plan.options;
    Call call{.a = a,
              .b = b,
              .c = c,
              .alpha = options.alpha,
              .beta = options.beta,
              .epilogue = options.epilogue,
              .scratch = from_first_line(options.scratch),
              .threads = plan.threads,
              .executor = options.executor,
              .stream = stream ? stream : options.stream,
              .packed = packed,
              .direct = direct_of(plan).run ? &direct_of(plan) : nullptr};
    if (!needs_staging(plan, c)) return run_in_place(plan, call);
    return captured(plan, call) ? on_the_host : run_staged(plan, call);
}

}  // namespace tw
