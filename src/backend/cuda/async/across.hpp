// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// r9's tf32 where an operand lies across k: the unit takes its second operand along k alone, and its first from
// registers, too, where it may have lain in any way.
#pragma once

#include "backend/cuda/operands/aligned.hpp"
#include "backend/cuda/operands/batched.hpp"
#include "backend/cuda/tiles/heuristics_across_sm90.hpp"

namespace tw::cuda {

/// Which operand is read across k.
inline sm90::FirstAcross first_across(const Call& call) noexcept {
    if (call.a.type != Type::f32 || call.batch) return sm90::FirstAcross::none;
    const auto first = sm90::first_across(sm90::sizes_of(call), form_of(call.a), form_of(call.b));
    if (first == sm90::FirstAcross::none) return first;
    const bool of_a = first == sm90::FirstAcross::a;
    const Matrix lines = of_a ? call.a.transposed() : call.b, rows = of_a ? call.b.transposed() : call.a;
    // TMA reads both as they lie, but for a second that lies across k, too, or begins where TMA can't: it is copied.
    return is_aligned(lines, lines.data) && form_of(rows) != Form::strided ? first : sm90::FirstAcross::none;
}

/// A batch whose B is read across k, and whose A lies along it for TMA.
inline bool is_batch_across(const Call& call) noexcept {
    if (call.a.type != Type::f32 || products_of(call) == 1 || call.epilogue.residual.data) return false;
    if (form_of(call.b) != Form::row_major || form_of(call.a) != Form::row_major) return false;
    Depth a, b, c;
    return depth_of(a_of(call), a) && depth_of(b_of(call), b) && depth_of(c_of(call), c) &&
           is_aligned(call.a, a.first) && is_aligned(call.b, b.first);
}

/// Both operands lie along k for TMA: whether the larger one's rows go through registers, too.
inline bool goes_along(const Call& call, const Tile& asked) noexcept {
    if (products_of(call) > 1) return false;
    return asked != Tile{} ? sm90::is_along(asked) : sm90::along_pays(sm90::sizes_of(call));
}

/// Scratch for the other operand, where it doesn't lie along k for TMA.
inline std::size_t across_bytes(const Call& call) noexcept {
    const Matrix rows = first_across(call) == sm90::FirstAcross::a ? call.b.transposed() : call.a;
    return is_aligned(rows, rows.data) ? 0 : turned_bytes(rows.rows, rows.cols);
}

/// `given`: one that has a first operand across k, or both along it; bias_down: it is seen from C's other side, so that
/// a bias goes down its rows. Its scratch has across_bytes.
Status run_across(const Call& given, bool bias_down, bool along, const Tile& asked);

}  // namespace tw::cuda
