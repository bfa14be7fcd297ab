// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "backend/cuda/operands/aligned.hpp"

#include <algorithm>

#include "backend/cuda/device/device.hpp"
#include "backend/cuda/device/launch.hpp"
#include "backend/cuda/device/tensor_map.hpp"
#include "backend/cuda/operands/product.cuh"

namespace tw::cuda {
namespace {

/// to: rows of `pitch`. Contiguous rows that start anywhere, to where 16 bytes are: words are read and shifted.
constexpr int at_once = 8, threads = 256;
__global__ void __launch_bounds__(threads)
    shift_rows(std::uint16_t* to, std::int64_t pitch, Tensor<const std::uint16_t> from) {
    const std::int64_t of_row = pitch / at_once, step = std::int64_t{gridDim.x} * threads;
    for (std::int64_t x = blockIdx.x * std::int64_t{threads} + threadIdx.x; x < from.rows() * of_row; x += step) {
        const std::int64_t row = x / of_row, col = x % of_row * at_once;
        const std::uint16_t* here = &from(row, col);
        std::uint32_t words[at_once / 2];
        if (col + at_once > from.cols()) {
#pragma unroll
            for (int i = 0; i < at_once; i += 2) {
                const std::uint32_t low = col + i < from.cols() ? here[i] : 0,
                                    high = col + i + 1 < from.cols() ? here[i + 1] : 0;
                words[i / 2] = low | high << 16;
            }
        } else if (reinterpret_cast<std::uintptr_t>(here) % 4 == 0) {
#pragma unroll
            for (int i = 0; i < at_once / 2; ++i) words[i] = reinterpret_cast<const std::uint32_t*>(here)[i];
        } else {
            const auto* inner = reinterpret_cast<const std::uint32_t*>(here + 1);
            std::uint32_t before = std::uint32_t{here[0]} << 16;
#pragma unroll
            for (int i = 0; i < at_once / 2; ++i) {
                const std::uint32_t next = i + 1 < at_once / 2 ? inner[i] : here[at_once - 1];
                words[i] = __funnelshift_r(before, next, 16);
                before = next;
            }
        }
        *reinterpret_cast<uint4*>(to + row * pitch + col) = {words[0], words[1], words[2], words[3]};
    }
}

constexpr int side = 64, deep = 16;  // threads: lanes of 64 along what is contiguous, 16 of them side by side

/// to: rows of `pitch`. Through shared memory, so that both reading and writing go along memory.
template <class T>
__global__ void __launch_bounds__(side* deep)
    transpose_rows(T* to, std::int64_t pitch, Tensor<const T> from, TileGrid grid) {
    __shared__ T tile[side][side + 4 / sizeof(T)];
    const std::int64_t row = grid.row() * std::int64_t{side}, col = grid.col() * std::int64_t{side};
    const int x = static_cast<int>(threadIdx.x) % side, y = static_cast<int>(threadIdx.x) / side;
    const bool along_rows = from.layout.col_step == 1;
    for (int s = y; s < side; s += deep) {
        const int i = along_rows ? s : x, j = along_rows ? x : s;
        const bool inside = row + i < from.rows() && col + j < from.cols();
        tile[i][j] = inside ? from(row + i, col + j) : T{0};
    }
    __syncthreads();
    for (int s = y; s < side; s += deep)
        if (row + s < from.rows() && col + x < pitch) to[(row + s) * pitch + col + x] = tile[s][x];
}

/// Elements from one row of a copy to the next: rows begin at 16 bytes.
std::int64_t padded(std::int64_t length, Type type) {
    const auto in_16_bytes = static_cast<std::int64_t>(16 / size_of(type));
    return (length + in_16_bytes - 1) / in_16_bytes * in_16_bytes;
}
std::size_t padded_bytes(std::int64_t rows, std::int64_t length, Type type) {
    return (static_cast<std::size_t>(rows * padded(length, type)) * size_of(type) + 127) / 128 * 128;
}

template <class T>
Status transpose(T* to, std::int64_t pitch, const Tensor<const T>& from, void* stream) {
    const std::int64_t across = tiles_over(pitch, side);
    const auto blocks = static_cast<unsigned>(tiles_over(from.layout.rows, side) * across);
    return launch(transpose_rows<T>, {.blocks = blocks, .threads = side * deep}, stream, to, pitch, from,
                  TileGrid{static_cast<int>(across)});
}

/// `m`, element for element, with rows of `pitch`.
Status copy_rows(const Matrix& m, void* to, std::int64_t pitch, void* stream) {
    if (m.type == Type::f32) return transpose(static_cast<float*>(to), pitch, tensor_of<const float>(m), stream);
    const auto from = tensor_of<const std::uint16_t>(m);
    auto* const rows = static_cast<std::uint16_t*>(to);
    if (m.col_step != 1) return transpose(rows, pitch, from, stream);
    const std::int64_t wanted = (m.rows * (pitch / at_once) + threads - 1) / threads,
                       most = 16 * std::int64_t{multiprocessors()};
    return launch(shift_rows, {.blocks = static_cast<unsigned>(wanted < most ? wanted : most), .threads = threads},
                  stream, rows, pitch, from);
}

bool lies_in_rows(const Matrix& m) {
    return m.col_step == 1 && suits_tma(m.data, m.row_step * static_cast<std::int64_t>(size_of(m.type)));
}

/// Where an operand's rows along k can be read as they lie, or what the copy of them is.
struct Place {
    bool lies, across;

