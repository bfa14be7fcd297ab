// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// wgmma: a warpgroup's product of 64 rows of A and N rows of B^T, 16 of k deep, summed in registers (sm_90a).
// Both operands are read from shared memory through descriptors. The unit aligns the 16 products and the sum to the
// largest of them, keeps 25 bits below its leading one, and truncates.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>
#include <type_traits>

namespace tw::cuda::ptx {

/// How a tile lies in shared memory: its k, or its other direction, is contiguous. Its rows are swizzled.
enum class Major { k, other };

/// Rows of row_bytes, 128 or 64. `lead`: bytes from one run of 64 elements to the next, for Major::other alone.
template <int row_bytes = 128>
__device__ std::uint64_t tile_descriptor(std::uint32_t address, int lead = 16) {
    constexpr std::uint64_t eight_rows = 8 * row_bytes >> 4, swizzle = std::uint64_t{row_bytes == 128 ? 1 : 2} << 62;
    return ((address & 0x3FFFF) >> 4) | (static_cast<std::uint64_t>(lead >> 4) << 16) | (eight_rows << 32) | swizzle;
}

__device__ inline void fence_products() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ inline void commit_products() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
template <int pending>
__device__ void wait_for_products() {
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(pending) : "memory");
}

/// Keeps the compiler from moving uses of the sums across a fence or a wait.
template <int count>
__device__ void pin(float (&sums)[count]) {
#pragma unroll
    for (int i = 0; i < count; ++i) asm volatile("" : "+f"(sums[i])::"memory");
}

