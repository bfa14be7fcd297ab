// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The front door: check the operands, settle what needs no product, choose a kernel, execute it.
#include "tilewright/multiply.hpp"

#include "base/float_mode.hpp"
#include "multiply/check.hpp"
#include "plan/operands.hpp"
#include "tilewright/plan.hpp"

namespace tw {

const char* version() noexcept {
#define TW_TEXT(x) #x
#define TW_DOTTED(major, minor, patch) TW_TEXT(major) "." TW_TEXT(minor) "." TW_TEXT(patch)
    return TW_DOTTED(TILEWRIGHT_VERSION_MAJOR, TILEWRIGHT_VERSION_MINOR, TILEWRIGHT_VERSION_PATCH);
#undef TW_DOTTED
#undef TW_TEXT
}

Status try_multiply(const Matrix& a, const Matrix& b, const Matrix& c, const Options& options) noexcept {
    if (const Status bad = check_operands(a, b, c, options); !bad) return bad;
    if (c.rows == 0 || c.cols == 0) return {};
    if (options.alpha == 0 || a.cols == 0) {
        const IeeeMode mode;
        finish(c, options.beta, options.epilogue);
        return {};
    }
    Plan plan;
    if (const Status none = try_plan(problem_of(a, b, c, options), options, plan); !none) return none;
    return plan.try_run(a, b, c);
}

void check(const Status& status, const Matrix& a, const Matrix& b, const Matrix& c, const Options& options) {
    if (!status) throw Error(status, explain(status, a, b, c, options));
}

}  // namespace tw
