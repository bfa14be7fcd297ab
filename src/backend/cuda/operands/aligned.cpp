// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "backend/cuda/operands/aligned.hpp"

#include <algorithm>

#include "backend/cuda/device/tensor_map.hpp"
#include "backend/cuda/operands/aligned_batch.hpp"
#include "backend/cuda/operands/copied_rows.hpp"
#include "backend/cuda/operands/problem_of.hpp"

namespace tw::cuda {
namespace {

/// Elements from one row of a copy to the next. TMA wants multiples of 16 bytes, but a row that begins inside of L2's
/// sectors of 32 takes it 2.5 ns, others 1.7, and one at a multiple of 128 1.4: long rows have room for that.
std::int64_t padded(std::int64_t length, Type type) {
    const auto size = static_cast<std::int64_t>(size_of(type)), whole = (length * size >= 1024 ? 128 : 32) / size;
    return (length + whole - 1) / whole * whole;
}
std::size_t padded_bytes(std::int64_t rows, std::int64_t length, Type type) {
    return (static_cast<std::size_t>(rows * padded(length, type)) * size_of(type) + 127) / 128 * 128;
}

bool lies_in_rows(const Matrix& m) {
    return m.col_step == 1 && suits_tma(m.data, m.row_step * static_cast<std::int64_t>(size_of(m.type)));
}

/// Where an operand's rows along k can be read as they lie, or what the copy of them is.
struct Way {
    bool lies, across;

    /// tf32 is multiplied along k alone.
    Way(const Matrix& rows, bool takes_across) {
        const bool may = takes_across && rows.type != Type::f32;
        lies = lies_in_rows(rows) || (may && lies_in_rows(rows.transposed()));
        across = may && !lies_in_rows(rows) && rows.row_step == 1;
    }
};

/// Few long rows are sooner turned than read across k, where tiles have 128 rows, or where a copy is needed anyhow:
/// 64 x 4096 x 4096 TN takes 15.3 us so instead of 16.7, 4096 x 100 x 4096 NN 25.4 instead of 35.9. Others are not:
/// 128 x 8192 x 8192 TN takes 38.7 as they lie, 44.8 turned.
constexpr bool is_turned_first(std::int64_t rows, std::int64_t k, bool lies_across) {
    return k >= 2048 && rows <= (lies_across ? 64 : 128);
}
/// A batch's never are.
bool is_turned_first(const Call& call, const Matrix& rows) {
    return !call.batch && is_turned_first(rows.rows, call.k(), lies_in_rows(rows.transposed()));
}

std::size_t copy_bytes(const Matrix& rows, bool takes_across) {
    const Way way(rows, takes_across);
    if (way.lies) return 0;
    const Matrix copied = way.across ? rows.transposed() : rows;
    return padded_bytes(copied.rows, copied.cols, copied.type);
}

/// Copies that are to be made, in scratch.
struct Copies {
    std::span<std::byte> scratch;
    CopiedRows all[2]{};
    std::size_t count = 0;
    bool fit = true;

