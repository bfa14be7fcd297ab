// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// How whole operands are laid out ahead of time for a micro-kernel: in panels of its own elements, or of narrow ones,
// which are widened when they are read.
#pragma once

#include "backend/cpu/hierarchy_cost.hpp"
#include "backend/cpu/micro/pack_narrow.hpp"
#include "backend/cpu/micro/tile_of_c.hpp"
#include "backend/cpu/panels/macro_kernel.hpp"
#include "backend/cpu/panels/shared_panels.hpp"
#include "backend/cpu/product/blocks.hpp"
#include "backend/cpu/product/parallel.hpp"

namespace tw::cpu {

template <class T, const MicroKernel<T>& micro>
struct OwnPanels {
    template <std::size_t size>
    static std::size_t panel_bytes(int width, std::int64_t k) {
        return static_cast<std::size_t>(width * k) * size;
    }
    static void pack_panel_of(const Matrix& lines, int width, std::byte* panel) {
        if (is_narrow(lines.type)) return pack_narrow(lines, width, panel);
        pack_panels(micro, typed<const T>(lines), width, reinterpret_cast<T*>(panel));
    }
    static void pack_a(const Matrix& rows, std::byte* panel, std::size_t) { pack_panel_of(rows, micro.mr, panel); }
    static void pack_b(const Matrix& cols, std::byte* panel, std::size_t) {
        pack_panel_of(cols.transposed(), micro.nr, panel);
    }
    static PanelKernel kernel(Type type) {
        return {micro.mr, micro.nr, k_block<T>, is_narrow(type) ? panel_bytes<2> : panel_bytes<sizeof(T)>,
                pack_a,   pack_b,   nullptr};
    }

    static std::size_t packed_bytes(Type type, std::int64_t width, std::int64_t k, bool on_left) {
        return hierarchy_packed_bytes(kernel(type), width, k, on_left);
    }
    static void pack(const Matrix& operand, bool on_left, const Call& threads, std::byte* to) {
        pack_hierarchy(kernel(operand.type), operand, on_left, threads, to);
    }
    static constexpr Packing packing{packed_bytes, pack};
};

/// The panels of one product as the macro-kernel of many threads takes them: narrow operands are widened on their way.
template <class T, const MicroKernel<T>& micro>
struct SharedOwnPanels {
    static PanelKernel kernel(const SlabSteps* slabs = nullptr) {
        PanelKernel made{micro.mr, micro.nr, k_block<T>, panel_bytes, pack_a, pack_b, multiply};
        made.slabs = slabs;
        made.panels_at_once = 4;  // each row of B may lie on a page of its own
        made.walks_rows = true;
        return made;
    }
    /// Half of the columns of one thread's block: a cell of C stays in L2 beside their panels.
    static Tile blocks(const Tile& of_row) { return {0, of_row.n / 2, of_row.k}; }

    static Status run(Call call, int workers, const Tile& of_row, const SlabSteps* slabs) {
        call.threads = workers;
        return run_on_shared_panels(kernel(slabs), call, blocks(of_row));
    }
    static std::size_t bytes_in_slabs(const Problem& p, const Tile& of_row, int threads, int nodes) {
        const int workers = workers_for(p.m, p.n, p.k, threads);
        if (!shares_panels(p.m, p.n, p.k, workers)) return 0;
        return shared_panels_bytes_in_slabs(kernel(), p, blocks(of_row), workers, nodes);
    }

private:
    static void pack_a(const Matrix& rows, std::byte* panels, std::size_t room) {
        pack_lines(rows, micro.mr, panels, room);
    }
    static void pack_b(const Matrix& cols, std::byte* panels, std::size_t room) {
        pack_lines(cols.transposed(), micro.nr, panels, room);
    }
    /// All together where one panel ends as the next begins: each step along k may lie on a page of its own.
    static void pack_lines(const Matrix& lines, int width, std::byte* panels, std::size_t room) {
        const std::int64_t some = panel_bytes(width, lines.cols) == room ? lines.rows : width;
        for (std::int64_t i = 0; i < lines.rows; i += some, panels += room)
            pack_any(micro, lines.block(i, 0, std::min(some, lines.rows - i), lines.cols), width,
                     reinterpret_cast<T*>(panels));
    }
    static std::size_t panel_bytes(int width, std::int64_t k) {
        return static_cast<std::size_t>(width * k) * sizeof(T);
    }
    static void multiply(const PanelTile& t) {
        MicroTile<T> tile{.k = t.chunk.k,
                          .a = reinterpret_cast<const T*>(t.a),
                          .a_row_step = 1,
                          .a_step = micro.mr,
                          .b = reinterpret_cast<const T*>(t.b),
                          .b_step = micro.nr,
                          .c = nullptr,
                          .c_step = 0,
                          .alpha = static_cast<T>(t.alpha),
                          .beta = static_cast<T>(t.beta),
                          .rows = 0,
                          .cols = 0};
        constexpr std::int64_t line = 64 / std::int64_t{sizeof(T)};
        tile.ahead = reinterpret_cast<const T*>(t.ahead), tile.ahead_step = line;
        tile.ahead_rows = static_cast<std::int64_t>(t.ahead_bytes) / 64, tile.ahead_lines = 1;
        run_tile_in_slabs(micro, tile, typed<T>(t.c), t.slabs);
    }
};

/// A call's packed operand, panel by panel.
template <class T, const MicroKernel<T>& micro>
class ReadyPanels {
public:
    explicit ReadyPanels(const Call& call)
        : packed_(call.packed),
          whole_(OwnPanels<T, micro>::kernel(call.packed.type), call.packed.on_left ? call.m() : call.n(), call.k(),
                 call.packed.on_left) {}

    /// The panel of row or column `line` of the block of k at p, `depth` steps of it. A narrow one is widened into
    /// `room`.
    const T* panel(std::int64_t p, std::int64_t line, std::int64_t depth, T* room) const {
        const std::byte* const at = packed_.panels + whole_.offset(p, line);
        if constexpr (sizeof(T) == sizeof(float))
            if (is_narrow(packed_.type)) {
                widen_run(packed_.type, at, whole_.width * depth, room);
                return room;
            }
        return reinterpret_cast<const T*>(at);
    }

private:
    const PackedPanels& packed_;
    PackedOperand whole_;
};

}  // namespace tw::cpu
