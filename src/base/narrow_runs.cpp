// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "base/narrow_runs.hpp"

#include "base/cpu_features.hpp"
#include "base/element.hpp"
#include "base/rounding.hpp"

namespace tw {
namespace {

constexpr NarrowRuns none{};

const NarrowRuns& runs() noexcept {
#if defined(__x86_64__)
    if (cpu_features() & cpu_feature::avx2) return narrow_runs_avx2;
#elif defined(__aarch64__)
    if (cpu_features() & cpu_feature::neon) return narrow_runs_neon;
#endif
    return none;
}

template <class From>
void widen_each(const From* source, std::int64_t count, float* to) noexcept {
    for (std::int64_t i = 0; i < count; ++i) to[i] = widen(source[i]);
}

/// Row by row where both lie along rows, else one by one.
void by_runs(const Matrix& to, const Matrix& from, const auto& run) noexcept {
    if (to.col_step == 1 && from.col_step == 1) {
        for (std::int64_t i = 0; i < to.rows; ++i) run(from.at(i, 0), to.cols, to.at(i, 0));
        return;
    }
    for (std::int64_t i = 0; i < to.rows; ++i)
        for (std::int64_t j = 0; j < to.cols; ++j) run(from.at(i, j), std::int64_t{1}, to.at(i, j));
}

template <class From, class To>
bool by_rows(const Matrix& to, const Matrix& from, NarrowRuns::Rows<From, To> native) noexcept {
    if (!native || to.col_step != 1 || from.col_step != 1) return false;
    native(static_cast<const From*>(from.data), from.row_step, to.rows, to.cols, static_cast<To*>(to.data),
           to.row_step);
    return true;
}

}  // namespace

void widen_run(Type from, const void* source, std::int64_t count, float* to) noexcept {
    const NarrowRuns& native = runs();
    if (from == Type::f16) {
        const auto* const f16 = static_cast<const float16*>(source);
        return native.widen_f16 ? native.widen_f16(f16, 0, 1, count, to, 0) : widen_each(f16, count, to);
    }
    const auto* const bf16 = static_cast<const bfloat16*>(source);
    native.widen_bf16 ? native.widen_bf16(bf16, 0, 1, count, to, 0) : widen_each(bf16, count, to);
}

void round_run(Type to, const float* source, std::int64_t count, void* target) noexcept {
    const NarrowRuns& native = runs();
    if (to == Type::f16) {
        auto* const f16 = static_cast<float16*>(target);
        if (native.round_f16) return native.round_f16(source, 0, 1, count, f16, 0);
        for (std::int64_t i = 0; i < count; ++i) f16[i] = to_float16(source[i]);
        return;
    }
    auto* const bf16 = static_cast<bfloat16*>(target);
    if (native.round_bf16) return native.round_bf16(source, 0, 1, count, bf16, 0);
    for (std::int64_t i = 0; i < count; ++i) bf16[i] = to_bfloat16(source[i]);
}

void widen_matrix(const Matrix& to, const Matrix& from) noexcept {
    if (to.row_step == 1 && from.row_step == 1 && to.col_step != 1)
        return widen_matrix(to.transposed(), from.transposed());
    if (from.type == Type::f16 ? by_rows(to, from, runs().widen_f16) : by_rows(to, from, runs().widen_bf16)) return;
    by_runs(to, from, [&](const void* source, std::int64_t count, void* target) {
        widen_run(from.type, source, count, static_cast<float*>(target));
    });
}

void round_matrix(const Matrix& to, const Matrix& from) noexcept {
    if (to.row_step == 1 && from.row_step == 1 && to.col_step != 1)
        return round_matrix(to.transposed(), from.transposed());
    if (to.type == Type::f16 ? by_rows(to, from, runs().round_f16) : by_rows(to, from, runs().round_bf16)) return;
    by_runs(to, from, [&](const void* source, std::int64_t count, void* target) {
        round_run(to.type, static_cast<const float*>(source), count, target);
    });
}

}  // namespace tw
