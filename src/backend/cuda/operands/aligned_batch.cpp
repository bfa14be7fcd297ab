// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "backend/cuda/operands/aligned_batch.hpp"

#include <algorithm>

#include "backend/cuda/operands/aligned.hpp"
#include "backend/cuda/operands/copied_rows.hpp"

namespace tw::cuda {
namespace {

/// Elements from one row of a copy to the next: rows begin at 16 bytes.
std::int64_t padded(std::int64_t length, Type type) {
    const auto in_16_bytes = static_cast<std::int64_t>(16 / size_of(type));
    return (length + in_16_bytes - 1) / in_16_bytes * in_16_bytes;
}
std::size_t padded_bytes(std::int64_t rows, std::int64_t length, Type type) {
    return (static_cast<std::size_t>(rows * padded(length, type)) * size_of(type) + 127) / 128 * 128;
}

/// All products of an operand, along k or across it; tf32 is multiplied along k alone.
bool lies(const BatchedOperand& operand, bool is_right) {
    Depth depth;
    if (!depth_of(operand, depth)) return false;
    const Matrix rows = is_right ? operand.first.transposed() : operand.first;
    return is_aligned(rows, depth.first) || (rows.type != Type::f32 && is_aligned(rows.transposed(), depth.first));
}

/// The operand becomes its copies, along memory as it lies, but for f32 across k. False where scratch ends.
bool align(const BatchedOperand& operand, bool is_right, const Places& places, std::span<std::byte>& scratch,
           Matrix& matrix, std::int64_t& step, CopiedRows& copy) {
    const Matrix rows = is_right ? operand.first.transposed() : operand.first;
    const bool across = rows.type != Type::f32 && rows.col_step != 1 && rows.row_step == 1;
    const Matrix as_read = across ? rows.transposed() : rows;
    const std::size_t bytes = padded_bytes(as_read.rows, as_read.cols, rows.type),
                      all = bytes * static_cast<std::size_t>(operand.count());
    if (scratch.size() < all) return false;
    copy = {.from = as_read,
            .to = scratch.data(),
            .pitch = padded(as_read.cols, rows.type),
            .products = operand.count(),
            .from_bytes = is_right ? places.b_bytes : places.a_bytes,
            .to_bytes = static_cast<std::int64_t>(bytes),
            .addresses = operand.pointers ? places.addresses + (is_right ? places.size : 0) : nullptr};
    scratch = scratch.subspan(all);
    matrix.data = copy.to;
    const bool along = across == is_right;  // the copy's rows are the operand's
    matrix.row_step = along ? copy.pitch : 1, matrix.col_step = along ? 1 : copy.pitch;
    step = operand.count() > 1 ? copy.to_bytes / static_cast<std::int64_t>(size_of(matrix.type)) : 0;
    return true;
}

/// Of all products; 0 where forms, sizes and steps say that the operand lies as it should.
std::size_t bytes_of(const Problem& p, const Batch& batch, bool is_right) {
    const Form form = is_right ? p.b : p.a, along_k = is_right ? Form::col_major : Form::row_major;
    const std::int64_t width = is_right ? p.n : p.m, step = is_right ? batch.b_step : batch.a_step,
                       in_16_bytes = static_cast<std::int64_t>(16 / size_of(p.in));
    const bool by_pointer = is_right ? batch.b != nullptr : batch.a != nullptr,
               rows_fit = form == along_k ? p.k % in_16_bytes == 0
                                          : p.in != Type::f32 && form != Form::strided && width % in_16_bytes == 0;
    if (rows_fit && (by_pointer || step % in_16_bytes == 0)) return 0;
    const std::int64_t count = by_pointer || step != 0 ? batch.size : 1;
    return std::max(padded_bytes(width, p.k, p.in), padded_bytes(p.k, width, p.in)) * static_cast<std::size_t>(count);
}

}  // namespace

bool can_align_batch(const Call& call) noexcept {
    const Problem p{.m = call.m(),
                    .n = call.n(),
                    .k = call.k(),
                    .in = call.a.type,
                    .out = call.c.type,
                    .place = Place::cuda,
                    .a = form_of(call.a),
                    .b = form_of(call.b)};
    return (lies(a_of(call), false) || bytes_of(p, *call.batch, false) > 0) &&
           (lies(b_of(call), true) || bytes_of(p, *call.batch, true) > 0);
}

std::size_t aligned_batch_bytes(const Problem& p, const Tile& tile, const Batch& batch) noexcept {
    const std::size_t copies = bytes_of(p, batch, false) + bytes_of(p, batch, true),
                      places = places_bytes(p, tile, batch);
    return copies + (copies > 0 ? 2 : 1) * places;
}

Status align_batch(Call& call, Batch& aligned, bool& possible) noexcept {
    const BatchedOperand a = a_of(call), b = b_of(call);
    const bool a_lies = lies(a, false), b_lies = lies(b, true);
    possible = true;
    if (a_lies && b_lies) return {};
    std::span<std::byte> scratch = call.scratch;
    possible = scratch.size() >= places_bytes({}, {}, *call.batch);
    if (!possible) return {};
    Places places;
    if (const Status bad = place_products(call, scratch, places); !bad) return bad;
    aligned = *call.batch;
    CopiedRows copies[2];
    std::size_t count = 0;
    if (!a_lies) {
        possible = align(a, false, places, scratch, call.a, aligned.a_step, copies[count++]);
        aligned.a = nullptr;
    }
    if (!b_lies && possible) {
        possible = align(b, true, places, scratch, call.b, aligned.b_step, copies[count++]);
        aligned.b = nullptr;
    }
    if (!possible) return {};
    call.batch = &aligned, call.scratch = scratch;
    return copy_rows({copies, count}, call.stream);
}

}  // namespace tw::cuda
