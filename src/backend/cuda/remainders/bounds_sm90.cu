// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The product of magnitudes, |A||B| from below, for operands that have too few large elements to be sure of: how many
// moduli the tiles ask for, and which no count keeps.
#include "backend/cuda/remainders/units.cuh"

namespace tw::cuda {
namespace {

using P = PlanePipeline;

/// What each count needs of |a||b| / (||a|| ||b||), for each part of a complex result.
struct Needed {
    float of_count[remainders::counts];
};

/// The product of magnitudes: the least coefficient of each consumer's half tile, then of the tile.
__global__ void __launch_bounds__(P::threads, 1)
    bound_planes(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, RemaindersCall call,
                 Raster raster, int steps, int parts, Needed needed) {
    ptx::let_next_kernel_begin();
    ptx::wait_for_kernel_before();
    if (__shfl_sync(~0u, call.found->unsure, 0) == 0) return;
    const Units units{raster, 0, parts, nullptr};
    run_units(a, b, units, steps, [&](int(&sums)[P::BN / 2], int, int row, int col, int consumer, int thread) {
        const int rows = static_cast<int>(call.a.rows.rows()), cols = static_cast<int>(call.b.rows.rows());
        const int first_row = row * P::BM + consumer * 64 + thread / 32 * 16 + thread % 32 / 4;
        const int first_col = col * P::BN + thread % 4 * 2;
        float worths[2], least[2] = {1, 1};  // of the thread's rows; of each half of the columns
#pragma unroll
        for (int i = 0; i < 2; ++i) worths[i] = call.a.scaled[min(first_row + 8 * i, rows - 1)].worth;
#pragma unroll
        for (int i = 0; i < P::BN / 4; ++i) {
            const int c = first_col + i / 2 * 8 + i % 2;
            if (c >= cols) continue;
            const float y = call.b.scaled[c].worth;
#pragma unroll
            for (int j = 0; j < 2; ++j) {
                const float x = worths[j];
                const bool is_zero = (x < 0 && y != 0) || (y < 0 && x != 0);
                const float here = static_cast<float>(sums[i / 2 * 4 + 2 * j + i % 2]) * x * y * (1 - 0x1p-20f);
                float& to = least[i / (P::BN / 8)];
                if (!is_zero && first_row + 8 * j < rows) to = fminf(to, here);
            }
        }
        int above = 0;
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            int asks = 0;  // for so many above the least; `counts` of them: for what there is not
#pragma unroll
            for (int i = 0; i < remainders::counts; ++i) asks += !(least[half] >= needed.of_count[i]);
            asks = static_cast<int>(__reduce_max_sync(~0u, static_cast<unsigned>(asks)));
            if (asks < remainders::counts) above = max(above, asks);
            else if (thread % 32 == 0)
                call.out.native[row * 2 * call.out.across + 2 * col + half] = 1, call.found->any_native = 1;
        }
        if (thread % 32 == 0 && above > 0) atomicMax(&call.found->above, above);
    });
}

}  // namespace

Status bound_products(const RemaindersCall& call, void* stream) noexcept {
    const int parts = call.set.planes;
    const PlanesStart start(call, parts, {call.magnitudes_of(call.a), parts, parts},
                            {call.magnitudes_of(call.b), parts, parts});
    if (!start.status) return start.status;
    Needed needed{};
    for (int i = 0; i < remainders::counts; ++i)
        needed.of_count[i] =
            static_cast<float>(remainders::least_coefficient(call.set, call.set.least + i, call.a.rows.cols())) *
            (1 + 0x1p-20f);
    return launch(bound_planes, start.how, stream, start.a, start.b, call, start.raster, start.steps, parts, needed);
}

}  // namespace tw::cuda
