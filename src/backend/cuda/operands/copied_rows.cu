// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Contiguous rows that start anywhere are read by words of 4 bytes and shifted to where 16 bytes are; a matrix with
// contiguous columns goes through shared memory, so that both reading and writing go along memory:
//
//     rows     ..ab cdef ghij     ->  abcd efgh ij        columns    a d g     ->    abc
//              ..kl mnop qrst         klmn opqr st                   b e h           def
//                                                                    c f i           ghi
#include "backend/cuda/operands/copied_rows.hpp"

#include <algorithm>

#include "backend/cuda/device/device.hpp"
#include "backend/cuda/device/launch.hpp"
#include "backend/cuda/ptx/team.cuh"

namespace tw::cuda {
namespace {

constexpr int threads = 256, side = 64;

struct Copy {
    const char* from = nullptr;
    char* to = nullptr;
    std::int64_t row_step = 0, col_step = 0, pitch = 0;  ///< elements
    std::int64_t from_bytes = 0, to_bytes = 0;
    const std::uint64_t* addresses = nullptr;
    int rows = 0, cols = 0;
    int each = 1;         ///< pieces of 16 bytes that a thread copies one after the other
    unsigned blocks = 1;  ///< of one product
    bool turns = false;

    template <class T>
    __device__ const T* source(unsigned product) const {
        return reinterpret_cast<const T*>(addresses ? addresses[product]
                                                    : reinterpret_cast<std::uintptr_t>(from) + product * from_bytes);
    }
};

/// 16 bytes from `here` on, of which `left` elements are a row's.
__device__ uint4 piece_at(const std::uint16_t* here, int left) {
    constexpr int count = 8;
    std::uint32_t words[count / 2];
    if (left < count) {
#pragma unroll
        for (int i = 0; i < count; i += 2) {
            const std::uint32_t low = i < left ? here[i] : 0, high = i + 1 < left ? here[i + 1] : 0;
            words[i / 2] = low | high << 16;
        }
    } else if (reinterpret_cast<std::uintptr_t>(here) % 4 == 0) {
#pragma unroll
        for (int i = 0; i < count / 2; ++i) words[i] = reinterpret_cast<const std::uint32_t*>(here)[i];
    } else {
        const auto* inner = reinterpret_cast<const std::uint32_t*>(here + 1);
        std::uint32_t before = std::uint32_t{here[0]} << 16;
#pragma unroll
        for (int i = 0; i < count / 2; ++i) {
            const std::uint32_t next = i + 1 < count / 2 ? inner[i] : here[count - 1];
            words[i] = __funnelshift_r(before, next, 16);
            before = next;
        }
    }
    return {words[0], words[1], words[2], words[3]};
}
__device__ uint4 piece_at(const std::uint32_t* here, int left) {
    std::uint32_t words[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) words[i] = i < left ? here[i] : 0;
    return {words[0], words[1], words[2], words[3]};
}

template <class T>
__device__ void shift(const Copy& copy, const T* from, T* to, unsigned block) {
    constexpr int at_once = 16 / sizeof(T);
    const auto of_row = static_cast<std::uint64_t>(copy.pitch / at_once), all = copy.rows * of_row;
    for (int e = 0; e < copy.each; ++e) {
        const std::uint64_t x =
            (block * static_cast<std::uint64_t>(copy.each) + static_cast<unsigned>(e)) * threads + threadIdx.x;
        if (x >= all) return;
        // 64 bits take four times the instructions.
        const std::uint64_t row =
            all >> 32 ? x / of_row : static_cast<std::uint32_t>(x) / static_cast<std::uint32_t>(of_row);
        const auto col = static_cast<std::int64_t>(x - row * of_row) * at_once;
        const auto left = static_cast<int>(copy.cols - col);
        *reinterpret_cast<uint4*>(to + row * copy.pitch + col) =
            piece_at(from + static_cast<std::int64_t>(row) * copy.row_step + col, left);
    }
}

template <class T>
__device__ void turn(const Copy& copy, const T* from, T* to, unsigned block) {
    __shared__ T tile[side][side + 4 / sizeof(T)];
    const auto across = static_cast<unsigned>((copy.pitch + side - 1) / side);
    const std::int64_t row = block / across * std::int64_t{side}, col = block % across * std::int64_t{side};
    const int x = static_cast<int>(threadIdx.x) % side, y = static_cast<int>(threadIdx.x) / side;
    const bool along_rows = copy.col_step == 1;
    constexpr int deep = threads / side;
    T held[side / deep];
#pragma unroll
    for (int s = 0; s < side / deep; ++s) {
        const int i = along_rows ? s * deep + y : x, j = along_rows ? x : s * deep + y;
        const bool inside = row + i < copy.rows && col + j < copy.cols;
        held[s] = inside ? from[(row + i) * copy.row_step + (col + j) * copy.col_step] : T{0};
    }
#pragma unroll
    for (int s = 0; s < side / deep; ++s) {
        const int i = along_rows ? s * deep + y : x, j = along_rows ? x : s * deep + y;
        tile[i][j] = held[s];
    }
    __syncthreads();
#pragma unroll
    for (int s = 0; s < side; s += deep)
        if (row + s + y < copy.rows && col + x < copy.pitch) to[(row + s + y) * copy.pitch + col + x] = tile[s + y][x];
}

template <class T>
__global__ void __launch_bounds__(threads) copy_all(Copy first, Copy second, unsigned blocks_of_first) {
    ptx::let_next_kernel_begin();
    ptx::wait_for_kernel_before();  // it may write what is copied, and read what lies where the copy goes
    const bool is_first = blockIdx.x < blocks_of_first;
    const Copy copy = is_first ? first : second;
    const unsigned at = is_first ? blockIdx.x : blockIdx.x - blocks_of_first, product = at / copy.blocks,
                   block = at % copy.blocks;
    const T* const from = copy.source<T>(product);
    T* const to = reinterpret_cast<T*>(copy.to + product * copy.to_bytes);
    if (copy.turns) turn(copy, from, to, block);
    else shift(copy, from, to, block);
}

/// What the kernel does for one of them.
Copy work_of(const CopiedRows& rows) {
    const Matrix& from = rows.from;
    Copy copy{.from = static_cast<const char*>(from.data),
              .to = static_cast<char*>(rows.to),
              .row_step = from.row_step,
              .col_step = from.col_step,
              .pitch = rows.pitch,
              .from_bytes = rows.from_bytes,
              .to_bytes = rows.to_bytes,
              .addresses = rows.addresses,
              .rows = static_cast<int>(from.rows),
              .cols = static_cast<int>(from.cols),
              .turns = from.col_step != 1};
    if (copy.turns) {
        copy.blocks = static_cast<unsigned>(tiles_over(from.rows, side) * tiles_over(rows.pitch, side));
        return copy;
    }
    // As many blocks as are beside one another, so that no thread waits for memory more often than it must.
    const std::int64_t pieces = from.rows * (rows.pitch / static_cast<std::int64_t>(16 / size_of(from.type))),
                       at_once = std::int64_t{8} * threads * multiprocessors();
    copy.each = static_cast<int>(std::clamp<std::int64_t>(pieces * rows.products / at_once, 1, 16));
    copy.blocks = static_cast<unsigned>(tiles_over(pieces, std::int64_t{threads} * copy.each));
    return copy;
}

}  // namespace

Status copy_rows(std::span<const CopiedRows> copies, void* stream) noexcept {
    if (copies.empty()) return {};
    const CopiedRows &one = copies.front(), &other = copies.back();
    const Copy first = work_of(one), second = work_of(other);
    const auto of_first = static_cast<unsigned>(first.blocks * one.products),
               of_second = copies.size() > 1 ? static_cast<unsigned>(second.blocks * other.products) : 0;
    const Launch how{.blocks = of_first + of_second, .threads = threads, .overlaps = true};
    return one.from.type == Type::f32 ? launch(copy_all<std::uint32_t>, how, stream, first, second, of_first)
                                      : launch(copy_all<std::uint16_t>, how, stream, first, second, of_first);
}

}  // namespace tw::cuda
