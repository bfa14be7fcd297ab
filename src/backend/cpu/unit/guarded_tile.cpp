// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "backend/cpu/unit/guarded_tile.hpp"

#include <algorithm>

#include "backend/cpu/micro/micro_kernel.hpp"
#include "backend/cpu/micro/pack.hpp"
#include "backend/cpu/product/product.hpp"
#include "base/cpu_features.hpp"
#include "base/rounding.hpp"

namespace tw::cpu {
namespace {

/// Chosen by the machine and not by the row, so that all rows give marked elements the same bits.
const MicroKernel<float>& micro() noexcept {
#if defined(__x86_64__)
    if (cpu_features() & cpu_feature::avx512) return micro_avx512_f32;
    if (cpu_features() & cpu_feature::avx2) return micro_avx2_f32;
#elif defined(__aarch64__)
    return micro_neon_f32;
#endif
    return micro_portable_f32;
}

std::uint32_t marked(const std::byte* panel, std::int64_t rows) noexcept {
    const auto all = static_cast<std::uint32_t>((std::uint64_t{1} << rows) - 1);
    return reinterpret_cast<const PanelHeader*>(panel)->outside & all;
}

bool is_all(std::uint32_t marks, std::int64_t rows) noexcept { return marks == (std::uint64_t{1} << rows) - 1; }

/// At most 32 rows x guarded_chunk, side by side for the micro-kernel.
void lay(const Matrix& rows, float* to) noexcept {
    if (rows.type == Type::f32) return pack_panel(typed<const float>(rows), unit_side, to);
    const auto narrow = typed<const bfloat16>(rows);
    for (std::int64_t p = 0; p < rows.cols; ++p)
        for (std::int64_t w = 0; w < rows.rows; ++w) to[p * unit_side + w] = widen(narrow(w, p));
}

void sums_by_fma(const Matrix& a, const Matrix& b, float* sums) noexcept {
    alignas(64) float a_panel[guarded_chunk * unit_side], b_panel[guarded_chunk * unit_side];
    alignas(64) float of_group[unit_side * unit_side];
    const MicroKernel<float>& kernel = micro();
    for (std::int64_t p = 0; p < a.cols; p += guarded_chunk) {
        const std::int64_t depth = std::min(guarded_chunk, a.cols - p), in_group = p % guarded_group;
        float* const to = p < guarded_group ? sums : of_group;
        lay(a.block(0, p, a.rows, depth), a_panel);
        lay(b.block(p, 0, depth, b.cols).transposed(), b_panel);
        for (std::int64_t i = 0; i < a.rows; i += kernel.mr)
            for (std::int64_t j = 0; j < b.cols; j += kernel.nr)
                kernel.run({.k = depth,
                            .a = a_panel + i,
                            .a_row_step = 1,
                            .a_step = unit_side,
                            .b = b_panel + j,
                            .b_step = unit_side,
                            .c = to + i * unit_side + j,
                            .c_step = unit_side,
                            .alpha = 1,
                            .beta = in_group == 0 ? 0.0f : 1.0f,
                            .rows = static_cast<int>(std::min<std::int64_t>(kernel.mr, a.rows - i)),
                            .cols = static_cast<int>(std::min<std::int64_t>(kernel.nr, b.cols - j))});
        if (to == of_group && (in_group + guarded_chunk == guarded_group || p + depth == a.cols))
            for (std::int64_t i = 0; i < a.rows; ++i)
                for (std::int64_t j = 0; j < b.cols; ++j) sums[i * unit_side + j] += of_group[i * unit_side + j];
    }
}

void replace_marked(const PanelTile& t, std::uint32_t rows, std::uint32_t cols, float* sums) noexcept {
    alignas(64) float by_fma[unit_side * unit_side];
    sums_by_fma(t.a_rows, t.b_cols, by_fma);
    for (std::int64_t i = 0; i < t.c.rows; ++i)
        for (std::int64_t j = 0; j < t.c.cols; ++j)
            if ((rows >> i | cols >> j) & 1u) sums[i * unit_side + j] = by_fma[i * unit_side + j];
}

/// What Product::finish makes of f32, rounded once.
void finish_narrow(const View<bfloat16>& c, const float* sums, float alpha, float beta) noexcept {
    for (std::int64_t i = 0; i < c.rows; ++i)
        for (std::int64_t j = 0; j < c.cols; ++j) {
            const float x = alpha * sums[i * unit_side + j];
            c(i, j) = to_bfloat16(beta == 0 ? x : x + beta * widen(c(i, j)));
        }
}

/// The last tile's sums and where they go; and where those of the tile will go that is being computed.
struct Waiting {
    UnitSums sums;
    UnitResult results[2];
    int last;  ///< of the two, the one that waits
};

}  // namespace

PanelSource panel_source(const Matrix& rows, std::size_t room) noexcept {
    return {rows.data, rows.type == Type::bf16, rows.row_step, rows.col_step, static_cast<int>(rows.rows), rows.cols,
            room};
}

void multiply_guarded(void (*add_to_c)(const UnitResult&), void (*multiply)(const UnitTile&),
                      const PanelTile& t) noexcept {
    static_assert(sizeof(Waiting) <= sizeof t.state->of_the_kernel);
    const std::uint32_t rows = marked(t.a, t.c.rows), cols = marked(t.b, t.c.cols);
    const bool is_contiguous = t.c.col_step == 1;
    const auto alpha = static_cast<float>(t.alpha), beta = static_cast<float>(t.beta);
    const auto c_rows = static_cast<int>(t.c.rows), c_cols = static_cast<int>(t.c.cols);
    const auto tile = [&](const Chunk& chunk, const UnitResult* waiting, const UnitResult& next) {
        return UnitTile{t.chunk.k, chunk.from, chunk.to(),      t.a,     t.b,          t.is_turned,
                        waiting,   next,       chunk.is_last(), t.ahead, t.ahead_bytes};
    };
    // What a chunk gives goes on top of those before it; the last one takes all of them to C.
    const bool is_narrow = t.c.type == Type::bf16;
    const auto set = [&](UnitResult& made, const Chunk& chunk, UnitSums& sums, void* c, bool narrow,
                         std::int64_t c_step, float by, float old) {
        const bool is_last = chunk.is_last(), is_first = chunk.is_first();
        made.sums = &sums;
        made.is_held = t.state != nullptr;
        made.partial = is_last && !is_first ? chunk.partial : nullptr;
        made.a = t.a;
        made.b = t.b;
        made.c = is_last ? static_cast<std::byte*>(c) : reinterpret_cast<std::byte*>(chunk.partial);
        made.c_is_narrow = is_last && narrow;
        made.c_step = is_last ? c_step : unit_side;
        made.rows = c_rows;
        made.cols = c_cols;
        made.alpha = is_last ? by : 1.0f;
        made.beta = is_last ? old : is_first ? 0.0f : 1.0f;
    };
    if (t.state && is_contiguous && !rows && !cols) {
        auto& waiting = *reinterpret_cast<Waiting*>(t.state->of_the_kernel);
        // In passing go results of whole width; those at C's edge are few.
        if (t.state->is_waiting && waiting.results[waiting.last].cols < t.width)
            finish_waiting_guarded(add_to_c, *t.state);
        const UnitResult* const before = t.state->is_waiting ? &waiting.results[waiting.last] : nullptr;
        waiting.last = before ? 1 - waiting.last : 0;
        UnitResult& next = waiting.results[waiting.last];
        set(next, t.chunk, waiting.sums, t.c.data, is_narrow, t.c.row_step, alpha, beta);
        multiply(tile(t.chunk, before, next));
        t.state->is_waiting = true;
        return;
    }
    if (t.state && t.state->is_waiting) finish_waiting_guarded(add_to_c, *t.state);
    if (!t.chunk.is_last()) return;

    UnitSums unit_sums;
    alignas(64) float sums[unit_side * unit_side];
    if (!is_all(rows, t.c.rows) && !is_all(cols, t.c.cols)) {
        for (Chunk chunk{0, t.chunk.length, t.chunk.k, t.chunk.partial}; chunk.from < chunk.k;
             chunk.from += chunk.length) {
            UnitResult here;
            set(here, chunk, unit_sums, sums, false, unit_side, 1, 0);
            multiply(tile(chunk, nullptr, here));
            add_to_c(here);
        }
    }
    if (rows | cols) replace_marked(t, rows, cols, sums);
    if (is_narrow) return finish_narrow(typed<bfloat16>(t.c), sums, alpha, beta);
    const Product<float> product{{}, {}, typed<float>(t.c), alpha, beta};
    for (std::int64_t i = 0; i < t.c.rows; ++i)
        for (std::int64_t j = 0; j < t.c.cols; ++j) product.finish(i, j, sums[i * unit_side + j]);
}

void finish_waiting_guarded(void (*add_to_c)(const UnitResult&), TileState& state) noexcept {
    const auto& waiting = *reinterpret_cast<const Waiting*>(state.of_the_kernel);
    add_to_c(waiting.results[waiting.last]);
    state.is_waiting = false;
}

}  // namespace tw::cpu