// Lists for the assembler, 4 sums a group: as many as a width of 8 columns for each thread.
#define TW_NAMES_1 "%0, %1, %2, %3"
#define TW_NAMES_2 TW_NAMES_1 ", %4, %5, %6, %7"
#define TW_NAMES_3 TW_NAMES_2 ", %8, %9, %10, %11"
#define TW_NAMES_4 TW_NAMES_3 ", %12, %13, %14, %15"
#define TW_NAMES_5 TW_NAMES_4 ", %16, %17, %18, %19"
#define TW_NAMES_6 TW_NAMES_5 ", %20, %21, %22, %23"
#define TW_NAMES_7 TW_NAMES_6 ", %24, %25, %26, %27"
#define TW_NAMES_8 TW_NAMES_7 ", %28, %29, %30, %31"
#define TW_NAMES_9 TW_NAMES_8 ", %32, %33, %34, %35"
#define TW_NAMES_10 TW_NAMES_9 ", %36, %37, %38, %39"
#define TW_NAMES_11 TW_NAMES_10 ", %40, %41, %42, %43"
#define TW_NAMES_12 TW_NAMES_11 ", %44, %45, %46, %47"
#define TW_NAMES_13 TW_NAMES_12 ", %48, %49, %50, %51"
#define TW_NAMES_14 TW_NAMES_13 ", %52, %53, %54, %55"
#define TW_NAMES_15 TW_NAMES_14 ", %56, %57, %58, %59"
#define TW_NAMES_16 TW_NAMES_15 ", %60, %61, %62, %63"
#define TW_NAMES_17 TW_NAMES_16 ", %64, %65, %66, %67"
#define TW_NAMES_18 TW_NAMES_17 ", %68, %69, %70, %71"
#define TW_NAMES_19 TW_NAMES_18 ", %72, %73, %74, %75"
#define TW_NAMES_20 TW_NAMES_19 ", %76, %77, %78, %79"
#define TW_NAMES_21 TW_NAMES_20 ", %80, %81, %82, %83"
#define TW_NAMES_22 TW_NAMES_21 ", %84, %85, %86, %87"
#define TW_NAMES_23 TW_NAMES_22 ", %88, %89, %90, %91"
#define TW_NAMES_24 TW_NAMES_23 ", %92, %93, %94, %95"
#define TW_NAMES_25 TW_NAMES_24 ", %96, %97, %98, %99"
#define TW_NAMES_26 TW_NAMES_25 ", %100, %101, %102, %103"
#define TW_NAMES_27 TW_NAMES_26 ", %104, %105, %106, %107"
#define TW_NAMES_28 TW_NAMES_27 ", %108, %109, %110, %111"
#define TW_NAMES_29 TW_NAMES_28 ", %112, %113, %114, %115"
#define TW_NAMES_30 TW_NAMES_29 ", %116, %117, %118, %119"
#define TW_NAMES_31 TW_NAMES_30 ", %120, %121, %122, %123"
#define TW_NAMES_32 TW_NAMES_31 ", %124, %125, %126, %127"
#define TW_SUMS(g) "+f"(d[4 * g]), "+f"(d[4 * g + 1]), "+f"(d[4 * g + 2]), "+f"(d[4 * g + 3])
#define TW_ALL_SUMS_1 TW_SUMS(0)
#define TW_ALL_SUMS_2 TW_ALL_SUMS_1, TW_SUMS(1)
#define TW_ALL_SUMS_3 TW_ALL_SUMS_2, TW_SUMS(2)
#define TW_ALL_SUMS_4 TW_ALL_SUMS_3, TW_SUMS(3)
#define TW_ALL_SUMS_5 TW_ALL_SUMS_4, TW_SUMS(4)
#define TW_ALL_SUMS_6 TW_ALL_SUMS_5, TW_SUMS(5)
#define TW_ALL_SUMS_7 TW_ALL_SUMS_6, TW_SUMS(6)
#define TW_ALL_SUMS_8 TW_ALL_SUMS_7, TW_SUMS(7)
#define TW_ALL_SUMS_9 TW_ALL_SUMS_8, TW_SUMS(8)
#define TW_ALL_SUMS_10 TW_ALL_SUMS_9, TW_SUMS(9)
#define TW_ALL_SUMS_11 TW_ALL_SUMS_10, TW_SUMS(10)
#define TW_ALL_SUMS_12 TW_ALL_SUMS_11, TW_SUMS(11)
#define TW_ALL_SUMS_13 TW_ALL_SUMS_12, TW_SUMS(12)
#define TW_ALL_SUMS_14 TW_ALL_SUMS_13, TW_SUMS(13)
#define TW_ALL_SUMS_15 TW_ALL_SUMS_14, TW_SUMS(14)
#define TW_ALL_SUMS_16 TW_ALL_SUMS_15, TW_SUMS(15)
#define TW_ALL_SUMS_17 TW_ALL_SUMS_16, TW_SUMS(16)
#define TW_ALL_SUMS_18 TW_ALL_SUMS_17, TW_SUMS(17)
#define TW_ALL_SUMS_19 TW_ALL_SUMS_18, TW_SUMS(18)
#define TW_ALL_SUMS_20 TW_ALL_SUMS_19, TW_SUMS(19)
#define TW_ALL_SUMS_21 TW_ALL_SUMS_20, TW_SUMS(20)
#define TW_ALL_SUMS_22 TW_ALL_SUMS_21, TW_SUMS(21)
#define TW_ALL_SUMS_23 TW_ALL_SUMS_22, TW_SUMS(22)
#define TW_ALL_SUMS_24 TW_ALL_SUMS_23, TW_SUMS(23)
#define TW_ALL_SUMS_25 TW_ALL_SUMS_24, TW_SUMS(24)
#define TW_ALL_SUMS_26 TW_ALL_SUMS_25, TW_SUMS(25)
#define TW_ALL_SUMS_27 TW_ALL_SUMS_26, TW_SUMS(26)
#define TW_ALL_SUMS_28 TW_ALL_SUMS_27, TW_SUMS(27)
#define TW_ALL_SUMS_29 TW_ALL_SUMS_28, TW_SUMS(28)
#define TW_ALL_SUMS_30 TW_ALL_SUMS_29, TW_SUMS(29)
#define TW_ALL_SUMS_31 TW_ALL_SUMS_30, TW_SUMS(30)
#define TW_ALL_SUMS_32 TW_ALL_SUMS_31, TW_SUMS(31)

/// d = a * b + (keep ? d : 0)
template <int N, class T, Major a_major, Major b_major>
struct MatrixUnit;