    /// Of each product; its rows begin `pitch` elements apart.
    CopiedRows* add(const Matrix& rows, std::int64_t products) {
        const std::size_t bytes = padded_bytes(rows.rows, rows.cols, rows.type),
                          needed = bytes * static_cast<std::size_t>(products);
        fit = fit && scratch.size() >= needed;
        if (!fit) return nullptr;
        CopiedRows& one = all[count++] = {.from = rows,
                                          .to = scratch.data(),
                                          .pitch = padded(rows.cols, rows.type),
                                          .products = products,
                                          .to_bytes = static_cast<std::int64_t>(bytes)};
        scratch = scratch.subspan(needed);
        return &one;
    }
    Status make(void* stream) const { return copy_rows({all, count}, stream); }
};

void align(const Matrix& rows, bool takes_across, Copies& copies, AlignedRows& to) {
    const Way way(rows, takes_across);
    const Matrix as_read = way.across ? rows.transposed() : rows;
    to = {as_read.data, as_read.row_step, way.across};
    if (way.lies) return;
    if (const CopiedRows* copy = copies.add(as_read, 1)) to.data = copy->to, to.step = copy->pitch;
}

/// All products of an operand, through `rows` that lie along k, or `across`.
bool lies_in_batch(const BatchedOperand& operand, bool is_right) {
    Depth depth;
    if (!depth_of(operand, depth)) return false;
    Matrix rows = is_right ? operand.first.transposed() : operand.first;
    rows.data = depth.first;
    return Way(rows, true).lies;
}

/// The operand becomes its copies.
void align_in_batch(const BatchedOperand& operand, bool is_right, const Places& places, Copies& copies, Matrix& matrix,
                    std::int64_t& step) {
    const Matrix rows = is_right ? operand.first.transposed() : operand.first;
    const Way way(rows, true);
    const Matrix as_read = way.across ? rows.transposed() : rows;
    CopiedRows* const copy = copies.add(as_read, operand.count());
    if (!copy) return;
    copy->from_bytes = is_right ? places.b_bytes : places.a_bytes;
    if (operand.pointers) copy->addresses = places.addresses + (is_right ? places.size : 0);
    matrix.data = copy->to;
    const bool along = way.across == is_right;  // the copy's rows are the operand's
    matrix.row_step = along ? copy->pitch : 1, matrix.col_step = along ? 1 : copy->pitch;
    step = operand.count() > 1 ? copy->to_bytes / static_cast<std::int64_t>(size_of(matrix.type)) : 0;
}

/// Of one product: whether forms and sizes say that an operand of `width` along k needs a copy, and its bytes.
std::size_t bytes_by_form(const Problem& p, Form form, std::int64_t width, bool is_left, bool takes_across) {
    const auto in_16_bytes = static_cast<std::int64_t>(16 / size_of(p.in));
    const Form along_k = is_left ? Form::row_major : Form::col_major;
    if (form == along_k && p.k % in_16_bytes == 0) return 0;
    if (takes_across && form != along_k && form != Form::strided && width % in_16_bytes == 0) return 0;
    return std::max(padded_bytes(width, p.k, p.in), padded_bytes(p.k, width, p.in));
}

/// The same of a batch: its products may begin where a single one's rows don't.
std::size_t bytes_in_batch(const Problem& p, const Batch& batch, bool is_left) {
    const Form form = is_left ? p.a : p.b;
    const std::int64_t width = is_left ? p.m : p.n, step = is_left ? batch.a_step : batch.b_step;
    const bool by_pointer = is_left ? batch.a != nullptr : batch.b != nullptr;
    const std::int64_t count = by_pointer || step != 0 ? batch.size : 1;
    std::size_t each = bytes_by_form(p, form, width, is_left, p.in != Type::f32);
    if (each == 0 && !by_pointer && step * static_cast<std::int64_t>(size_of(p.in)) % 16 != 0)
        each = std::max(padded_bytes(width, p.k, p.in), padded_bytes(p.k, width, p.in));
    return each * static_cast<std::size_t>(count);
}

}  // namespace

Status align_operands(const Call& call, AsRead how, AlignedRows& a, AlignedRows& b, bool& possible) noexcept {
    Copies copies{call.scratch};
    align(call.a, how == AsRead::both_across && !is_turned_first(call, call.a), copies, a);
    align(call.b.transposed(), !is_turned_first(call, call.b.transposed()), copies, b);
    possible = copies.fit;
    return possible ? copies.make(call.stream) : Status{};
}

std::size_t aligned_bytes_of(const Call& call, AsRead how) noexcept {
    return copy_bytes(call.a, how == AsRead::both_across && !is_turned_first(call, call.a)) +
           copy_bytes(call.b.transposed(), !is_turned_first(call, call.b.transposed()));
}

std::size_t aligned_bytes(const Problem& p, AsRead how) noexcept {
    // C from its other side changes the operands' roles, so count both sides of a column-major C.
    const bool swapped = p.c == Form::col_major, f32 = p.in == Type::f32;
    const auto bytes = [&](Form form, std::int64_t width, bool is_left) {
        const bool takes_across =
            !f32 && (how == AsRead::both_across || is_left == swapped) &&
            !is_turned_first(width, p.k, width % static_cast<std::int64_t>(16 / size_of(p.in)) == 0);
        return bytes_by_form(p, form, width, is_left, takes_across);
    };
    return bytes(p.a, p.m, true) + bytes(p.b, p.n, false);
}

bool batch_lies(const Call& call) noexcept {
    return lies_in_batch(a_of(call), false) && lies_in_batch(b_of(call), true);
}

bool can_align_batch(const Call& call) noexcept {
    const Problem p = problem_of(call);
    return (lies_in_batch(a_of(call), false) || bytes_in_batch(p, *call.batch, true) > 0) &&
           (lies_in_batch(b_of(call), true) || bytes_in_batch(p, *call.batch, false) > 0);
}

std::size_t aligned_batch_bytes(const Problem& p, const Tile& tile, const Batch& batch) noexcept {
    const std::size_t copies = bytes_in_batch(p, batch, true) + bytes_in_batch(p, batch, false),
                      places = places_bytes(p, tile, batch);
    return copies + (copies > 0 ? 2 : 1) * places;
}

Status align_batch(Call& call, Batch& aligned, bool& possible) noexcept {
    const BatchedOperand a = a_of(call), b = b_of(call);
    const bool a_lies = lies_in_batch(a, false), b_lies = lies_in_batch(b, true);
    possible = true;
    if (a_lies && b_lies) return {};
    possible = call.scratch.size() >= places_bytes({}, {}, *call.batch);
    if (!possible) return {};
    Copies copies{call.scratch};
    Places places;
    if (const Status bad = place_products(call, copies.scratch, places); !bad) return bad;
    aligned = *call.batch;
    if (!a_lies) align_in_batch(a, false, places, copies, call.a, aligned.a_step), aligned.a = nullptr;
    if (!b_lies) align_in_batch(b, true, places, copies, call.b, aligned.b_step), aligned.b = nullptr;
    possible = copies.fit;
    if (!possible) return {};
    call.batch = &aligned, call.scratch = copies.scratch;
    return copies.make(call.stream);
}

Status turn(Matrix& m, std::span<std::byte>& scratch, void* stream) noexcept {
    const std::size_t bytes = turned_bytes(m.rows, m.cols);
    if (m.row_step != 1 || scratch.size() < bytes) return {};
    const CopiedRows copy{.from = m, .to = scratch.data(), .pitch = padded(m.cols, Type::f32)};
    m.data = copy.to, m.row_step = copy.pitch, m.col_step = 1;
    scratch = scratch.subspan(bytes);
    return copy_rows({&copy, 1}, stream);
}

std::size_t turned_bytes(std::int64_t rows, std::int64_t cols) noexcept { return padded_bytes(rows, cols, Type::f32); }

bool is_aligned(Matrix m, const void* data) noexcept {
    m.data = const_cast<void*>(data);
    return lies_in_rows(m);
}

}  // namespace tw::cuda
