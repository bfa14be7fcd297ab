// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// r8_matrix_unit: the processor's matrix unit multiplies tiles of 16 x 32 by 32 x 16 bf16 in one instruction and adds
// up in f32. As in r7, packed panels are multiplied block by block; here panels hold tiles, and four tiles of sums
// make a 32 x 32 block of C.
//
//                  b 0     b 1      32 of k each
//                +-------+-------+
//        a 0     | sum 0 | sum 1 |       a tile of A: 16 rows x 32 of k
//                +-------+-------+       a tile of B: 16 pairs of k x 16 columns
//        a 1     | sum 2 | sum 3 |       a tile of sums: 16 x 16 f32
//                +-------+-------+
//
// Needs: bf16 operands; f32 ones are rounded to nearest on their way into the panels. 2mnk flops; one tile loaded for
// each instruction: those of A come from L1, where a chunk of a panel stays while B's stream past it. Rows
// and columns with Inf, NaN or numbers outside of the window go by FMA. Gained over r7: sixteen times the multiply-adds
// a cycle, for those to whom bf16 is enough.
#include "backend/cpu/ladder.hpp"
#include "backend/cpu/unit/matrix_rows.hpp"
#include "base/cpu_features.hpp"

namespace tw::cpu {
namespace {

constexpr Tile tiles[] = {{4096, 320, 2048}, {4096, 256, 2048}, {4096, 192, 2048}};
constexpr int rate = 560;

template <const MatrixUnit& unit>
constexpr Kernel row(const char* name, Features needs, Type in, Type out) {
    return {.name = name,
            .rung = Rung::matrix_unit,
            .in = in,
            .out = out,
            .sum = Type::f32,
            .scheme = in == Type::f32 ? &bf16x1 : &plain_f32,
            .needs = needs,
            .tiles = tiles,
            .fuses_epilogue = out == Type::f32,
            .idea = "bf16 tiles that the matrix unit multiplies in one instruction, summed in f32",
            .sum_bound = unit_sum_bound<1>,
            .nanoseconds = unit_nanoseconds<1, rate>,
            .scratch_bytes = ByParts<unit, 1>::scratch_bytes,
            .run = ByParts<unit, 1>::run,
            .order = order_of_parts<1>};
}

}  // namespace

#if defined(__x86_64__)
constinit const Kernel r8_matrix_unit_amx_f32 =
    row<unit_amx>("cpu.r8_matrix_unit.f32.amx", cpu_feature::amx_bf16, Type::f32, Type::f32);
constinit const Kernel r8_matrix_unit_amx_bf16 =
    row<unit_amx>("cpu.r8_matrix_unit.bf16.amx", cpu_feature::amx_bf16, Type::bf16, Type::bf16);
constinit const Kernel r8_matrix_unit_amx_bf16_f32 =
    row<unit_amx>("cpu.r8_matrix_unit.bf16_f32.amx", cpu_feature::amx_bf16, Type::bf16, Type::f32);
#endif
constinit const Kernel r8_matrix_unit_emulated_f32 =
    row<unit_emulated>("cpu-check.r8_matrix_unit.f32", 0, Type::f32, Type::f32);
constinit const Kernel r8_matrix_unit_emulated_bf16 =
    row<unit_emulated>("cpu-check.r8_matrix_unit.bf16", 0, Type::bf16, Type::bf16);
constinit const Kernel r8_matrix_unit_emulated_bf16_f32 =
    row<unit_emulated>("cpu-check.r8_matrix_unit.bf16_f32", 0, Type::bf16, Type::f32);

}  // namespace tw::cpu
