// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// How whole operands are laid out ahead of time for a micro-kernel: in panels of its own elements, or of narrow ones,
// which are widened when they are met.
#pragma once

#include "backend/cpu/micro/pack_narrow.hpp"
#include "backend/cpu/panels/macro_kernel.hpp"
#include "backend/cpu/product/blocks.hpp"

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
