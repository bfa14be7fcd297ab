// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// All of k of a tile's rows (or columns) in shared memory, however they lie in global memory: lines along k, or of k
// across, brought 16 bytes at once, 4, or element by element, with zeros behind what there is. From there fragments.
#pragma once

#include <cstdint>

#include "backend/cuda/ptx/copy_some.cuh"
#include "backend/cuda/ptx/cp_async.cuh"
#include "backend/cuda/ptx/ldmatrix.cuh"
#include "backend/cuda/ptx/shared_store.cuh"

namespace tw::cuda::steps {

/// Bytes that one copy brings.
enum class By { element, four, sixteen };

/// An operand as its lines lie.
struct Lie {
    const void* data;
    std::int64_t pitch;  ///< elements from line to line
    int width;           ///< of C's rows or columns
    By by;
};

/// k is padded to whole numbers of this: 16 bits have one step of the unit there, tf32 two.
inline constexpr int granule = 16;
/// Behind a line: eight lines of any padded k begin in different banks.
inline constexpr int gap = 16;

template <class T, bool is_across>
constexpr int pitch_of(int width, int k) {
    // The words of tf32 across k are read one by one: four lines of eight lie in different banks.
    const int beside = is_across && sizeof(T) == 4 ? 32 : gap;
    return (is_across ? width : k) * static_cast<int>(sizeof(T)) + beside;
}
template <class T, bool is_across>
constexpr int bytes_of(int width, int k) {
    return pitch_of<T, is_across>(width, k) * (is_across ? k : width);
}

/// Of a line of 16 bits: whether it begins in the middle of a word.
template <class T>
__device__ bool is_odd(const T* line) {
    return sizeof(T) == 2 && reinterpret_cast<std::uintptr_t>(line) % 4 != 0;
}

/// Where an operand's lines are, and what they become: lines of `length` elements, zeros where there are none.
template <class T>
struct Lines {
    const T* from;
    std::int64_t step;
    int pitch;  ///< bytes, in shared memory
    int count, length, valid_count, valid_length;

    /// A tile's `width` rows or columns from `first` on, and all of k.
    template <bool is_across, int width>
    static __device__ Lines of(const Lie& lie, const T* data, int first, int k, int padded_k) {
        const int left = lie.width - first < width ? lie.width - first : width;
        const T* const from = data + (is_across ? std::int64_t{first} : first * lie.pitch);
        const int pitch = pitch_of<T, is_across>(width, padded_k);
        if (is_across) return {from, lie.pitch, pitch, padded_k, width, k, left};
        return {from, lie.pitch, pitch, width, padded_k, left, k};
    }
};

/// All copies are on their way at once: `lanes` threads a line, 4 or 16 bytes each, and again behind those. A line that
/// begins in the middle of a word is brought from that word on.
template <class T, int lanes, int threads, By by>
__device__ void copy_lines(std::uint32_t to, const Lines<T>& lines) {
    constexpr int bytes = by == By::sixteen ? 16 : 4, each = bytes / sizeof(T), down = threads / lanes;
    const int first = static_cast<int>(threadIdx.x) / lanes, lane = static_cast<int>(threadIdx.x) % lanes;
    const int words = lines.length + (by == By::element ? each : 0);
    for (int x = lane * each; x < words; x += lanes * each) {
#pragma unroll 4
        for (int l = first; l < lines.count; l += down) {
            const T* const line = lines.from + l * lines.step;
            const int before = by == By::element && is_odd(line) ? 1 : 0;
            const int left =
                l < lines.valid_count ? (lines.valid_length + before - x) * static_cast<int>(sizeof(T)) : 0;
            const int real = left < 0 ? 0 : left < bytes ? left : bytes;
            const T* const source = real > 0 ? line + x - before : line - before;
            const std::uint32_t place = to + l * lines.pitch + x * static_cast<int>(sizeof(T));
            if constexpr (by == By::sixteen) ptx::copy_16(place, source, real);
            else ptx::copy_some_of_4(place, source, real);
        }
    }
}

/// Lines that were brought from the middle of a word on begin at their place: by the threads of the whole block, behind
/// a barrier and before one.
template <class T, int lanes, int threads>
__device__ void shift_lines(std::uint32_t to, const Lines<T>& lines) {
    constexpr int down = threads / lanes;
    const int lane = static_cast<int>(threadIdx.x) % lanes;
    for (int l = static_cast<int>(threadIdx.x) / lanes; l < lines.count; l += down) {
        const bool odd = is_odd(lines.from + l * lines.step);
        const std::uint32_t line = to + l * lines.pitch;
        for (int word = lane; word < lines.length / 2; word += lanes) {
            const std::uint32_t low = ptx::load_word(line + word * 4), high = ptx::load_word(line + word * 4 + 4);
            __syncwarp();
            if (odd) ptx::store_int(line + word * 4, static_cast<int>(__funnelshift_r(low, high, 16)));
            __syncwarp();
        }
    }
}

template <class T, bool is_across>
constexpr int lanes_of_words = is_across ? 32 : granule * static_cast<int>(sizeof(T)) / 4;

template <class T, bool is_across, int width, int threads>
__device__ void bring(std::uint32_t to, const Lines<T>& lines, By by) {
    constexpr int of_16 = 16 / sizeof(T), lanes_16 = (is_across ? width : granule) / of_16;
    constexpr int lanes = lanes_of_words<T, is_across>;
    if (by == By::sixteen) copy_lines<T, lanes_16, threads, By::sixteen>(to, lines);
    else if (sizeof(T) == 4 || by == By::four) copy_lines<T, lanes, threads, By::four>(to, lines);
    else copy_lines<T, lanes, threads, By::element>(to, lines);
}

/// The unit's fragment of 16 rows (or columns) and 32 bytes of k: words 0 and 2 are of the first eight, 1 and 3 of the
/// others. f32 comes as it is.
template <class T, bool is_across>
__device__ void read(std::uint32_t (&to)[4], std::uint32_t from, int pitch, int first, int k) {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    if constexpr (is_across && sizeof(T) == 4) {
        const std::uint32_t at = from + (k + lane % 4) * pitch + (first + lane / 4) * 4;
#pragma unroll
        for (int i = 0; i < 4; ++i) to[i] = ptx::load_word(at + i / 2 * 4 * pitch + i % 2 * 32);
    } else if constexpr (is_across) {
        ptx::load_turned_matrices(to, from + (k + lane % 8 + lane / 16 * 8) * pitch + (first + lane / 8 % 2 * 8) * 2);
    } else {
        constexpr int half = 16 / sizeof(T);
        ptx::load_matrices(to,
                           from + (first + lane % 16) * pitch + (k + lane / 16 * half) * static_cast<int>(sizeof(T)));
    }
}

}  // namespace tw::cuda::steps
