// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// execute: a chosen kernel meets its operands. Scratch, widening, the epilogue that a kernel does not fuse.
#include "backend/contract.hpp"
#include "base/float_mode.hpp"
#include "base/scratch.hpp"
#include "plan/operands.hpp"

namespace tw {
namespace {

constexpr std::size_t line = 64;
constexpr std::size_t in_lines(std::size_t bytes) noexcept { return (bytes + line - 1) / line * line; }

constexpr Status no_memory{Code::out_of_memory, Argument::scratch, "no memory for packed panels"};

/// Takes row-major matrices off the front of a scratch.
class Carver {
public:
    explicit Carver(std::span<std::byte> scratch) : rest_(scratch) {}

    Matrix matrix(Type type, std::int64_t rows, std::int64_t cols) noexcept {
        const std::size_t bytes = in_lines(static_cast<std::size_t>(rows * cols) * size_of(type));
        const Matrix carved{rest_.data(), type, rows, cols, cols};
        rest_ = rest_.subspan(bytes);
        return carved;
    }
    std::span<std::byte> rest() const noexcept { return rest_; }

private:
    std::span<std::byte> rest_;
};

std::size_t kernel_scratch(const Plan& plan) noexcept {
    const Kernel& kernel = *plan.kernel;
    return kernel.scratch_bytes ? in_lines(kernel.scratch_bytes(plan.problem, plan.tile, plan.threads)) : 0;
}

bool needs_widening(const Plan& plan) noexcept {
    return plan.kernel->in != plan.problem.in || plan.kernel->out != plan.problem.out;
}

std::size_t widened_bytes(const Problem& p) noexcept {
    const auto bytes = [](std::int64_t rows, std::int64_t cols) {
        return in_lines(static_cast<std::size_t>(rows * cols) * sizeof(float));
    };
    return bytes(p.m, p.k) + bytes(p.k, p.n) + (p.out == Type::f32 ? 0 : bytes(p.m, p.n));
}

Status run_kernel(const Plan& plan, Call& call) noexcept {
    const Epilogue epilogue = call.epilogue;
    if (!plan.kernel->fuses_epilogue) call.epilogue = {};
    const Status status = plan.kernel->run(call, plan.tile);
    if (status && !plan.kernel->fuses_epilogue) finish(call.c, 1, epilogue);
    return status;
}

Status run_widened(const Plan& plan, Call& call) noexcept {
    Carver carver(call.scratch);
    const Matrix a = call.a, b = call.b, c = call.c;
    call.a = carver.matrix(Type::f32, a.rows, a.cols);
    call.b = carver.matrix(Type::f32, b.rows, b.cols);
    convert(call.a, a);
    convert(call.b, b);
    if (c.type != Type::f32) call.c = carver.matrix(Type::f32, c.rows, c.cols);
    if (c.type != Type::f32 && call.beta != 0) convert(call.c, c);
    call.scratch = carver.rest();
    const Status status = run_kernel(plan, call);
    if (status && c.type != Type::f32) convert(c, call.c);
    return status;
}

}  // namespace

std::size_t Plan::scratch_bytes() const noexcept {
    return kernel_scratch(*this) + (needs_widening(*this) ? widened_bytes(problem) : 0);
}

const char* Plan::kernel_name() const noexcept { return kernel->name; }

Status Plan::try_run(const Matrix& a, const Matrix& b, const Matrix& c, void* stream) const noexcept {
    const IeeeMode mode;
    Call call{.a = a, .b = b, .c = c, .alpha = options.alpha, .beta = options.beta, .epilogue = options.epilogue,
              .scratch = options.scratch, .threads = threads, .executor = options.executor,
              .stream = stream ? stream : options.stream};
    const std::size_t needed = scratch_bytes();
    if (call.scratch.size() < needed) call.scratch = thread_scratch(needed);
    if (call.scratch.size() < needed) return no_memory;
    return needs_widening(*this) ? run_widened(*this, call) : run_kernel(*this, call);
}

}  // namespace tw