    /// tf32 is multiplied along k alone.
    Place(const Matrix& rows, bool takes_across) {
        const bool may = takes_across && rows.type != Type::f32;
        lies = lies_in_rows(rows) || (may && lies_in_rows(rows.transposed()));
        across = may && !lies_in_rows(rows) && rows.row_step == 1;
    }
};

/// Few long rows are sooner turned than read across k by every block: 88 x 6144 times 6144 x 4096 takes 33 us instead
/// of
/// 50. A batch is never copied.
bool is_turned_first(const Call& call, std::int64_t rows) { return !call.batch && rows <= 128 && call.k() >= 2048; }

std::size_t copy_bytes(const Matrix& rows, bool takes_across) {
    const Place place(rows, takes_across);
    if (place.lies) return 0;
    const Matrix copied = place.across ? rows.transposed() : rows;
    return padded_bytes(copied.rows, copied.cols, copied.type);
}

Status align(const Matrix& rows, bool takes_across, std::span<std::byte>& scratch, void* stream, AlignedRows& to,
             bool& possible) {
    const Place place(rows, takes_across);
    const Matrix as_read = place.across ? rows.transposed() : rows;
    to = {as_read.data, as_read.row_step, place.across};
    if (place.lies) return {};
    const std::size_t bytes = padded_bytes(as_read.rows, as_read.cols, as_read.type);
    possible = scratch.size() >= bytes;
    if (!possible) return {};
    to.data = scratch.data(), to.step = padded(as_read.cols, as_read.type);
    scratch = scratch.subspan(bytes);
    return copy_rows(as_read, const_cast<void*>(to.data), to.step, stream);
}

}  // namespace

bool is_aligned(Matrix m, const void* data) noexcept {
    m.data = const_cast<void*>(data);
    return lies_in_rows(m);
}

Status align_operands(const Call& call, AsRead how, AlignedRows& a, AlignedRows& b, bool& possible) noexcept {
    possible = true;
    std::span<std::byte> scratch = call.scratch;
    const bool a_across = how == AsRead::both_across && !is_turned_first(call, call.m());
    if (const Status bad = align(call.a, a_across, scratch, call.stream, a, possible); !bad || !possible) return bad;
    return align(call.b.transposed(), !is_turned_first(call, call.n()), scratch, call.stream, b, possible);
}

std::size_t aligned_bytes_of(const Call& call, AsRead how) noexcept {
    return copy_bytes(call.a, how == AsRead::both_across && !is_turned_first(call, call.m())) +
           copy_bytes(call.b.transposed(), !is_turned_first(call, call.n()));
}

Status turn(Matrix& m, std::span<std::byte>& scratch, void* stream) noexcept {
    const std::int64_t pitch = (m.cols + 3) / 4 * 4;
    const std::size_t bytes = turned_bytes(m.rows, m.cols);
    if (m.row_step != 1 || scratch.size() < bytes) return {};
    auto* to = reinterpret_cast<float*>(scratch.data());
    const Status status = transpose(to, pitch, tensor_of<const float>(m), stream);
    m.data = to, m.row_step = pitch, m.col_step = 1;
    scratch = scratch.subspan(bytes);
    return status;
}

std::size_t turned_bytes(std::int64_t rows, std::int64_t cols) noexcept {
    return (static_cast<std::size_t>(rows * ((cols + 3) / 4 * 4)) * sizeof(float) + 127) / 128 * 128;
}

std::size_t aligned_bytes(const Problem& p, AsRead how) noexcept {
    // C from its other side changes the operands' roles, so count both sides of a column-major C.
    const bool swapped = p.c == Form::col_major, f32 = p.in == Type::f32;
    const auto in_16_bytes = static_cast<std::int64_t>(16 / size_of(p.in));
    const auto bytes = [&](Form form, std::int64_t width, bool is_left) {
        const Form along_k = is_left ? Form::row_major : Form::col_major;
        const bool takes_across =
            !f32 && (how == AsRead::both_across || is_left == swapped) && (width > 128 || p.k < 2048);
        if (form == along_k && p.k % in_16_bytes == 0) return std::size_t{0};
        if (takes_across && form != along_k && form != Form::strided && width % in_16_bytes == 0) return std::size_t{0};
        return std::max(padded_bytes(width, p.k, p.in), padded_bytes(p.k, width, p.in));
    };
    return bytes(p.a, p.m, true) + bytes(p.b, p.n, false);
}

}  // namespace tw::cuda
