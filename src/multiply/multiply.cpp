// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The front door: check the operands, settle what needs no product, choose a kernel, execute it.
#include "tilewright/multiply.hpp"

#include "base/float_mode.hpp"
#include "multiply/check.hpp"
#include "plan/operands.hpp"
#include "plan/registry.hpp"
#include "tilewright/plan.hpp"

namespace tw {

const char* version() noexcept {
#define TW_TEXT(x) #x
#define TW_DOTTED(major, minor, patch) TW_TEXT(major) "." TW_TEXT(minor) "." TW_TEXT(patch)
    return TW_DOTTED(TILEWRIGHT_VERSION_MAJOR, TILEWRIGHT_VERSION_MINOR, TILEWRIGHT_VERSION_PATCH);
#undef TW_DOTTED
#undef TW_TEXT
}

namespace {

/// What is left of a product without terms, done where C lives.
Status finish_anywhere(const Matrix& c, const Options& options) noexcept {
    const Place place = place_of(c.data);
    for (const BackendSource& source : backends())
        if (source.place == place && place != Place::host)
            return source().finish(c, options.beta, options.epilogue, options.stream);
    const IeeeMode mode;
    finish(c, options.beta, options.epilogue);
    return {};
}

/// One address space for all three: a device's kernel can't read the host's memory, nor the other way round.
Status check_places(const Matrix& a, const Matrix& b, const Matrix& c) noexcept {
    constexpr const char* text = "it lives on another device than C";
    const Place place = place_of(c.data);
    if (place_of(a.data) != place) return {Code::bad_argument, Argument::a, text};
    if (place_of(b.data) != place) return {Code::bad_argument, Argument::b, text};
    return {};
}

}  // namespace

Status try_multiply(const Matrix& a, const Matrix& b, const Matrix& c, const Options& options) noexcept {
    if (const Status bad = check_operands(a, b, c, options); !bad) return bad;
    if (c.rows == 0 || c.cols == 0) return {};
    if (options.alpha == 0 || a.cols == 0) {
        return finish_anywhere(c, options);
    }
    if (const Status apart = check_places(a, b, c); !apart) return apart;
    Plan plan;
    if (const Status none = try_plan(problem_of(a, b, c, options), options, plan); !none) return none;
    return plan.try_run(a, b, c);
}

void check(const Status& status, const Matrix& a, const Matrix& b, const Matrix& c, const Options& options) {
    if (!status) throw Error(status, explain(status, a, b, c, options));
}

}  // namespace tw
