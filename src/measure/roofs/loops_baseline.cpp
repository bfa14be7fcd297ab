// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The loops that every processor of the platform can run: SSE2 on x86-64 (multiply and add, as it has no FMA), or NEON.
#include "measure/roofs/loops.hpp"

#if defined(__aarch64__)
#include <arm_neon.h>

#include "base/cpu_features.hpp"
#endif

namespace tw::measure {
namespace {

using Floats = float __attribute__((vector_size(16)));
using Doubles = double __attribute__((vector_size(16)));
using Words = std::uint64_t __attribute__((vector_size(16)));

constexpr int chains = 12;

#if defined(__aarch64__)
inline Floats step(Floats x, Floats factor, Floats term) {
    return Floats(vfmaq_f32(float32x4_t(term), float32x4_t(x), float32x4_t(factor)));
}
inline Doubles step(Doubles x, Doubles factor, Doubles term) {
    return Doubles(vfmaq_f64(float64x2_t(term), float64x2_t(x), float64x2_t(factor)));
}
constexpr const char* unit = "FMA neon";
constexpr int instructions_per_step = 1;
#else
template <class V>
inline V step(V x, V factor, V term) {
    return x * factor + term;
}
constexpr const char* unit = "mul+add sse2";
constexpr int instructions_per_step = 2;
#endif

/// x -> x * factor + term converges to a fixed point: no overflow, no subnormals.
template <class V>
double arithmetic(std::int64_t passes) {
    V x[chains];
    V factor{}, term{};
    volatile double seed = 0.75;
    factor += static_cast<decltype(factor[0] + 0)>(seed);
    term += static_cast<decltype(term[0] + 0)>(1 - seed);
    for (int i = 0; i < chains; ++i) x[i] = factor;
    for (std::int64_t pass = 0; pass < passes; ++pass)
        for (int i = 0; i < chains; ++i) x[i] = step(x[i], factor, term);
    V sum{};
    for (int i = 0; i < chains; ++i) sum += x[i];
    return static_cast<double>(sum[0]);
}

double read(const void* memory, std::size_t bytes, std::int64_t passes) {
    const auto* words = static_cast<const Words*>(memory);
    const std::size_t count = bytes / sizeof(Words);
    Words sum[8] = {};
    for (std::int64_t pass = 0; pass < passes; ++pass) {
        for (std::size_t i = 0; i < count; i += 8)
            for (std::size_t j = 0; j < 8; ++j) sum[j] += words[i + j];
        asm volatile("" ::: "memory");  // each pass reads anew
    }
    Words all{};
    for (const Words& part : sum) all += part;
    return static_cast<double>(all[0] + all[1]);
}

constexpr ComputeLoop loops[] = {
    {unit, "f32", 0, false, 8 / instructions_per_step, chains* instructions_per_step, arithmetic<Floats>},
    {unit, "f64", 0, false, 4 / instructions_per_step, chains* instructions_per_step, arithmetic<Doubles>},
};

}  // namespace

ComputeLoops baseline_compute_loops() { return {loops, 2}; }
ReadLoop baseline_read_loop() { return {"16-byte loads", 0, read}; }

}  // namespace tw::measure
