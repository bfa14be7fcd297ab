// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// From what a job says at run time to kernels that were compiled for it: the operands' majors, and the width.
#pragma once

#include <type_traits>
#include <utility>

#include "backend/cuda/async/runs.hpp"
#include "backend/cuda/ptx/wgmma.cuh"
#include "backend/cuda/tiles/async_shapes_sm90.hpp"

namespace tw::cuda {

inline constexpr Status no_such_tile{Code::unsupported, Argument::options, "the kernel has no tile of this size"};

template <ptx::Major major>
using MajorOf = std::integral_constant<ptx::Major, major>;

/// run(a's major, b's) as constants. tf32 lies along k.
template <class T, class Run>
Status by_majors(const Job& job, const Run& run) {
    constexpr MajorOf<ptx::Major::k> along;
    constexpr MajorOf<ptx::Major::other> across;
    if constexpr (sizeof(T) == 2) {
        if (job.a.across) return job.b.across ? run(across, across) : run(across, along);
        if (job.b.across) return run(along, across);
    }
    return run(along, along);
}

/// run(width as a constant), of a list of them.
template <sm90::Widths widths, class Run>
Status by_width(int width, const Run& run) {
    Status done = no_such_tile;
    const auto one = [&](auto of) {
        if (of.value == width) done = run(of);
    };
    [&]<int... i>(std::integer_sequence<int, i...>) {
        (one(std::integral_constant<int, widths.of[i]>{}), ...);
    }(std::make_integer_sequence<int, widths.count>{});
    return done;
}

}  // namespace tw::cuda
