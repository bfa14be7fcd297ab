// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "backend/cuda/tidy.hpp"

#include "backend/cuda/launch.hpp"
#include "backend/cuda/product.cuh"
#include "backend/cuda/tensor_map.hpp"

namespace tw::cuda {
namespace {

constexpr int side = 64, deep = 16;  // threads: lanes of 64 along what is contiguous, 16 of them side by side

/// to: rows of `pitch`, k contiguous. Through shared memory, so that both reading and writing go along memory.
__global__ void __launch_bounds__(side* deep) copy_rows(std::uint16_t* to, std::int64_t pitch, Tensor<const std::uint16_t> from,
                                                        TileGrid grid) {
    __shared__ std::uint16_t tile[side][side + 2];
    const std::int64_t row = grid.row() * std::int64_t{side}, col = grid.col() * std::int64_t{side};
    const int x = static_cast<int>(threadIdx.x) % side, y = static_cast<int>(threadIdx.x) / side;
    const bool along_rows = from.layout.col_step == 1;
    for (int s = y; s < side; s += deep) {
        const int i = along_rows ? s : x, j = along_rows ? x : s;
        const bool inside = row + i < from.rows() && col + j < from.cols();
        tile[i][j] = inside ? from(row + i, col + j) : std::uint16_t{0};
    }
    __syncthreads();
    for (int s = y; s < side; s += deep)
        if (row + s < from.rows() && col + x < pitch) to[(row + s) * pitch + col + x] = tile[s][x];
}

constexpr std::int64_t padded(std::int64_t k) { return (k + 7) / 8 * 8; }
constexpr std::size_t padded_bytes(std::int64_t rows, std::int64_t k) {
    return (static_cast<std::size_t>(rows * padded(k)) * 2 + 127) / 128 * 128;
}

/// `m` seen with rows along k.
Status copy_to_scratch(const Matrix& m, std::span<std::byte>& scratch, void* stream, Tidy& tidy, bool& possible) {
    const std::int64_t pitch = padded(m.cols);
    const std::size_t bytes = padded_bytes(m.rows, m.cols);
    possible = scratch.size() >= bytes;
    if (!possible) return {};
    tidy = {scratch.data(), pitch, false};
    const std::int64_t across = tiles_over(pitch, side);
    const auto blocks = static_cast<unsigned>(tiles_over(m.rows, side) * across);
    auto* to = reinterpret_cast<std::uint16_t*>(scratch.data());
    scratch = scratch.subspan(bytes);
    return launch(copy_rows, {.blocks = blocks, .threads = side * deep}, stream, to, pitch, tensor_of<const std::uint16_t>(m),
                  TileGrid{static_cast<int>(across)});
}

bool lies_along_k(const Matrix& m) { return m.col_step == 1 && suits_engine(m.data, m.row_step * 2); }

}  // namespace

Status tidy_operands(const Call& call, Tidy& a, Tidy& b, bool& possible) noexcept {
    possible = true;
    std::span<std::byte> scratch = call.scratch;
    const Matrix weights = call.b.transposed();  // n rows along k
    if (lies_along_k(call.a)) a = {call.a.data, call.a.row_step, false};
    else if (const Status bad = copy_to_scratch(call.a, scratch, call.stream, a, possible); !bad || !possible) return bad;
    if (lies_along_k(weights)) b = {weights.data, weights.row_step, false};
    else if (lies_along_k(call.b)) b = {call.b.data, call.b.row_step, true};
    else return copy_to_scratch(weights, scratch, call.stream, b, possible);
    return {};
}

std::size_t tidy_bytes(const Problem& p, const Tile&, int) noexcept {
    // C from its other side changes the operands' roles, so count both sides of a column-major C.
    const bool odd_k = p.k % 8 != 0, swapped = p.c == Form::col_major;
    const Form a = p.a, b = p.b;
    const bool a_lies = swapped ? (a == Form::row_major ? !odd_k : a == Form::col_major && p.m % 8 == 0)
                                : a == Form::row_major && !odd_k;
    const bool b_lies = swapped ? b == Form::col_major && !odd_k
                                : (b == Form::col_major ? !odd_k : b == Form::row_major && p.n % 8 == 0);
    return (a_lies ? 0 : padded_bytes(p.m, p.k)) + (b_lies ? 0 : padded_bytes(p.n, p.k));
}

}  // namespace tw::cuda
