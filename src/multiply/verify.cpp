// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// An activation is not linear, so the product is checked before its epilogue, and that is a pass of its own then. Where
// a kernel for f32 makes a narrow C, the product is made and checked in f32: rounded twice, C would have other bits.
// Where the kernel's own epilogue is not that pass, to the bit, such a product is refused.
#include "multiply/verify.hpp"

#include <algorithm>
#include <memory>
#include <new>

#include "backend/contract.hpp"
#include "backend/direct.hpp"
#include "base/float_mode.hpp"
#include "carry/execute.hpp"
#include "carry/staging.hpp"
#include "multiply/correct.hpp"
#include "multiply/freivalds.hpp"
#include "multiply/log.hpp"
#include "multiply/verify_on_device.hpp"
#include "plan/eligibility.hpp"
#include "plan/operands.hpp"
#include "plan/slabs.hpp"

namespace tw {
namespace {

constexpr Status no_memory{Code::out_of_memory, Argument::none, "no memory for the vectors of the verification"};
constexpr Status other_bits{
    Code::unsupported, Argument::options,
    "the device's kernel for 16 bits has the epilogue in it: applied after the verification, it would give other bits"};
constexpr Status wrong_twice{Code::verification_failed, Argument::c,
                             "the result fails its verification, and so does a second one by the reference kernel"};

bool is_narrow(Type type) noexcept { return type == Type::f16 || type == Type::bf16; }

/// True when the kernel's epilogue and finish() may differ in bits. Devices' kernels for 16 bits have shorter forms of
/// gelu and silu; and one that rounds to a narrow C by itself has no form with a C of f32 that surely sums alike.
bool has_own_epilogue(const Plan& plan) noexcept {
    const Kernel& kernel = *plan.kernel;
    const bool there = plan.backend->place != Place::host;
    return !plan.options.epilogue.is_empty() && kernel.fuses_epilogue &&
           (is_narrow(kernel.out) || (there && is_narrow(kernel.in)));
}

/// True when the kernel's C is of f32 and is rounded after the epilogue.
bool rounds_after_epilogue(const Plan& plan) noexcept {
    return !plan.options.epilogue.is_empty() && is_narrow(plan.problem.out) && plan.kernel->out != plan.problem.out;
}

/// The same kernel into a C of f32.
void widen_result(Plan& plan) noexcept {
    plan.problem.out = Type::f32;
    plan.problem.c = Form::row_major;
}

/// A C of f32 in place of the caller's narrow one, where that lies.
class WideResult {
public:
    WideResult(const Plan& plan, const Matrix& c, void* stream) noexcept
        : device_(plan.problem.place == Place::host ? nullptr : plan.backend), c_(c), stream_(stream) {
        const auto bytes = static_cast<std::size_t>(c.rows * c.cols) * sizeof(float);
        matrix_ = {device_ ? device_->alloc(bytes) : ::operator new(bytes, std::nothrow), Type::f32, c.rows, c.cols,
                   c.cols};
    }
    ~WideResult() { device_ ? device_->free(matrix_.data) : ::operator delete(matrix_.data); }
    WideResult(const WideResult&) = delete;
    WideResult& operator=(const WideResult&) = delete;

    const Matrix& matrix() const noexcept { return matrix_; }
    Status begin(bool with_elements) noexcept {
        if (!matrix_.data) return no_memory;
        return with_elements ? move(matrix_, c_) : Status{};
    }
    /// Waits, since the memory is given back.
    Status round() noexcept {
        const Status status = move(c_, matrix_);
        return status && device_ ? device_->wait(stream_) : status;
    }

private:
    Status move(const Matrix& to, const Matrix& from) noexcept {
        if (device_) return device_->copy(to, from, stream_);
        convert(to, from);
        return {};
    }

