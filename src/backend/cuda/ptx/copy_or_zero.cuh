// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// cp.async of all or nothing (sm_80): by a predicate, which the instruction takes as it is. A count of valid bytes that
// is not known beforehand costs four instructions more each. L2 fetches whole lines, as it does for other copies when
// nothing is said.
#pragma once

#include <cstdint>

namespace tw::cuda::ptx {

/// 16 bytes, both addresses multiples of 16, past L1; zeros where they are not valid, and nothing is read.
__device__ inline void copy_16_or_zero(std::uint32_t to, const void* from, bool valid) {
    asm volatile(
        "{ .reg .pred no;\n\t setp.eq.u32 no, %2, 0;\n\t cp.async.cg.shared.global.L2::128B [%0], [%1], 16, no; }" ::
            "r"(to),
        "l"(from), "r"(static_cast<unsigned>(valid))
        : "memory");
}

/// Until at most `few` or, where `is_more`, `many` of the groups committed last are still on their way: without a
/// branch, across which no instruction is moved.
template <int few, int many>
__device__ void wait_for_copies(bool is_more) {
    asm volatile(
        "{ .reg .pred more;\n\t setp.ne.u32 more, %0, 0;\n\t @more cp.async.wait_group %2;\n\t @!more "
        "cp.async.wait_group %1; }" ::"r"(static_cast<unsigned>(is_more)),
        "n"(few), "n"(many)
        : "memory");
}

}  // namespace tw::cuda::ptx
