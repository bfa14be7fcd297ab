// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// An int8 product for each plane, whose sums become remainders, one byte each, before they leave the registers.
//
// The remainders of a thread's 128 sums lie in 16 runs of 8 bytes, one for two groups of 8 columns; a warp's 32 runs
// lie side by side.
#include "backend/cuda/remainders/units.cuh"

namespace tw::cuda {
namespace {

using P = PlanePipeline;

/// By moduli of one plane, and of two: those of both complex types are the same.
__constant__ constexpr std::array<std::array<remainders::OfSum, remainders::most_of_any>, 2> of_sums{
    remainders::of_sums(remainders::of_f64), remainders::of_sums(remainders::of_c128)};

/// Which operand has planes from before: they are for the fewest moduli.
enum class Kept { none, a, b };

__global__ void __launch_bounds__(P::threads, 1)
    multiply_planes(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,
                    const __grid_constant__ CUtensorMap kept, Kept which, RemaindersOutput out,
                    const RemaindersFound* found, Raster raster, int steps, int least, int planes_each) {
    ptx::let_next_kernel_begin();
    ptx::wait_for_kernel_before();
    const int above = __shfl_sync(~0u, found->above, 0);
    const Units units{raster, 0, planes_each * (least + above),
                      __any_sync(~0u, found->any_native) ? out.native : nullptr};
    const CUtensorMap& left = which == Kept::a && above == 0 ? kept : a;
    const CUtensorMap& right = which == Kept::b && above == 0 ? kept : b;
    run_units(
        left, right, units, steps, [&](int(&sums)[P::BN / 2], int plane, int row, int col, int consumer, int thread) {
            const remainders::OfSum by = of_sums[planes_each - 1][plane >> (planes_each - 1)];
            const auto remainder = [&](int sum) {
                return __umulhi(static_cast<unsigned>(sum) * by.multiplier + by.half, by.p);
            };
            const std::int64_t tile = (std::int64_t{plane} * out.down + row) * out.across + col;
            std::uint8_t* to =
                out.bytes + tile * RemaindersOutput::tile_bytes + (consumer * 4 + thread / 32) * 4096 + thread % 32 * 8;
#pragma unroll
            for (int run = 0; run < 16; ++run) {
                unsigned word[2];
#pragma unroll
                for (int i = 0; i < 2; ++i) {
                    const int* const s = sums + 8 * run + 4 * i;
                    word[i] = __byte_perm(__byte_perm(remainder(s[0]), remainder(s[1]), 0x0040),
                                          __byte_perm(remainder(s[2]), remainder(s[3]), 0x0040), 0x5410);
                }
                *reinterpret_cast<uint2*>(to + run * 256) = make_uint2(word[0], word[1]);
            }
        });
}

}  // namespace

Status multiply_remainders(const RemaindersCall& call, void* stream) noexcept {
    const remainders::Set& set = call.set;
    const PlanesAt all{.depth = call.most_planes()};
    const PlanesStart start(call, set.least * set.planes, all, all);
    if (!start.status) return start.status;
    const Kept which = call.a.kept ? Kept::a : call.b.kept ? Kept::b : Kept::none;
    CUtensorMap kept = start.a;
    if (which != Kept::none) {
        RemaindersOperand one = which == Kept::a ? call.a : call.b;
        one.planes = const_cast<std::int8_t*>(one.kept);
        const Status bad = describe_planes(kept, one, {.depth = set.least * set.planes},
                                           which == Kept::a ? PlanePipeline::BM : PlanePipeline::BN);
        if (!bad) return bad;
    }
    return launch(multiply_planes, start.how, stream, start.a, start.b, kept, which, call.out, call.found, start.raster,
                  start.steps, set.least, set.planes);
}

}  // namespace tw::cuda
