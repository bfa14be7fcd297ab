// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Where one thread's panels of A lie, and what the caches are asked for meanwhile.
#pragma once

#include <algorithm>

#include "backend/cpu/micro/micro_kernel.hpp"
#include "backend/cpu/panels/ahead.hpp"
#include "tilewright/view.hpp"

namespace tw::cpu {

constexpr std::int64_t few = 128;  // rows whose panels all stay in L2

/// Where A's panels are packed: all of a block, or some after the others in one place, which so stays near. One at
/// a time, unless A lies by columns: a line of memory has rows of several panels then.
template <class T, const MicroKernel<T>& micro>
struct PanelsOfA {
    T* data;
    bool is_first, wait;
    std::int64_t at_once;  // rows

    T* at(std::int64_t i, std::int64_t depth) const { return data + (wait ? i : i % at_once) * depth; }
    static std::int64_t rows_at_once(const Matrix& a) {
        // AVX-512's packer fills several panels only where they are whole vectors wide.
        const bool fills_several = micro.lanes * int{sizeof(T)} < 64 || micro.mr % micro.lanes == 0;
        return fills_several && a.row_step == 1 && a.col_step != 1 ? few / micro.mr * micro.mr : micro.mr;
    }
    Ahead<T> ahead_of(const Matrix& rows_left, std::int64_t i, std::int64_t tiles) const {
        if (is_first || rows_left.rows <= micro.mr) return {rows_left, micro.mr, tiles, is_first};
        return {at(i + micro.mr, rows_left.cols), micro.mr * rows_left.cols, tiles};
    }
};

}  // namespace tw::cpu
