// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// wgmma's product of 64 rows of A and N of B^T, 32 bytes of k deep, whose A is in registers: a warp has 16 rows. Lane l
// has of rows l / 4 and + 8, in a[0] and a[1], the word l % 4 of k, and the word 4 further on in a[2] and a[3]: one of
// tf32, or two neighbours of 16 bits.
#pragma once

#include "backend/cuda/ptx/wgmma.cuh"

namespace tw::cuda::ptx {

/// d = a * b + (keep ? d : 0)
template <int N, class T = float>
struct UnitOfRegisters;

#define TW_WGMMA_OF_REGISTERS(N, TYPE, NAME, MAJOR, GROUPS, A, B, KEEP)                                             \
    template <>                                                                                                     \
    struct UnitOfRegisters<N, TYPE> {                                                                               \
        static __device__ void add(float (&d)[N / 2], const std::uint32_t (&a)[4], std::uint64_t b, int keep) {     \
            asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, " KEEP ", 0;\nwgmma.mma_async.sync.aligned.m64n" #N NAME \
                         " {" TW_NAMES_##GROUPS "}, {" A "}, " B ", p, 1, 1" MAJOR ";\n}\n"                         \
                         : TW_ALL_SUMS_##GROUPS                                                                     \
                         : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(keep));                          \
        }                                                                                                           \
    };

#define TW_WGMMA_OF_ALL(TYPE, NAME, MAJOR)                                              \
    TW_WGMMA_OF_REGISTERS(32, TYPE, NAME, MAJOR, 4, "%16, %17, %18, %19", "%20", "%21") \
    TW_WGMMA_OF_REGISTERS(64, TYPE, NAME, MAJOR, 8, "%32, %33, %34, %35", "%36", "%37") \
    TW_WGMMA_OF_REGISTERS(128, TYPE, NAME, MAJOR, 16, "%64, %65, %66, %67", "%68", "%69")

TW_WGMMA_OF_ALL(float, "k8.f32.tf32.tf32", "")
TW_WGMMA_OF_ALL(__nv_bfloat16, "k16.f32.bf16.bf16", ", 0")
TW_WGMMA_OF_ALL(__half, "k16.f32.f16.f16", ", 0")

TW_WGMMA_OF_REGISTERS(96, float, "k8.f32.tf32.tf32", "", 12, "%48, %49, %50, %51", "%52", "%53")
TW_WGMMA_OF_REGISTERS(160, float, "k8.f32.tf32.tf32", "", 20, "%80, %81, %82, %83", "%84", "%85")
TW_WGMMA_OF_REGISTERS(192, float, "k8.f32.tf32.tf32", "", 24, "%96, %97, %98, %99", "%100", "%101")
TW_WGMMA_OF_REGISTERS(256, float, "k8.f32.tf32.tf32", "", 32, "%128, %129, %130, %131", "%132", "%133")

#undef TW_WGMMA_OF_ALL
#undef TW_WGMMA_OF_REGISTERS

}  // namespace tw::cuda::ptx
