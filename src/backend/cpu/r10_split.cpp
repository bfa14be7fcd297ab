// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// r10_split: f32 answers from narrow products. Each operand is cut into bf16 parts on its way into r8's panels, once,
// and the unit multiplies parts instead of operands: all small products of a chunk of k first, then hi * hi on top of
// them, so that few roundings happen at the size of the result.
//
//        x = hi + mid + lo                    hi    mid   lo    of B
//                                       hi  | last   2     1
//                                       mid |  4     3     .       bf16x6: the products 1 to 4, 5, last;
//                                of A   lo  |  5     .     .       bf16x3: hi lo, hi hi, lo hi of two parts
//
// Needs: panels of 2 bytes an element and part. 6 (3) products of r8's. Rows and columns whose parts would not give
// them back (Inf, NaN, below 2^-40, from 2^58 on) are found while they are packed and go by FMA. Gained over r7: the
// accuracy of an f32 sum, at a sixth (a third) of what the matrix unit does with bf16.
#include "backend/cpu/in_slabs.hpp"
#include "backend/cpu/ladder.hpp"
#include "backend/cpu/unit/matrix_rows.hpp"
#include "base/cpu_features.hpp"

namespace tw::cpu {
namespace {

constexpr Tile three_parts[] = {{192, 4096, 1024}, {256, 4096, 1024}, {128, 4096, 1024}};
constexpr Tile two_parts[] = {{4096, 256, 1024}, {4096, 384, 1024}, {4096, 128, 1024}};

template <const MatrixUnit& unit, int parts>
constexpr Kernel row(const char* name, Features needs) {
    constexpr int rate = parts == 3 ? 120 : 225;
    return {.name = name,
            .rung = Rung::split,
            .in = Type::f32,
            .out = Type::f32,
            .sum = Type::f32,
            .scheme = parts == 3 ? &bf16x6 : &bf16x3,
            .needs = needs,
            .tiles = parts == 3 ? std::span(three_parts) : std::span(two_parts),
            .fuses_epilogue = true,
            .idea = parts == 3 ? "f32 cut into three bf16 parts: six products on the matrix unit, smallest first"
                               : "f32 cut into two bf16 parts: three products on the matrix unit",
            .sum_bound = unit_sum_bound<parts>,
            .nanoseconds = unit_nanoseconds<parts, rate>,
            .scratch_bytes = ByParts<unit, parts>::scratch_bytes,
            .run = ByParts<unit, parts>::run,
            .order = order_of_parts<parts>};
}

template <const MatrixUnit& unit, int... parts>
InSlabs slabs_by(const Kernel& kernel) noexcept {
    InSlabs found;
    ((found = kernel.run == ByParts<unit, parts>::run
                  ? InSlabs{ByParts<unit, parts>::run_in_slabs, false, ByParts<unit, parts>::bytes_in_slabs}
                  : found),
     ...);
    return found;
}

}  // namespace

#if defined(__x86_64__)
constinit const Kernel r10_split_amx_bf16x3 = row<unit_amx, 2>("cpu.r10_split.f32.bf16x3.amx", cpu_feature::amx_bf16);
constinit const Kernel r10_split_amx_bf16x6 = row<unit_amx, 3>("cpu.r10_split.f32.bf16x6.amx", cpu_feature::amx_bf16);
#endif
constinit const Kernel r10_split_emulated_bf16x3 = row<unit_emulated, 2>("cpu-check.r10_split.f32.bf16x3", 0);
constinit const Kernel r10_split_emulated_bf16x6 = row<unit_emulated, 3>("cpu-check.r10_split.f32.bf16x6", 0);

InSlabs unit_in_slabs(const Kernel& kernel) noexcept {
#if defined(__x86_64__)
    if (const InSlabs found = slabs_by<unit_amx, 1, 2, 3>(kernel); found.run) return found;
#endif
    return slabs_by<unit_emulated, 1, 2, 3>(kernel);
}

}  // namespace tw::cpu
