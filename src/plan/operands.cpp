// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "plan/operands.hpp"

#include "base/element.hpp"
#include "base/narrow_runs.hpp"
#include "plan/registry.hpp"

namespace tw {
Place place_of(const void* memory) noexcept {
    for (const BackendSource& source : backends())
        if (source.owns && source.owns(memory)) return source.place;
    return Place::host;
}

Problem problem_at(Place place, const Matrix& a, const Matrix& b, const Matrix& c, const Options& options) noexcept {
    return {.m = c.rows,
            .n = c.cols,
            .k = a.cols,
            .in = a.type,
            .out = c.type,
            .place = place,
            .accuracy = options.accuracy,
            .a = form_of(a),
            .b = form_of(b),
            .c = form_of(c)};
}

Status check_types(Type in, const Options& options) noexcept {
    const auto bad = [](const char* text) { return Status{Code::unsupported, Argument::options, text}; };
    if (!is_complex(in)) {
        if (options.alpha_imag == 0 && options.beta_imag == 0) return {};
        return {Code::bad_argument, Argument::options,
                "alpha and beta of real operands are real: alpha_imag and beta_imag must be 0"};
    }
    const Epilogue& epilogue = options.epilogue;
    if (epilogue.bias || epilogue.activation != Activation::none)
        return bad("the epilogue of a complex product has a scale and a residual, but no bias and no activation");
    if (options.verify) return bad("complex products are not verified: that is for real ones");
    if (options.device.ends_with(":*")) return bad("complex products are one device's: `:*` is for real ones");
    return {};
}

Place PlaceCache::ask(const void* memory) noexcept {
    place_ = place_of(memory);
    allocation_ = {};
    for (const BackendSource& source : backends())
        if (source.place == place_ && source.allocation) allocation_ = source.allocation(memory);
    return place_;
}

void convert(const Matrix& to, const Matrix& from) noexcept {
    if (to.type == Type::f32 && is_narrow(from.type)) return widen_matrix(to, from);
    if (is_narrow(to.type) && from.type == Type::f32) return round_matrix(to, from);
    if (is_complex(to.type)) {
        for (std::int64_t i = 0; i < to.rows; ++i)
            for (std::int64_t j = 0; j < to.cols; ++j) store_complex(to, i, j, load_complex(from, i, j));
        return;
    }
    for (std::int64_t i = 0; i < to.rows; ++i)
        for (std::int64_t j = 0; j < to.cols; ++j) store_element(to, i, j, load_element(from, i, j));
}

}  // namespace tw
