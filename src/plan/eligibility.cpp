// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "plan/eligibility.hpp"

#include "plan/operands.hpp"

namespace tw {
namespace {

/// Kernels that know only f32 take narrow operands too: execute() widens them, exactly.
bool types_fit(const Kernel& kernel, const Problem& problem) noexcept {
    const bool as_they_are = kernel.in == problem.in && kernel.out == problem.out;
    return as_they_are || (kernel.in == Type::f32 && kernel.out == Type::f32 && widens_to_f32(problem));
}

/// `fp32` promises the error of an f32 sum on average too, not only in the certificate's worst case. These schemes lose
/// part of every product, so every result shows it; the worst case of a long sum would allow even operands rounded
/// once.
bool is_coarser_than_f32(const Kernel& kernel) noexcept {
    const Scheme* const scheme = kernel.scheme;
    const bool is_rounded_once = scheme->parts == 1 && scheme->split_loss > 0;
    return is_rounded_once || scheme == &bf16x3 || scheme == &int8x6;
}

bool wants_f32(const Problem& problem) noexcept {
    const Accuracy::Rule rule = resolve(problem.accuracy, problem.in).rule;
    return problem.in == Type::f32 && (rule == Accuracy::Rule::fp32 || rule == Accuracy::Rule::fp32_elementwise);
}

}  // namespace

bool fits(Features present, const Kernel& kernel, const Problem& problem) noexcept {
    return types_fit(kernel, problem) && (kernel.needs & ~present) == 0 && (!kernel.takes || kernel.takes(problem));
}

bool can_run(const Backend& backend, const Kernel& kernel, const Problem& problem) noexcept {
    return fits(backend.features(), kernel, problem);
}

bool keeps_promise(const Kernel& kernel, const Problem& problem) noexcept {
    if (kernel.scheme->flush_loss > 0 && !allows_flush_loss(problem.accuracy)) return false;
    if (wants_f32(problem) && is_coarser_than_f32(kernel)) return false;
    return certificate(kernel, problem.k) <= promise(problem.accuracy, problem.in, problem.k);
}

}  // namespace tw
