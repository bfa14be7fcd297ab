// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// What the kernels that read an operand across k get of a call: both operands' maps, C, and where each product of a
// batch lies.
#pragma once

#include "backend/cuda/async/across_sums.cuh"
#include "backend/cuda/async/job.hpp"
#include "backend/cuda/device/tensor_map.hpp"

namespace tw::cuda {

struct AcrossMaps {
    CUtensorMap a{}, b{}, c{};
    Elements elements{};
    Depths depths{};
};

inline Status describe_c_across(AcrossMaps& maps, const Matrix& c, const Depth& depth, bool is_deep) {
    Elements& of = maps.elements;
    of.boxes_down = c.col_step != 1;
    const Matrix lies = of.boxes_down ? c.transposed() : c;  // its columns are contiguous
    of.by_box = lies.col_step == 1 && lies.cols % 4 == 0 && depth.bytes % 16 == 0 && is_aligned(lies, of.data);
    if (!of.by_box) return {};
    return describe(maps.c, {.data = of.data,
                             .type = Type::f32,
                             .inner = lies.cols,
                             .outer = lies.rows,
                             .row_bytes = lies.row_step * 4,
                             .box_inner = 32,
                             .box_outer = 32,
                             .depth = is_deep ? depth.extent : 0,
                             .depth_bytes = depth.bytes});
}

/// `lines` of k, or rows along it, are A's, `rows` along k B's, which come b_rows a box; a batch lies as its call says,
/// without copies.
inline Status describe_across(AcrossMaps& maps, const Call& call, const Matrix& lines, const Matrix& rows, int b_rows,
                              bool bias_down) {
    Mapped mapped;
    mapped.fits(call);
    const bool is_deep = products_of(call) > 1;
    const auto map = [&](CUtensorMap& to, const Matrix& of, int box, const Depth& depth) {
        return describe(to, {.data = is_deep ? depth.first : of.data,
                             .type = Type::f32,
                             .inner = of.cols,
                             .outer = of.rows,
                             .row_bytes = of.row_step * 4,
                             .box_inner = 32,
                             .box_outer = box,
                             .depth = is_deep ? depth.extent : 0,
                             .depth_bytes = depth.bytes,
                             .rounds_to_tf32 = true});
    };
    if (const Status bad = map(maps.a, lines, 32, mapped.a); !bad) return bad;
    if (const Status bad = map(maps.b, rows, b_rows, mapped.b); !bad) return bad;
    maps.depths = {nullptr, static_cast<int>(products_of(call)), mapped.a.extent > 1, mapped.b.extent > 1,
                   mapped.c.extent > 1};
    if (const Status bad = place_depths(call, mapped.a, mapped.b, mapped.c, maps.depths); !bad) return bad;
    Matrix first = call.a, second = call.b.transposed();
    if (is_deep) first.data = mapped.a.first, second.data = mapped.b.first;
    maps.elements = {.data = static_cast<float*>(is_deep ? mapped.c.first : call.c.data),
                     .row_step = call.c.row_step,
                     .col_step = call.c.col_step,
                     .rows = static_cast<int>(call.m()),
                     .cols = static_cast<int>(call.n()),
                     .alpha = static_cast<float>(call.alpha),
                     .beta = static_cast<float>(call.beta),
                     .fused = fused(call.epilogue),
                     .bias_down = bias_down,
                     .first = tensor_of<const float>(first),
                     .second = tensor_of<const float>(second),
                     .c_bytes = mapped.c.bytes,
                     .first_bytes = mapped.a.bytes,
                     .second_bytes = mapped.b.bytes};
    return describe_c_across(maps, call.c, mapped.c, is_deep);
}

}  // namespace tw::cuda
