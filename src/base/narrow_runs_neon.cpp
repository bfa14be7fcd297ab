// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// f16 by the conversions that every 64-bit Arm processor has. For bf16 plain code is as quick: its shifts and sums
// become vectors by themselves.
#include <arm_neon.h>

#include "base/narrow_runs.hpp"
#include "base/rounding.hpp"

namespace tw {
namespace {

constexpr std::int64_t lanes = 4;

void widen_all(const float16* source, std::int64_t step, std::int64_t rows, std::int64_t count, float* to,
               std::int64_t to_step) {
    for (; rows > 0; --rows, source += step, to += to_step) {
        std::int64_t i = 0;
        for (; i + lanes <= count; i += lanes) {
            const uint16x4_t bits = vld1_u16(&source[i].bits);
            vst1q_f32(to + i, vcvt_f32_f16(vreinterpret_f16_u16(bits)));
        }
        for (; i < count; ++i) to[i] = widen(source[i]);
    }
}

void round_all(const float* source, std::int64_t step, std::int64_t rows, std::int64_t count, float16* to,
               std::int64_t to_step) {
    for (; rows > 0; --rows, source += step, to += to_step) {
        std::int64_t i = 0;
        for (; i + lanes <= count; i += lanes)
            vst1_u16(&to[i].bits, vreinterpret_u16_f16(vcvt_f16_f32(vld1q_f32(source + i))));
        for (; i < count; ++i) to[i] = to_float16(source[i]);
    }
}

}  // namespace

constinit const NarrowRuns narrow_runs_neon{.widen_f16 = widen_all, .round_f16 = round_all};

}  // namespace tw
