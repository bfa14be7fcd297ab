// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// r9's tf32 where an operand lies across k: the unit takes its second operand along k alone, and its first from
// registers, too, where it may have lain in any way.
#pragma once

#include "backend/cuda/operands/aligned.hpp"
#include "backend/cuda/operands/batched.hpp"
#include "backend/cuda/operands/problem_of.hpp"
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

/// For the sums of blocks that share all tiles' steps, where k is cut so.
inline std::size_t bytes_of_shares(const Problem& p) noexcept {
    const sm90::Sizes sizes{p.m, p.n, p.k, 1, multiprocessors()};
    return p.in == Type::f32 && sm90::parts_of_choice(sizes, p.a, p.b) == sm90::in_shares ? sm90::bytes_of_shares : 0;
}
inline std::size_t bytes_of_shares(const Call& call, const Tile& asked) noexcept {
    if (call.a.type != Type::f32 || call.reproducible || products_of(call) > 1) return 0;
    if (asked == Tile{}) return bytes_of_shares(problem_of(call));
    return sm90::is_shared({asked.m, asked.n, asked.k / 2 * 2}) ? sm90::bytes_of_shares : 0;
}
/// Where they begin behind so many bytes.
constexpr std::size_t behind(std::size_t bytes) { return (bytes + 255) / 256 * 256; }
inline void* sums_of_shares(const Call& call, std::size_t before) noexcept {
    return call.scratch.size() >= behind(before) + sm90::bytes_of_shares ? call.scratch.data() + behind(before)
                                                                         : nullptr;
}

/// `given`: one that has a first operand across k, or both along it; bias_down: it is seen from C's other side, so that
/// a bias goes down its rows. Its scratch has across_bytes. sums: room for bytes_of_shares, or null: none are shared.
Status run_across(const Call& given, bool bias_down, bool along, const Tile& asked, void* sums);

}  // namespace tw::cuda
