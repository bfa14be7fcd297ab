// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include <immintrin.h>

#include "base/cpu_features.hpp"
#include "measure/roofs/loops.hpp"

namespace tw::measure {
namespace {

constexpr int chains = 16;

double fma_f32(std::int64_t passes) {
    volatile float seed = 0.75f;
    const __m512 factor = _mm512_set1_ps(seed), term = _mm512_set1_ps(1 - seed);
    __m512 x[chains];
    for (int i = 0; i < chains; ++i) x[i] = factor;
    for (std::int64_t pass = 0; pass < passes; ++pass)
        for (int i = 0; i < chains; ++i) x[i] = _mm512_fmadd_ps(x[i], factor, term);
    for (int i = 1; i < chains; ++i) x[0] = _mm512_add_ps(x[0], x[i]);
    return static_cast<double>(_mm512_cvtss_f32(x[0]));
}

double fma_f64(std::int64_t passes) {
    volatile double seed = 0.75;
    const __m512d factor = _mm512_set1_pd(seed), term = _mm512_set1_pd(1 - seed);
    __m512d x[chains];
    for (int i = 0; i < chains; ++i) x[i] = factor;
    for (std::int64_t pass = 0; pass < passes; ++pass)
        for (int i = 0; i < chains; ++i) x[i] = _mm512_fmadd_pd(x[i], factor, term);
    for (int i = 1; i < chains; ++i) x[0] = _mm512_add_pd(x[0], x[i]);
    return _mm512_cvtsd_f64(x[0]);
}

double read(const void* memory, std::size_t bytes, std::int64_t passes) {
    const auto* words = static_cast<const __m512i*>(memory);
    const std::size_t count = bytes / sizeof(__m512i);
    __m512i sum[8];
    for (auto& part : sum) part = _mm512_setzero_si512();
    for (std::int64_t pass = 0; pass < passes; ++pass) {
        for (std::size_t i = 0; i < count; i += 8)
            for (std::size_t j = 0; j < 8; ++j) sum[j] = _mm512_add_epi64(sum[j], _mm512_load_si512(words + i + j));
        asm volatile("" ::: "memory");  // each pass reads anew
    }
    for (int j = 1; j < 8; ++j) sum[0] = _mm512_add_epi64(sum[0], sum[j]);
    alignas(64) std::uint64_t kept[8];
    _mm512_store_si512(kept, sum[0]);
    return static_cast<double>(kept[0]);
}

constexpr ComputeLoop loops[] = {
    {"FMA avx512", "f32", cpu_feature::avx512, false, 32, chains, fma_f32},
    {"FMA avx512", "f64", cpu_feature::avx512, false, 16, chains, fma_f64},
};

}  // namespace

ComputeLoops avx512_compute_loops() { return {loops, 2}; }
ReadLoop avx512_read_loop() { return {"64-byte loads", cpu_feature::avx512, read}; }

}  // namespace tw::measure
