// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// r9's wide tiles: all widths of one type.
#pragma once

#include "backend/cuda/async/by_majors.cuh"
#include "backend/cuda/async/tiles.cuh"

namespace tw::cuda {

template <class T>
Status run_wide(const Job& job) {
    return by_majors<T>(job, [&](auto a, auto b) {
        constexpr auto of_a = decltype(a)::value, of_b = decltype(b)::value;
        constexpr auto widths = sm90::r9_wide(of_a == ptx::Major::other, of_b == ptx::Major::other);
        return by_width<widths>(job.tile.n, [&](auto width) -> Status {
            if constexpr (sizeof(T) == 4 && decltype(width)::value == 256) return no_such_tile;
            else return start_tiles<TileShape<128, decltype(width)::value, 2, of_b>, T, of_a, of_b>(job);
        });
    });
}

}  // namespace tw::cuda
