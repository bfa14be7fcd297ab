// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Products with a packed operand: by the kernel that it was packed for, if that kernel can do what is asked.
#include <algorithm>

#include "base/threads.hpp"
#include "carry/execute.hpp"
#include "multiply/check.hpp"
#include "multiply/log.hpp"
#include "multiply/no_product.hpp"
#include "multiply/packed_parts.hpp"
#include "plan/eligibility.hpp"
#include "plan/names.hpp"
#include "plan/operands.hpp"
#include "plan/slabs.hpp"
#include "tilewright/plan.hpp"

namespace tw {
namespace {

constexpr Status bad(Argument argument, const char* text) noexcept { return {Code::bad_argument, argument, text}; }
constexpr Status not_for(const char* text) noexcept { return {Code::unsupported, Argument::options, text}; }

Status check_fit(const Packed& packed, const Problem& problem, const Options& options) noexcept {
    const Kernel& kernel = *PackedParts::kernel(packed);
    const Backend& backend = *PackedParts::backend(packed);
    if (options.verify) return not_for("a packed operand can't be verified: that needs its elements");
    if (!options.device.empty() && options.device != backend.name)
        return not_for("the packed operand was laid out for another device");
    if (problem.place != backend.place) return not_for("the packed operand lies where the others don't");
    if (!options.kernel.empty() && !answers_to(kernel, options.kernel))
        return not_for("the packed operand was laid out for another kernel");
    if (std::max(1, options.slabs) != PackedParts::slabs(packed))
        return not_for("the packed operand was laid out for another number of slabs");
    const Problem of_kernel = problem_of_kernel(problem, options);
    if (!can_run(backend, kernel, of_kernel)) return not_for("the packed operand's kernel can't do this product");
    if (!keeps_promise(kernel, of_kernel)) return not_for("the packed operand was laid out for less accuracy");
    if (is_reproducible(options) && kernel.order == 0)
        return not_for("the packed operand's kernel is not reproducible");
    return {};
}

constexpr const char* empty = "the packed operand is empty: pack() makes one";

Status run_packed(const Matrix& a, const Matrix& b, const Matrix& c, const Packed& packed,
                  const Options& options) noexcept {
    if (const Status wrong = check_operands(a, b, c, options); !wrong) return wrong;
    if (needs_no_product(a, c, options)) return finish_anywhere(c, options);
    const Problem problem = problem_of(a, b, c, options);
    if (const Status misfit = check_fit(packed, problem, options); !misfit) return misfit;
    if (const Status apart = check_places(a, b, c); !apart) return apart;

    Plan plan;
    plan.problem = problem;
    plan.options = options;
    plan.backend = PackedParts::backend(packed);
    plan.kernel = PackedParts::kernel(packed);
    plan.tile = PackedParts::tile(packed);
    plan.threads = options.threads > 0 ? std::min(options.threads, most_threads) : default_threads();
    plan.reason = "an operand was packed for it";
    log_call(plan);
    return execute(plan, a, b, c, nullptr, PackedParts::panels(packed));
}

}  // namespace

Status try_multiply(const Matrix& a, const Packed& b, const Matrix& c, const Options& options) noexcept {
    if (b.is_empty()) return bad(Argument::b, empty);
    if (PackedParts::panels(b).is_a) return bad(Argument::b, "it was packed as an A: pack() makes a B");
    return run_packed(a, PackedParts::matrix(b), c, b, options);
}

Status try_multiply(const Packed& a, const Matrix& b, const Matrix& c, const Options& options) noexcept {
    if (a.is_empty()) return bad(Argument::a, empty);
    if (!PackedParts::panels(a).is_a) return bad(Argument::a, "it was packed as a B: pack_a() makes an A");
    return run_packed(PackedParts::matrix(a), b, c, a, options);
}

void multiply(const Matrix& a, const Packed& b, const Matrix& c, const Options& options) {
    check(try_multiply(a, b, c, options), a, PackedParts::matrix(b), c, options);
}

void multiply(const Packed& a, const Matrix& b, const Matrix& c, const Options& options) {
    check(try_multiply(a, b, c, options), PackedParts::matrix(a), b, c, options);
}

}  // namespace tw
