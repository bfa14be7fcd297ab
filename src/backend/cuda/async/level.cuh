// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// r9's tiles for few rows: all widths of one type.
#pragma once

#include "backend/cuda/async/by_majors.cuh"
#include "backend/cuda/async/tiles.cuh"

namespace tw::cuda {

template <int rows, class T, ptx::Major a, ptx::Major b>
Status run_level_of(const Job& job) {
    constexpr auto all = sm90::r9_level(rows, a == ptx::Major::other, b == ptx::Major::other);
    return by_width<all>(job.tile.n, [&](auto width) -> Status {
        constexpr int columns = decltype(width)::value;
        if constexpr (sm90::r9_possible({.is_f32 = sizeof(T) == 4}, {rows, columns, 0}) || b == ptx::Major::other)
            return start_tiles<TileShape<rows, columns, 1, b>, T, a, b>(job);
        else return no_such_tile;
    });
}

template <class T>
Status run_level(const Job& job) {
    return by_majors<T>(job, [&](auto a, auto b) {
        constexpr auto of_a = decltype(a)::value, of_b = decltype(b)::value;
        return job.tile.m == 64 ? run_level_of<64, T, of_a, of_b>(job) : run_level_of<128, T, of_a, of_b>(job);
    });
}

}  // namespace tw::cuda
