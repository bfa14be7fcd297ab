// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// What r9 takes, by shapes and forms alone.
#pragma once

#include <algorithm>

#include "backend/cuda/async/across.hpp"
#include "backend/cuda/async/by_threads.hpp"
#include "backend/cuda/device/device.hpp"
#include "backend/cuda/operands/aligned.hpp"
#include "backend/cuda/operands/problem_of.hpp"
#include "backend/cuda/tiles/heuristics_async_sm90.hpp"

namespace tw::cuda::r9 {

inline sm90::Sizes sizes_of(const Problem& p, int at_once) {
    const bool turned = p.c == Form::col_major;
    return {turned ? p.n : p.m, turned ? p.m : p.n, p.k, 1, at_once};
}

/// tf32 of operands without gaps, where one is read across k.
struct AcrossOf {
    sm90::FirstAcross first = sm90::FirstAcross::none;
    std::int64_t lines = 0, rows = 0;  ///< of the one, and of the other
    bool turns = false;                ///< the other one lies across k, too

    explicit AcrossOf(const Problem& p) {
        if (p.in != Type::f32) return;
        first = sm90::first_across({p.m, p.n, p.k, 1, static_cast<int>(multiprocessors_for_costs())}, p.a, p.b);
        const bool of_a = first == sm90::FirstAcross::a;
        lines = of_a ? p.m : p.n, rows = of_a ? p.n : p.m;
        const Form other = of_a ? p.b : p.a, along = of_a ? Form::col_major : Form::row_major;
        turns = other != along;
        if (lines % 4 != 0 || other == Form::strided || (!turns && p.k % 4 != 0)) first = sm90::FirstAcross::none;
    }
    std::size_t bytes(const Problem& p) const { return turns ? turned_bytes(rows, p.k) : 0; }
    double nanoseconds(const Problem& p) const {
        const sm90::Sizes sizes{lines, rows, p.k, 1, static_cast<int>(multiprocessors_for_costs())};
        return sm90::across_price(sizes, turns);
    }
};

inline std::size_t bytes_by_form(const Problem& p) {
    if (const AcrossOf across(p); across.first != sm90::FirstAcross::none) return across.bytes(p);
    return aligned_bytes(p, AsRead::both_across);
}

inline double nanoseconds(const Problem& p, int) {
    if (const AcrossOf across(p); across.first != sm90::FirstAcross::none) return across.nanoseconds(p);
    const sm90::Sizes sizes{p.m, p.n, p.k, 1, static_cast<int>(multiprocessors_for_costs())};
    const bool is_f32 = p.in == Type::f32, turned = p.c == Form::col_major;
    const auto lies_across = [&](Form form, Form along) { return !is_f32 && form != along && form != Form::strided; };
    const sm90::R9Operands operands{.a_across = lies_across(p.a, Form::row_major),
                                    .b_across = lies_across(p.b, Form::col_major),
                                    .is_f32 = is_f32,
                                    .c_by_group = (turned ? p.m : p.n) % 8 == 0,
                                    .may_turn = p.out != Type::f32 && (turned ? p.m : p.n) % 8 == 0,
                                    .plain = p.out == p.in && (turned ? p.m : p.n) % 8 == 0};
    // What is copied first is read and written once, by one launch.
    const double copied = static_cast<double>(aligned_bytes(p, AsRead::both_across));
    // What tf32 competes with was priced beside r9_time, which has no term for rows of C that begin anywhere.
    const double multiplying = is_f32 && sm90::along_pays(sizes) ? 1.05 * sm90::along_time(sizes)
                               : is_f32 && operands.c_by_group
                                   ? sm90::r9_time(sizes, sm90::r9_tile(sizes, operands, false), operands)
                                   : sm90::async_time_of_choice(sizes, operands);
    const bool by_threads =
        is_for_threads(p.m, p.n, p.k, 1) && p.out == p.in && p.a != Form::strided && p.b != Form::strided;
    if (copied == 0 || (by_threads && !is_f32)) return multiplying;
    // 11997 x 9155 x 15 NN took 275 us, few_steps_mma 185; 2980 x 4146 x 46 NN 38 and 34.
    const double loose = !is_f32 || operands.c_by_group || p.k > 64 ? 1 : p.k <= 32 ? 1.6 : 1.4;
    const bool is_soon = is_f32 && copied <= 8e6 && sm90::along_cuts(sizes);  // 442 x 107 x 2734 NT: 14.3 us
    if ((is_f32 && !is_soon) || std::min(p.m, p.n) <= 8) return multiplying * loose + 2000 + copied / 1100;
    // Copies of up to some 8 MB lie in L2 when they are read: 226 x 541 x 4689 NN took 16.9 us so, 22.4 by
    // few_rows_anywhere, but 76 x 14336 x 4096 102 and 65.
    const double in_cache = std::min(copied, 8e6);
    return multiplying + 600 + in_cache / 4270 + (copied - in_cache) / 1100;
}

}  // namespace tw::cuda::r9
