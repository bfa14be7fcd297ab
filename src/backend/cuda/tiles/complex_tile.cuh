// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// A block's tile of complex numbers on its way to shared memory by asynchronous copies of one number or of its parts,
// so that it may lie any way in global memory; and the forms that it has in shared memory.
#pragma once

#include <cstdint>

#include "backend/cuda/ptx/cp_async.cuh"
#include "tilewright/layout.hpp"

namespace tw::cuda {

/// Numbers of 8 bytes: rows of k, real parts first, then imaginary ones, so that a register has neighbours of its own
/// kind. 4 words between rows put 8 neighbours along k of 4 across it, which a warp writes at once, into different
/// banks.
template <int BK_, int width_>
struct PlanesOfK {
    static constexpr int BK = BK_, width = width_, size = 8, imaginary = width * 4, pitch = 2 * imaginary + 16;
    static constexpr int bytes = BK * pitch;
    static_assert(width % 16 == 0);

    __device__ static std::uint32_t place(int k, int x) { return static_cast<std::uint32_t>(k * pitch + x * 4); }
    __device__ static std::uint32_t later(std::uint32_t place, int k, int x) {
        return place + static_cast<std::uint32_t>(k * pitch + x * 4);
    }
    __device__ static void copy(std::uint32_t to, const char* from, bool inside) {
        ptx::copy_4(to, from, inside), ptx::copy_4(to + imaginary, from + 4, inside);
    }
};

/// Numbers of 16 bytes, rows of k: 2 numbers between rows put 4 neighbours along k of 2 across it, which 8 threads read
/// at once, into different banks.
template <int width_>
struct RowsOfK {
    static constexpr int BK = 8, width = width_, size = 16, pitch = (width + 2) * size, bytes = BK * pitch;
    static_assert(width % 8 == 0);

    __device__ static std::uint32_t place(int k, int x) { return static_cast<std::uint32_t>(k * pitch + x * size); }
    __device__ static std::uint32_t later(std::uint32_t place, int k, int x) {
        return place + static_cast<std::uint32_t>(k * pitch + x * size);
    }
    __device__ static void copy(std::uint32_t to, const char* from, bool inside) {
        ptx::copy_16(to, from, inside ? 16 : 0);
    }
};

/// Numbers of 16 bytes, lines of 8 along k. Within a line they are swapped by its number, so that 4 neighbours along k
/// of 2 lines, which 8 threads read at once, are in different banks. `whole`: numbers lie at multiples of their size;
/// else they are copied by halves.
template <int width_, bool whole = true>
struct LinesAlongK {
    static constexpr int BK = 8, width = width_, size = 16, pitch = BK * size, bytes = width * pitch;
    static_assert(width % 8 == 0);

    __device__ static int swap(int x) { return (x & 1) * 4 | (x >> 1 & 3); }
    __device__ static std::uint32_t place(int k, int x) {
        return static_cast<std::uint32_t>(x * pitch + (k ^ swap(x)) * size);
    }
    /// k: bits that place() did not have; x: a multiple of 8.
    __device__ static std::uint32_t later(std::uint32_t place, int k, int x) {
        return (place ^ static_cast<std::uint32_t>(k * size)) + static_cast<std::uint32_t>(x * pitch);
    }
    __device__ static void copy(std::uint32_t to, const char* from, bool inside) {
        if constexpr (whole) ptx::copy_16(to, from, inside ? 16 : 0);
        else ptx::copy_8(to, from, inside), ptx::copy_8(to + 8, from + 8, inside);
    }
};

/// Neighbouring threads copy neighbours in memory, along k where these lie so.
template <class Form, int threads>
class ComplexTile {
    static constexpr int BK = Form::BK, width = Form::width;

public:
    static constexpr int pieces = BK * width / threads;
    static_assert(pieces * threads == BK * width && threads % width == 0 && threads % (8 * BK) == 0);
    static constexpr int bytes = Form::bytes;

    /// `from`: its rows are the tile's lines, of which the first is `first`; k goes along its columns.
    template <class Number>
    __device__ ComplexTile(const Tensor<const Number>& from, int first) : k_step_(from.layout.col_step * Form::size) {
        static_assert(sizeof(Number) == Form::size);
        const int thread = static_cast<int>(threadIdx.x);
        const bool along_k = from.layout.col_step == 1 || from.layout.row_step != 1;
        const int k = along_k ? thread % BK : thread / width, x = along_k ? thread / BK : thread % width;
        k_jump_ = along_k ? 0 : threads / width;
        x_jump_ = along_k ? threads / BK : 0;
        k_left_ = static_cast<int>(from.layout.cols) - k;
        x_left_ = static_cast<int>(from.layout.rows) - first - x;
        from_ = reinterpret_cast<const char*>(from.data + from.layout(first + x, k));
        jump_ = k_jump_ * k_step_ + x_jump_ * from.layout.row_step * Form::size;
        to_ = Form::place(k, x);
    }

    /// The next BK of k; what lies outside is 0.
    __device__ void fill(std::uint32_t tile) {
        const char* from = from_;
#pragma unroll
        for (int s = 0; s < pieces; ++s, from += jump_) {
            const bool inside = s * k_jump_ < k_left_ && s * x_jump_ < x_left_;
            Form::copy(tile + Form::later(to_, s * k_jump_, s * x_jump_), from, inside);
        }
        from_ += BK * k_step_;
        k_left_ -= BK;
    }

    /// The same piece by piece, s = 0 first.
    __device__ void fill(std::uint32_t tile, int s) {
        const bool inside = s * k_jump_ < k_left_ && s * x_jump_ < x_left_;
        Form::copy(tile + Form::later(to_, s * k_jump_, s * x_jump_), from_, inside);
        from_ += s + 1 < pieces ? jump_ : BK * k_step_ - (pieces - 1) * jump_;
        if (s + 1 == pieces) k_left_ -= BK;
    }

private:
    const char* from_;
    std::int64_t k_step_, jump_;
    int k_left_, x_left_, k_jump_, x_jump_;
    std::uint32_t to_;
};

}  // namespace tw::cuda
