// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Counters in global memory, by which blocks that run at the same time tell one another what is done.
#pragma once

#include <cstdint>

namespace tw::cuda::ptx {

/// Ordinary stores to global memory, before TMA reads them; and again by whoever then starts its copies.
__device__ inline void publish_to_tma() { asm volatile("fence.acq_rel.gpu;\nfence.proxy.async;" ::: "memory"); }

__device__ inline void count_up(unsigned* counter) {
    asm volatile("red.release.gpu.global.add.u32 [%0], 1;" ::"l"(counter) : "memory");
}

__device__ inline void wait_for_count(const unsigned* counter, unsigned all) {
    unsigned now;
    for (;;) {
        asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(now) : "l"(counter) : "memory");
        if (now >= all) return;
        __nanosleep(200);
    }
}

/// Up to `all`, and then from 0 again; says what it was. What the block wrote in front of a barrier is seen by whoever
/// counts later.
__device__ inline unsigned count_around(unsigned* counter, unsigned all) {
    unsigned before;
    asm volatile("atom.acq_rel.gpu.global.inc.u32 %0, [%1], %2;" : "=r"(before) : "l"(counter), "r"(all) : "memory");
    return before;
}

/// A mailbox: a number, and the flag that it has come, in one 64-bit word, which is therefore read as a whole.
__device__ inline void put_into_mailbox(std::uint64_t* to, float x) {
    constexpr std::uint64_t here = std::uint64_t{1} << 32;
    asm volatile("st.relaxed.gpu.global.b64 [%0], %1;" ::"l"(to), "l"(here | __float_as_uint(x)) : "memory");
}
__device__ inline std::uint64_t look_into_mailbox(const std::uint64_t* at) {
    std::uint64_t mail;
    asm volatile("ld.relaxed.gpu.global.b64 %0, [%1];" : "=l"(mail) : "l"(at) : "memory");
    return mail;
}
__device__ inline bool has_come(std::uint64_t mail) { return mail >> 32 != 0; }
__device__ inline float number_in(std::uint64_t mail) { return __uint_as_float(static_cast<unsigned>(mail)); }

/// Two words at once, each a number that is its own flag, and four.
__device__ inline void send_words(std::uint32_t* to, std::uint32_t x, std::uint32_t y) {
    asm volatile("st.relaxed.gpu.global.v2.b32 [%0], {%1, %2};" ::"l"(to), "r"(x), "r"(y) : "memory");
}
__device__ inline uint4 look_for_words(const std::uint32_t* at) {
    uint4 words;
    asm volatile("ld.relaxed.gpu.global.v4.b32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(words.x), "=r"(words.y), "=r"(words.z), "=r"(words.w)
                 : "l"(at)
                 : "memory");
    return words;
}

}  // namespace tw::cuda::ptx