#define TW_WGMMA(N, TYPE, NAME, GROUPS, A, B, KEEP, ACROSS_A, ACROSS_B)                                            \
    template <Major a_major, Major b_major>                                                                        \
    struct MatrixUnit<N, TYPE, a_major, b_major> {                                                                 \
        static __device__ void add(float (&d)[N / 2], std::uint64_t a, std::uint64_t b, int keep) {                \
            asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, " KEEP ", 0;\nwgmma.mma_async.sync.aligned.m64n" #N     \
                         "k16.f32." NAME "." NAME " {" TW_NAMES_##GROUPS "}, " A ", " B ", p, 1, 1, " ACROSS_A     \
                                                                         ", " ACROSS_B ";\n}\n"                    \
                         : TW_ALL_SUMS_##GROUPS                                                                    \
                         : "l"(a), "l"(b), "r"(keep), "n"(a_major == Major::other), "n"(b_major == Major::other)); \
        }                                                                                                          \
    };
/// tf32: 8 of k deep, and only along k.
#define TW_WGMMA_TF32(N, GROUPS, A, B, KEEP)                                                                   \
    template <>                                                                                                \
    struct MatrixUnit<N, float, Major::k, Major::k> {                                                          \
        static __device__ void add(float (&d)[N / 2], std::uint64_t a, std::uint64_t b, int keep) {            \
            asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, " KEEP ", 0;\nwgmma.mma_async.sync.aligned.m64n" #N \
                         "k8.f32.tf32.tf32 {" TW_NAMES_##GROUPS "}, " A ", " B ", p, 1, 1;\n}\n"               \
                         : TW_ALL_SUMS_##GROUPS                                                                \
                         : "l"(a), "l"(b), "r"(keep));                                                         \
        }                                                                                                      \
    };
#define TW_WGMMA_ALL(N, GROUPS, A, B, KEEP, ACROSS_A, ACROSS_B)                \
    TW_WGMMA(N, __half, "f16", GROUPS, A, B, KEEP, ACROSS_A, ACROSS_B)         \
    TW_WGMMA(N, __nv_bfloat16, "bf16", GROUPS, A, B, KEEP, ACROSS_A, ACROSS_B) \
    TW_WGMMA_TF32(N, GROUPS, A, B, KEEP)

TW_WGMMA_ALL(24, 3, "%12", "%13", "%14", "%15", "%16")
TW_WGMMA_ALL(32, 4, "%16", "%17", "%18", "%19", "%20")
TW_WGMMA_ALL(40, 5, "%20", "%21", "%22", "%23", "%24")
TW_WGMMA_ALL(48, 6, "%24", "%25", "%26", "%27", "%28")
TW_WGMMA_ALL(56, 7, "%28", "%29", "%30", "%31", "%32")
TW_WGMMA_ALL(64, 8, "%32", "%33", "%34", "%35", "%36")
TW_WGMMA_ALL(80, 10, "%40", "%41", "%42", "%43", "%44")
TW_WGMMA_ALL(88, 11, "%44", "%45", "%46", "%47", "%48")
TW_WGMMA_ALL(96, 12, "%48", "%49", "%50", "%51", "%52")
TW_WGMMA_ALL(112, 14, "%56", "%57", "%58", "%59", "%60")
TW_WGMMA_ALL(128, 16, "%64", "%65", "%66", "%67", "%68")
TW_WGMMA_ALL(144, 18, "%72", "%73", "%74", "%75", "%76")
TW_WGMMA_ALL(160, 20, "%80", "%81", "%82", "%83", "%84")
TW_WGMMA_ALL(176, 22, "%88", "%89", "%90", "%91", "%92")
TW_WGMMA_ALL(192, 24, "%96", "%97", "%98", "%99", "%100")
TW_WGMMA_ALL(208, 26, "%104", "%105", "%106", "%107", "%108")
TW_WGMMA_ALL(224, 28, "%112", "%113", "%114", "%115", "%116")
TW_WGMMA_ALL(256, 32, "%128", "%129", "%130", "%131", "%132")

#undef TW_WGMMA_ALL
#undef TW_WGMMA_TF32
#undef TW_WGMMA

}  // namespace tw::cuda::ptx
