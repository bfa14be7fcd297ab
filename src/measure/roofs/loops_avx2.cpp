// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include <immintrin.h>

#include "base/cpu_features.hpp"
#include "measure/roofs/loops.hpp"

namespace tw::measure {
namespace {

constexpr int chains = 12;  // two pipes times a latency of 4 or 5, within 16 registers

double fma_f32(std::int64_t passes) {
    volatile float seed = 0.75f;
    const __m256 factor = _mm256_set1_ps(seed), term = _mm256_set1_ps(1 - seed);
    __m256 x[chains];
    for (int i = 0; i < chains; ++i) x[i] = factor;
    for (std::int64_t pass = 0; pass < passes; ++pass)
        for (int i = 0; i < chains; ++i) x[i] = _mm256_fmadd_ps(x[i], factor, term);
    for (int i = 1; i < chains; ++i) x[0] = _mm256_add_ps(x[0], x[i]);
    return static_cast<double>(_mm256_cvtss_f32(x[0]));
}

double fma_f64(std::int64_t passes) {
    volatile double seed = 0.75;
    const __m256d factor = _mm256_set1_pd(seed), term = _mm256_set1_pd(1 - seed);
    __m256d x[chains];
    for (int i = 0; i < chains; ++i) x[i] = factor;
    for (std::int64_t pass = 0; pass < passes; ++pass)
        for (int i = 0; i < chains; ++i) x[i] = _mm256_fmadd_pd(x[i], factor, term);
    for (int i = 1; i < chains; ++i) x[0] = _mm256_add_pd(x[0], x[i]);
    return _mm256_cvtsd_f64(x[0]);
}

double read(const void* memory, std::size_t bytes, std::int64_t passes) {
    const auto* words = static_cast<const __m256i*>(memory);
    const std::size_t count = bytes / sizeof(__m256i);
    __m256i sum[8];
    for (auto& part : sum) part = _mm256_setzero_si256();
    for (std::int64_t pass = 0; pass < passes; ++pass) {
        for (std::size_t i = 0; i < count; i += 8)
            for (std::size_t j = 0; j < 8; ++j) sum[j] = _mm256_add_epi64(sum[j], _mm256_load_si256(words + i + j));
        asm volatile("" ::: "memory");  // each pass reads anew
    }
    for (int j = 1; j < 8; ++j) sum[0] = _mm256_add_epi64(sum[0], sum[j]);
    return static_cast<double>(_mm256_extract_epi64(sum[0], 0));
}

constexpr ComputeLoop loops[] = {
    {"FMA avx2", "f32", cpu_feature::avx2, false, 16, chains, fma_f32},
    {"FMA avx2", "f64", cpu_feature::avx2, false, 8, chains, fma_f64},
};

}  // namespace

ComputeLoops avx2_compute_loops() { return {loops, 2}; }
ReadLoop avx2_read_loop() { return {"32-byte loads", cpu_feature::avx2, read}; }

}  // namespace tw::measure
