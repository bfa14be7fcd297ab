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

#define TW_NAMES_0 "%0, %1, %2, %3, %4, %5, %6, %7"
#define TW_NAMES_1 TW_NAMES_0 ", %8, %9, %10, %11, %12, %13, %14, %15"
#define TW_NAMES_2 TW_NAMES_1 ", %16, %17, %18, %19, %20, %21, %22, %23"
#define TW_NAMES_3 TW_NAMES_2 ", %24, %25, %26, %27, %28, %29, %30, %31"
#define TW_NAMES_4 TW_NAMES_3 ", %32, %33, %34, %35, %36, %37, %38, %39"
#define TW_NAMES_5 TW_NAMES_4 ", %40, %41, %42, %43, %44, %45, %46, %47"
#define TW_NAMES_6 TW_NAMES_5 ", %48, %49, %50, %51, %52, %53, %54, %55"
#define TW_NAMES_7 TW_NAMES_6 ", %56, %57, %58, %59, %60, %61, %62, %63"
#define TW_NAMES_8 TW_NAMES_7 ", %64, %65, %66, %67, %68, %69, %70, %71"
#define TW_NAMES_9 TW_NAMES_8 ", %72, %73, %74, %75, %76, %77, %78, %79"
#define TW_NAMES_10 TW_NAMES_9 ", %80, %81, %82, %83, %84, %85, %86, %87"
#define TW_NAMES_11 TW_NAMES_10 ", %88, %89, %90, %91, %92, %93, %94, %95"
#define TW_NAMES_12 TW_NAMES_11 ", %96, %97, %98, %99, %100, %101, %102, %103"
#define TW_NAMES_13 TW_NAMES_12 ", %104, %105, %106, %107, %108, %109, %110, %111"
#define TW_NAMES_14 TW_NAMES_13 ", %112, %113, %114, %115, %116, %117, %118, %119"
#define TW_NAMES_15 TW_NAMES_14 ", %120, %121, %122, %123, %124, %125, %126, %127"
#define TW_SUMS(g)                                                                                  \
    "+f"(d[8 * g]), "+f"(d[8 * g + 1]), "+f"(d[8 * g + 2]), "+f"(d[8 * g + 3]), "+f"(d[8 * g + 4]), \
        "+f"(d[8 * g + 5]), "+f"(d[8 * g + 6]), "+f"(d[8 * g + 7])
#define TW_ALL_SUMS_0 TW_SUMS(0)
#define TW_ALL_SUMS_1 TW_ALL_SUMS_0, TW_SUMS(1)
#define TW_ALL_SUMS_2 TW_ALL_SUMS_1, TW_SUMS(2)
#define TW_ALL_SUMS_3 TW_ALL_SUMS_2, TW_SUMS(3)
#define TW_ALL_SUMS_4 TW_ALL_SUMS_3, TW_SUMS(4)
#define TW_ALL_SUMS_5 TW_ALL_SUMS_4, TW_SUMS(5)
#define TW_ALL_SUMS_6 TW_ALL_SUMS_5, TW_SUMS(6)
#define TW_ALL_SUMS_7 TW_ALL_SUMS_6, TW_SUMS(7)
#define TW_ALL_SUMS_8 TW_ALL_SUMS_7, TW_SUMS(8)
#define TW_ALL_SUMS_9 TW_ALL_SUMS_8, TW_SUMS(9)
#define TW_ALL_SUMS_10 TW_ALL_SUMS_9, TW_SUMS(10)
#define TW_ALL_SUMS_11 TW_ALL_SUMS_10, TW_SUMS(11)
#define TW_ALL_SUMS_12 TW_ALL_SUMS_11, TW_SUMS(12)
#define TW_ALL_SUMS_13 TW_ALL_SUMS_12, TW_SUMS(13)
#define TW_ALL_SUMS_14 TW_ALL_SUMS_13, TW_SUMS(14)
#define TW_ALL_SUMS_15 TW_ALL_SUMS_14, TW_SUMS(15)

/// d = a * b + (keep ? d : 0)
template <int N, class T, Major a_major, Major b_major>
struct MatrixUnit;

#define TW_WGMMA(N, TYPE, NAME, LAST, A, B, KEEP, ACROSS_A, ACROSS_B)                                              \
    template <Major a_major, Major b_major>                                                                        \
    struct MatrixUnit<N, TYPE, a_major, b_major> {                                                                 \
        static __device__ void add(float (&d)[N / 2], std::uint64_t a, std::uint64_t b, int keep) {                \
            asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, " KEEP ", 0;\nwgmma.mma_async.sync.aligned.m64n" #N     \
                         "k16.f32." NAME "." NAME " {" TW_NAMES_##LAST "}, " A ", " B ", p, 1, 1, " ACROSS_A       \
                                                                       ", " ACROSS_B ";\n}\n"                      \
                         : TW_ALL_SUMS_##LAST                                                                      \
                         : "l"(a), "l"(b), "r"(keep), "n"(a_major == Major::other), "n"(b_major == Major::other)); \
        }                                                                                                          \
    };
#define TW_WGMMA_BOTH(N, ...)               \
    TW_WGMMA(N, __half, "f16", __VA_ARGS__) \
    TW_WGMMA(N, __nv_bfloat16, "bf16", __VA_ARGS__)

TW_WGMMA_BOTH(64, 3, "%32", "%33", "%34", "%35", "%36")
TW_WGMMA_BOTH(96, 5, "%48", "%49", "%50", "%51", "%52")
TW_WGMMA_BOTH(128, 7, "%64", "%65", "%66", "%67", "%68")
TW_WGMMA_BOTH(160, 9, "%80", "%81", "%82", "%83", "%84")
TW_WGMMA_BOTH(176, 10, "%88", "%89", "%90", "%91", "%92")
TW_WGMMA_BOTH(192, 11, "%96", "%97", "%98", "%99", "%100")
TW_WGMMA_BOTH(208, 12, "%104", "%105", "%106", "%107", "%108")
TW_WGMMA_BOTH(256, 15, "%128", "%129", "%130", "%131", "%132")

/// tf32: 8 of k deep, and only along k.
template <>
struct MatrixUnit<128, float, Major::k, Major::k> {
    static __device__ void add(float (&d)[64], std::uint64_t a, std::uint64_t b, int keep) {
        asm volatile(
            "{\n.reg .pred p;\nsetp.ne.b32 p, %66, 0;\nwgmma.mma_async.sync.aligned.m64n128k8.f32.tf32.tf32 "
            "{" TW_NAMES_7 "}, %64, %65, p, 1, 1;\n}\n"
            : TW_ALL_SUMS_7
            : "l"(a), "l"(b), "r"(keep));
    }
};

#undef TW_WGMMA_BOTH
#undef TW_WGMMA

}  // namespace tw::cuda::ptx
