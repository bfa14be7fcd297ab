// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "backend/cuda/async/job.hpp"

#include "backend/cuda/device/tensor_map.hpp"

namespace tw::cuda {

Status describe_operand(CUtensorMap& map, const Job& job, bool is_a, int rows) noexcept {
    const AlignedRows& lies = is_a ? job.a : job.b;
    const Depth& depth = is_a ? job.mapped.a : job.mapped.b;
    const std::int64_t width = is_a ? job.m() : job.n(), k = job.call.k();
    const Type type = job.call.a.type;
    const BoxedMatrix boxes{.data = lies.data,
                            .type = type,
                            .inner = lies.across ? width : k,
                            .outer = lies.across ? k : width,
                            .row_bytes = lies.step * static_cast<std::int64_t>(size_of(type)),
                            .box_inner = job.depth(),
                            .box_outer = rows,
                            .depth = job.is_deep() ? depth.extent : 0,
                            .depth_bytes = depth.bytes,
                            .rounds_to_tf32 = type == Type::f32};
    return describe(map, boxes);
}

Status describe_c(CUtensorMap& map, const Job& job) noexcept {
    const bool turned = job.call.c.col_step != 1;  // its columns are contiguous
    const Matrix c = turned ? job.call.c.transposed() : job.call.c;
    const auto size = static_cast<std::int64_t>(size_of(c.type));
    return describe(map, {.data = job.mapped.c.first,
                          .type = c.type,
                          .inner = c.cols,
                          .outer = c.rows,
                          .row_bytes = c.row_step * size,
                          .box_inner = static_cast<int>(128 / size),
                          .box_outer = 16,
                          .depth = job.is_deep() ? job.mapped.c.extent : 0,
                          .depth_bytes = job.mapped.c.bytes});
}

bool goes_by_group(const Call& call, const Depth& c) noexcept {
    const auto size = static_cast<std::int64_t>(size_of(call.c.type));
    return call.c.col_step == 1 && suits_tma(c.first, call.c.row_step * size) && c.bytes % 16 == 0;
}

bool goes_by_box(const Job& job) noexcept {
    const auto size = static_cast<std::int64_t>(size_of(job.call.c.type));
    return goes_by_group(job.call, job.mapped.c) && job.n() * size % 16 == 0;
}

bool ends_plainly(const Job& job) noexcept {
    const Call& call = job.call;
    return goes_by_box(job) && size_of(call.c.type) == 2 && call.c.type == call.a.type && call.beta == 0 &&
           call.epilogue.is_empty();
}

}  // namespace tw::cuda
