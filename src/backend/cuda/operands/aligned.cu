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

constexpr std::int64_t padded(std::int64_t k) { return (k + 7) / 8 * 8; }
constexpr std::size_t padded_bytes(std::int64_t rows, std::int64_t k) {
    return (static_cast<std::size_t>(rows * padded(k)) * 2 + 127) / 128 * 128;
}

template <class T>
Status transpose(T* to, std::int64_t pitch, const Tensor<const T>& from, void* stream) {
    const std::int64_t across = tiles_over(pitch, side);
    const auto blocks = static_cast<unsigned>(tiles_over(from.layout.rows, side) * across);
    return launch(transpose_rows<T>, {.blocks = blocks, .threads = side * deep}, stream, to, pitch, from,
                  TileGrid{static_cast<int>(across)});
}

/// `m` with the rows that it shall have.
Status copy_to_scratch(const Matrix& m, std::span<std::byte>& scratch, void* stream, AlignedRows& copy,
                       bool& possible) {
    const std::int64_t pitch = padded(m.cols);
    const std::size_t bytes = padded_bytes(m.rows, m.cols);
    possible = scratch.size() >= bytes;
    if (!possible) return {};
    copy.data = scratch.data(), copy.step = pitch;
    auto* to = reinterpret_cast<std::uint16_t*>(scratch.data());
    scratch = scratch.subspan(bytes);
    const auto from = tensor_of<const std::uint16_t>(m);
    if (m.col_step == 1) {
        const std::int64_t wanted = (m.rows * (pitch / at_once) + threads - 1) / threads,
                           most = 16 * std::int64_t{multiprocessors()};
        return launch(shift_rows, {.blocks = static_cast<unsigned>(wanted < most ? wanted : most), .threads = threads},
                      stream, to, pitch, from);
    }
    return transpose(to, pitch, from, stream);
}

bool lies_in_rows(const Matrix& m) { return m.col_step == 1 && suits_tma(m.data, m.row_step * 2); }

}  // namespace

bool is_aligned(Matrix m, const void* data) noexcept {
    m.data = const_cast<void*>(data);
    return lies_in_rows(m);
}

Status align_operands(const Call& call, AlignedRows& a, AlignedRows& b, bool& possible) noexcept {
    possible = true;
    std::span<std::byte> scratch = call.scratch;
    const Matrix weights = call.b.transposed();  // n rows along k
    a = {call.a.data, call.a.row_step, false};
    if (!lies_in_rows(call.a))
        if (const Status bad = copy_to_scratch(call.a, scratch, call.stream, a, possible); !bad || !possible)
            return bad;
    if (lies_in_rows(weights)) {
        b = {weights.data, weights.row_step, false};
        return {};
    }
    b = {call.b.data, call.b.row_step, call.b.col_step == 1};
    if (lies_in_rows(call.b)) return {};
    return copy_to_scratch(b.across ? call.b : weights, scratch, call.stream, b, possible);
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

std::size_t aligned_bytes(const Problem& p, const Tile&, int) noexcept {
    // C from its other side changes the operands' roles, so count both sides of a column-major C.
    const bool odd_k = p.k % 8 != 0, swapped = p.c == Form::col_major;
    const Form a = p.a, b = p.b;
    const bool a_lies = swapped ? (a == Form::row_major ? !odd_k : a == Form::col_major && p.m % 8 == 0)
                                : a == Form::row_major && !odd_k;
    const bool b_lies = swapped ? b == Form::col_major && !odd_k
                                : (b == Form::col_major ? !odd_k : b == Form::row_major && p.n % 8 == 0);
    const auto either = [&](std::int64_t rows) { return std::max(padded_bytes(rows, p.k), padded_bytes(p.k, rows)); };
    return (a_lies ? 0 : either(p.m)) + (b_lies ? 0 : either(p.n));
}

}  // namespace tw::cuda
