// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// wgmma's product of 64 rows of A and N of B^T, 8 of k deep, in tf32, whose A is in registers: a warp has 16 rows. Lane
// l has rows l / 4 and + 8 in a[0] and a[1], both at k = l % 4, and again at k + 4 in a[2] and a[3].
#pragma once

#include "backend/cuda/ptx/wgmma.cuh"

namespace tw::cuda::ptx {

/// d = a * b + (keep ? d : 0)
template <int N>
struct UnitOfRegisters;

#define TW_WGMMA_OF_REGISTERS(N, GROUPS, A, B, KEEP)                                                            \
    template <>                                                                                                 \
    struct UnitOfRegisters<N> {                                                                                 \
        static __device__ void add(float (&d)[N / 2], const std::uint32_t (&a)[4], std::uint64_t b, int keep) { \
            asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, " KEEP ", 0;\nwgmma.mma_async.sync.aligned.m64n" #N  \
                         "k8.f32.tf32.tf32 {" TW_NAMES_##GROUPS "}, {" A "}, " B ", p, 1, 1;\n}\n"              \
                         : TW_ALL_SUMS_##GROUPS                                                                 \
                         : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(keep));                      \
        }                                                                                                       \
    };

TW_WGMMA_OF_REGISTERS(32, 4, "%16, %17, %18, %19", "%20", "%21")
TW_WGMMA_OF_REGISTERS(64, 8, "%32, %33, %34, %35", "%36", "%37")
TW_WGMMA_OF_REGISTERS(128, 16, "%64, %65, %66, %67", "%68", "%69")

#undef TW_WGMMA_OF_REGISTERS

}  // namespace tw::cuda::ptx
