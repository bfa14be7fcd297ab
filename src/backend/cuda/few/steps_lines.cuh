// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// All of k of a tile's rows (or columns) in shared memory, however they lie in global memory: lines along k, or of k
// across, brought 16 bytes at once or 4, with zeros behind what there is. From there fragments.
#pragma once

#include <cstdint>

#include "backend/cuda/ptx/copy_some.cuh"
#include "backend/cuda/ptx/cp_async.cuh"
#include "backend/cuda/ptx/ldmatrix.cuh"
#include "backend/cuda/ptx/shared_store.cuh"

namespace tw::cuda::steps {

/// Bytes that one copy brings.
enum class By { four, sixteen };

/// An operand as its lines lie.
struct Lie {
    const void* data;
    std::int64_t pitch;  ///< elements from line to line
    int width;           ///< of C's rows or columns
    By by;
};

/// k is padded to whole numbers of this, two steps of the unit.
inline constexpr int granule = 16;
/// Behind a line: eight lines of any padded k begin in different banks.
inline constexpr int gap = 16;

template <bool is_across>
constexpr int pitch_of(int width, int k) {
    // Words across k are read one by one: four lines of eight lie in different banks.
    return (is_across ? width : k) * 4 + (is_across ? 32 : gap);
}
template <bool is_across>
constexpr int bytes_of(int width, int k) {
    return pitch_of<is_across>(width, k) * (is_across ? k : width);
}

/// Where an operand's lines are, and what they become: lines of `length` elements, zeros where there are none.
struct Lines {
    const float* from;
    std::int64_t step;
    int pitch;  ///< bytes, in shared memory
    int count, length, valid_count, valid_length;

    /// A tile's `width` rows or columns from `first` on, and all of k.
    template <bool is_across, int width>
    static __device__ Lines of(const Lie& lie, const float* data, int first, int k, int padded_k) {
        const int left = lie.width - first < width ? lie.width - first : width;
        const float* const from = data + (is_across ? std::int64_t{first} : first * lie.pitch);
        const int pitch = pitch_of<is_across>(width, padded_k);
        if (is_across) return {from, lie.pitch, pitch, padded_k, width, k, left};
        return {from, lie.pitch, pitch, width, padded_k, left, k};
    }
};

/// All copies are on their way at once: `lanes` threads a line, 4 or 16 bytes each, and again behind those.
template <int lanes, int threads, By by>
__device__ void copy_lines(std::uint32_t to, const Lines& lines) {
    constexpr int bytes = by == By::sixteen ? 16 : 4, each = bytes / 4, down = threads / lanes;
    const int first = static_cast<int>(threadIdx.x) / lanes, lane = static_cast<int>(threadIdx.x) % lanes;
    for (int x = lane * each; x < lines.length; x += lanes * each) {
#pragma unroll 4
        for (int l = first; l < lines.count; l += down) {
            const float* const line = lines.from + l * lines.step;
            const int left = l < lines.valid_count ? (lines.valid_length - x) * 4 : 0;
            const int real = left < 0 ? 0 : left < bytes ? left : bytes;
            const float* const source = real > 0 ? line + x : line;
            const std::uint32_t place = to + l * lines.pitch + x * 4;
            if constexpr (by == By::sixteen) ptx::copy_16(place, source, real);
            else ptx::copy_some_of_4(place, source, real);
        }
    }
}

template <bool is_across, int width, int threads>
__device__ void bring(std::uint32_t to, const Lines& lines, By by) {
    constexpr int lanes_16 = (is_across ? width : granule) / 4, lanes = is_across ? 32 : granule;
    if (by == By::sixteen) copy_lines<lanes_16, threads, By::sixteen>(to, lines);
    else copy_lines<lanes, threads, By::four>(to, lines);
}

/// The unit's fragment of 16 rows (or columns) and 8 of k: words 0 and 2 are of the first eight, 1 and 3 of the others.
template <bool is_across>
__device__ void read(std::uint32_t (&to)[4], std::uint32_t from, int pitch, int first, int k) {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    if constexpr (is_across) {
        const std::uint32_t at = from + (k + lane % 4) * pitch + (first + lane / 4) * 4;
#pragma unroll
        for (int i = 0; i < 4; ++i) to[i] = ptx::load_word(at + i / 2 * 4 * pitch + i % 2 * 32);
    } else {
        ptx::load_matrices(to, from + (first + lane % 16) * pitch + (k + lane / 16 * 4) * 4);
    }
}

}  // namespace tw::cuda::steps
