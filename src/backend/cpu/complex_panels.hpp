// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// How whole complex operands are laid out ahead of time for a micro-kernel, and where its panels lie then.
#pragma once

#include "backend/cpu/micro/pack_complex.hpp"
#include "backend/cpu/panels/macro_kernel.hpp"
#include "backend/cpu/product/blocks.hpp"

namespace tw::cpu {

template <class T>
using Complex = std::complex<T>;

/// k is cut as the real product of twice its terms is: into whole pairs.
template <class T>
constexpr std::int64_t complex_k_block(std::int64_t k) noexcept {
    static_assert(KC<T> % 8 == 0);
    return k_block<T>(2 * k) / 2;
}

template <class T, const ComplexKernel<T>& micro>
struct ComplexPanels {
    static std::size_t panel_bytes(int width, std::int64_t k) {
        return static_cast<std::size_t>(2 * width * k) * sizeof(T);
    }
    static void pack_a(const Matrix& rows, std::byte* panel, std::size_t) {
        pack_complex(micro, typed<const Complex<T>>(rows), micro.mr, reinterpret_cast<T*>(panel));
    }
    static void pack_b(const Matrix& cols, std::byte* panel, std::size_t) {
        pack_complex(micro, typed<const Complex<T>>(cols.transposed()), micro.nr, reinterpret_cast<T*>(panel));
    }
    static PanelKernel kernel() {
        return {micro.mr, micro.nr, complex_k_block<T>, panel_bytes, pack_a, pack_b, nullptr};
    }

    static std::size_t packed_bytes(Type, std::int64_t width, std::int64_t k, bool on_left) {
        return hierarchy_packed_bytes(kernel(), width, k, on_left);
    }
    static void pack(const Matrix& operand, bool on_left, const Call& threads, std::byte* to) {
        pack_hierarchy(kernel(), operand, on_left, threads, to);
    }
    static constexpr Packing packing{packed_bytes, pack};
};

/// A call's packed operand.
template <class T, const ComplexKernel<T>& micro>
struct ReadyComplexPanels {
    bool is_a, is_b;

    explicit ReadyComplexPanels(const Call& call)
        : is_a(call.packed.panels && call.packed.on_left),
          is_b(call.packed.panels && !is_a),
          panels_(call.packed.panels),
          whole_(ComplexPanels<T, micro>::kernel(), is_a ? call.m() : call.n(), call.k(), is_a) {}
    const T* panel(std::int64_t p, std::int64_t line) const {
        return reinterpret_cast<const T*>(panels_ + whole_.offset(p, line));
    }

private:
    const std::byte* panels_;
    PackedOperand whole_;
};

}  // namespace tw::cpu