    const Backend* device_;
    Matrix c_, matrix_{};
    void* stream_;
};

Plan without_epilogue(Plan plan) noexcept {
    plan.options.epilogue = {};
    set_direct(plan, {});
    return plan;
}

/// Another row if there is one: it does not repeat the first one's mistake.
Plan with_plainest_of_its_order(Plan plan) noexcept {
    const Problem problem = problem_of_kernel(plan.problem, plan.options);
    for (const Kernel* kernel : plan.backend->ladder) {
        if (kernel == plan.kernel || kernel->order != plan.kernel->order || !can_run(*plan.backend, *kernel, problem))
            continue;
        plan.kernel = kernel;
        plan.options.kernel = kernel->name;
        plan.tile = kernel->tiles.empty() ? Tile{} : kernel->tiles.front();
        break;
    }
    set_direct(plan, {});
    return plan;
}

}  // namespace

Status run_until_right(const Plan& plan, const Plan& second, const Matrix& a, const Matrix& b, const Matrix& c,
                       void* stream, const Sharing& sharing) noexcept {
    if (plan.options.verify == Verify::correct) {
        sharing.leave();
        Corrections done;
        const Status status = run_corrected(plan, second, a, b, c, stream, done);
        log_corrections(plan, done);
        return status;
    }
    const double bound = certificate_of(plan);
    Freivalds freivalds(a, b, plan.options.alpha, plan.options.beta, bound, {plan.options.executor, plan.threads});
    freivalds.allow(bound, losses_of(*plan.kernel, plan.backend->place));
    if (!freivalds.prepare(c)) return no_memory;
    if (const Status failed = execute(plan, a, b, c, stream, {}, sharing); !failed) return failed;
    if (freivalds.first_wrong_row(c) < 0) return {};

    if (plan.options.beta != 0) convert(c, freivalds.c0());
    freivalds.allow(certificate_of(second), losses_of(*second.kernel, second.backend->place));
    if (const Status failed = execute(second, a, b, c, stream); !failed) return failed;
    return freivalds.first_wrong_row(c) < 0 ? Status{} : wrong_twice;
}

Status plan_second(const Plan& plan, Plan& second) noexcept {
    if (plan.options.reproducible) {
        second = with_plainest_of_its_order(plan);
        return {};
    }
    Problem problem = plan.problem;
    problem.accuracy = {};
    Options options = plan.options;
    options.kernel = "r1_naive";
    if (try_plan(problem, options, second)) return {};
    options.device = {};  // a device without a naive kernel: the host has one
    return try_plan(problem, options, second);
}

Status run_verified(const Plan& plan, const Plan& second, const Matrix& a, const Matrix& b, const Matrix& c,
                    void* stream, const Sharing& sharing) noexcept {
    if (has_own_epilogue(plan)) return other_bits;
    const bool there = plan.problem.place != Place::host;
    if (!stream) stream = plan.options.stream;
    if (there)
        if (const Status cannot = can_verify_on_device(plan, stream); !cannot) return cannot;
    const IeeeMode mode;
    const auto made = [&](const Plan& first, const Plan& again, const Matrix& result) {
        return there ? run_until_right_on_device(first, again, a, b, result, stream)
                     : run_until_right(first, again, a, b, result, stream, sharing);
    };
    const Epilogue& epilogue = plan.options.epilogue;
    Plan first = without_epilogue(plan), again = without_epilogue(second);
    if (!rounds_after_epilogue(plan)) {
        const Status status = made(first, again, c);
        return status ? finish_as_planned(plan, c, epilogue, stream) : status;
    }
    widen_result(first), widen_result(again);
    if (again.kernel->out != Type::f32) again = first;  // the plainest of that order has no such C
    WideResult wide(plan, c, stream);
    if (const Status failed = wide.begin(plan.options.beta != 0); !failed) return failed;
    Status status = made(first, again, wide.matrix());
    const bool has_result = status || status.code == Code::verification_failed;
    if (status) status = finish_as_planned(plan, wide.matrix(), epilogue, stream);
    if (!has_result) return status;
    const Status rounded = wide.round();
    return status ? rounded : status;
}

}  // namespace tw
