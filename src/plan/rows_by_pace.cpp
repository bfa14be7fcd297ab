// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "plan/rows_by_pace.hpp"

#include "base/cpu_core.hpp"
#include "base/cpu_features.hpp"
#include "plan/eligibility.hpp"

namespace tw {
namespace {

/// One core of a Sapphire Rapids, as fitted to 59 shapes of both types.
constexpr Pace long_vectors{
    .strips = {.product = 0.0175, .byte = 0.08, .product_along_k = 0.0175, .byte_along_k = 0.105, .result_byte = 0.35},
    .panels = {.product = 0.0153, .byte = 0.11, .product_along_k = 0.0153, .byte_along_k = 0.14, .result_byte = 0.08},
    .passing = {.product = 0.0173, .byte = 0.105, .product_along_k = 0.0173, .byte_along_k = 0.12, .result_byte = 0.21},
};

/// Smaller operands stay near, however they are met: as timed where L2 has 2 MiB.
bool come_from_afar(const Problem& p) noexcept {
    constexpr double products = 1 << 18, bytes = 300 << 10;
    const auto m = static_cast<double>(p.m), n = static_cast<double>(p.n), k = static_cast<double>(p.k);
    return m * n * k >= products && (m * n + (m + n) * k) * static_cast<double>(size_of(p.in)) >= bytes;
}

/// Some rows of C, as it lies: fewer have tiles that read B as it comes, more meet panels.
bool are_some_rows(std::int64_t rows, std::int64_t cols) noexcept {
    constexpr std::int64_t fewest = 7, most = 95;
    return rows >= fewest && rows <= most && cols > rows;
}

/// How much longer strips take where the rows of B that they read fight for one set of L1: as timed with 8 and 12 ways.
double fighting(std::int64_t cols, int size, bool along_k) noexcept {
    constexpr std::int64_t apart = 4096;
    return !along_k && cols * size % apart == 0 ? 1.4 : 1;
}

/// By the kernels' own prices.
const Kernel* cheapest_of(Rung rung, const Backend& backend, const Problem& p, int order) noexcept {
    const Kernel* best = nullptr;
    for (const Kernel* const kernel : backend.ladder)
        if (kernel->rung == rung && kernel->order == order && kernel->in == p.in &&
            fits(backend.features(), *kernel, p) && keeps_promise(*kernel, p) &&
            (!best || kernel->nanoseconds(p, 1) < best->nanoseconds(p, 1)))
            best = kernel;
    return best;
}

/// Many rows of C in 64-byte vectors, as timed on a Sapphire Rapids: strips wait for the lines of an A that lies by
/// columns in each strip, if there are several; few_rows writes a C of fewer columns across.
const Kernel* of_many_rows(const Backend& backend, const Problem& p, const Kernel* chosen, std::int64_t rows,
                           std::int64_t cols, bool a_lies_well) noexcept {
    constexpr std::int64_t many = 96, fewest_columns = 7, strip_bytes = 512;
    if (rows < many || chosen->rung == Rung::hierarchical || (chosen->needs & cpu_feature::avx512) == 0) return chosen;
    const bool waits = !a_lies_well && cols * static_cast<std::int64_t>(size_of(p.in)) > strip_bytes,
               is_across = chosen->rung == Rung::none && cols >= fewest_columns && cols < rows;
    const Kernel* const panels = cheapest_of(Rung::hierarchical, backend, p, chosen->order);
    const Kernel* const strips = cheapest_of(Rung::vectorized, backend, p, chosen->order);
    if ((!waits && !is_across) || !panels || !strips) return chosen;
    return !waits && strips->nanoseconds(p, 1) < panels->nanoseconds(p, 1) ? strips : panels;
}

}  // namespace

const Pace* pace_of_rows(const Backend& backend) noexcept {
    if (backend.place != Place::host || cpu_core().splits_vectors()) return nullptr;
    if (pace().knows_rows()) return &pace();
    return (backend.features() & cpu_feature::avx512) != 0 ? &long_vectors : nullptr;
}

const Kernel* quickest_by_pace(const Backend& backend, const Problem& p, int threads, const Kernel* chosen,
                               const Pace& pace) noexcept {
    const bool turned = p.c == Form::col_major;
    const std::int64_t rows = turned ? p.n : p.m, cols = turned ? p.m : p.n;
    const Form form_of_a = turned ? p.b : p.a, form_of_b = turned ? p.a : p.b;
    const bool is_wide = (p.in == Type::f32 || p.in == Type::f64) && p.out == p.in;
    if (threads > 1 || !is_wide || chosen->order == 0 || p.c == Form::strided || form_of_a == Form::strided ||
        form_of_b == Form::strided || !come_from_afar(p))
        return chosen;
    const int size = static_cast<int>(size_of(p.in));
    if (!are_some_rows(rows, cols)) return of_many_rows(backend, p, chosen, rows, cols, form_of_a == p.c);
    const struct {
        Rung rung;
        const RowPace& pace;
    } ways[] = {{Rung::vectorized, pace.strips}, {Rung::hierarchical, pace.panels}, {Rung::none, pace.passing}};
    const bool along_k = form_of_b != p.c;
    const Kernel* best = nullptr;
    double least = 0;
    for (const auto& way : ways) {
        const Kernel* const kernel = cheapest_of(way.rung, backend, p, chosen->order);
        if (!kernel) return chosen;
        const double cost = way.pace.nanoseconds(rows, cols, p.k, size, along_k) *
                            (way.rung == Rung::vectorized ? fighting(cols, size, along_k) : 1);
        if (!best || cost < least) best = kernel, least = cost;
    }
    return best;
}

}  // namespace tw
