// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Micro-kernels of AVX2 and FMA: 6 rows of 2 vectors fill 12 of the 16 registers with sums, which is enough to keep two
// FMA units of 4 or 5 cycles' latency busy; the other four hold a row of B and a broadcast of A.
//
// A multiply-add is written as the instruction that adds to its own register: a compiler that may pick another form
// moves sums about, finds no register for the last two, and has them wait for memory in each step.
#include <immintrin.h>

#include "backend/cpu/micro/complex_tile.hpp"
#include "backend/cpu/micro/halves_avx2.hpp"
#include "backend/cpu/micro/micro_table.hpp"
#include "backend/cpu/micro/narrow_avx2.hpp"
#include "backend/cpu/micro/pack_avx2.hpp"
#include "backend/cpu/micro/turned_tile.hpp"

namespace tw::cpu {
namespace {

// A vector cut short, `count` elements of it, goes in whole pieces: a masked load takes a Zen 1 six nanoseconds, a
// masked store four.

/// 1 to 3 elements, and zeros.
inline __m128 load_some(const float* p, int count) {
    if (count == 1) return _mm_load_ss(p);
    const __m128 two = _mm_castpd_ps(_mm_load_sd(reinterpret_cast<const double*>(p)));
    return count == 2 ? two : _mm_movelh_ps(two, _mm_load_ss(p + 2));
}
inline void store_some(float* p, __m128 v, int count) {
    if (count == 1) return _mm_store_ss(p, v);
    _mm_store_sd(reinterpret_cast<double*>(p), _mm_castps_pd(v));
    if (count == 3) _mm_store_ss(p + 2, _mm_movehl_ps(v, v));
}

struct EightFloats {
    using Element = float;
    using Register = __m256;
    using Mask = int;  // how many of the elements
    static constexpr int lanes = 8;
    static constexpr int broadcasts_folded = 0;

    static Mask mask(int count) { return count; }
    static Register zero() { return _mm256_setzero_ps(); }
    static Register load(const float* p) { return _mm256_loadu_ps(p); }
    static Register load(const float* p, Mask count) {
        const __m256 low = _mm256_zextps128_ps256(count < 4 ? load_some(p, count) : _mm_loadu_ps(p));
        return count <= 4 ? low : _mm256_insertf128_ps(low, load_some(p + 4, count - 4), 1);
    }
    static Register widened(bool is_half, const std::uint16_t* p) {
        return widened_words(is_half, _mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
    }
    static Register widened(bool is_half, const std::uint16_t* p, Mask count) {
        return widened_words(is_half, leading_words(p, count));
    }
    static Register broadcast(const float* p) { return _mm256_broadcast_ss(p); }
    static Register multiply(Register a, Register b) { return _mm256_mul_ps(a, b); }
    static Register add(Register a, Register b) { return _mm256_add_ps(a, b); }
    static Register multiply_add(Register a, Register b, Register c) {
        asm("vfmadd231ps %2, %1, %0" : "+x"(c) : "x"(a), "x"(b));
        return c;
    }
    static Register multiply_subtract(Register a, Register b, Register c) { return _mm256_fnmadd_ps(a, b, c); }
    static void interleave(Register a, Register b, Register& low, Register& high) {
        const Register even = _mm256_unpacklo_ps(a, b), odd = _mm256_unpackhi_ps(a, b);
        low = _mm256_permute2f128_ps(even, odd, 0x20), high = _mm256_permute2f128_ps(even, odd, 0x31);
    }
    static void store(float* p, Register v) { _mm256_storeu_ps(p, v); }
    static void store(float* p, Register v, Mask count) {
        const __m128 low = _mm256_castps256_ps128(v);
        if (count < 4) return store_some(p, low, count);
        _mm_storeu_ps(p, low);
        if (count > 4) store_some(p + 4, _mm256_extractf128_ps(v, 1), count - 4);
    }
    template <class Of>
    static constexpr int steps_turned = 16 / sizeof(Of);
    static float element(float x) { return x; }
    static float element(auto narrow) { return widened_one(narrow); }
    static void turn(const auto* from, std::int64_t step, auto& square) { turned_square(from, step, square); }
};

struct FourDoubles {
    using Element = double;
    using Register = __m256d;
    using Mask = int;  // how many of the elements
    static constexpr int lanes = 4;
    static constexpr int broadcasts_folded = 0;

    static Mask mask(int count) { return count; }
    static Register zero() { return _mm256_setzero_pd(); }
    static Register load(const double* p) { return _mm256_loadu_pd(p); }
    static Register load(const double* p, Mask count) {
        const __m256d low = _mm256_zextpd128_pd256(count == 1 ? _mm_load_sd(p) : _mm_loadu_pd(p));
        return count < 3 ? low : _mm256_insertf128_pd(low, _mm_load_sd(p + 2), 1);
    }
    static Register broadcast(const double* p) { return _mm256_broadcast_sd(p); }
    static Register multiply(Register a, Register b) { return _mm256_mul_pd(a, b); }
    static Register add(Register a, Register b) { return _mm256_add_pd(a, b); }
    static Register multiply_add(Register a, Register b, Register c) {
        asm("vfmadd231pd %2, %1, %0" : "+x"(c) : "x"(a), "x"(b));
        return c;
    }
    static Register multiply_subtract(Register a, Register b, Register c) { return _mm256_fnmadd_pd(a, b, c); }
    static void interleave(Register a, Register b, Register& low, Register& high) {
        const Register even = _mm256_unpacklo_pd(a, b), odd = _mm256_unpackhi_pd(a, b);
        low = _mm256_permute2f128_pd(even, odd, 0x20), high = _mm256_permute2f128_pd(even, odd, 0x31);
    }
    static void store(double* p, Register v) { _mm256_storeu_pd(p, v); }
    static void store(double* p, Register v, Mask count) {
        const __m128d low = _mm256_castpd256_pd128(v);
        if (count == 1) return _mm_store_sd(p, low);
        _mm_storeu_pd(p, low);
        if (count == 3) _mm_store_sd(p + 2, _mm256_extractf128_pd(v, 1));
    }
    template <class>
    static constexpr int steps_turned = 2;
    static double element(double x) { return x; }
    static void turn(const double* from, std::int64_t step, Register (&square)[2]) {
        turned_square(from, step, square);
    }
};

}  // namespace

namespace {

template <class Of>
void turned(const TurnedTile<float>& tile) {
    tile.in_halves ? turned_tile_of<FourFloats, Of, most_in_halves>(tile) : turned_tile_of<EightFloats, Of>(tile);
}

}  // namespace

void turned_avx2_f32(const TurnedTile<float>& tile) {
    // To widen four halves takes as long as eight.
    if (tile.b_type == Type::f16) return turned_tile_of<EightFloats, float16>(tile);
    tile.b_type == Type::bf16 ? turned<bfloat16>(tile) : turned<float>(tile);
}
void turned_avx2_f64(const TurnedTile<double>& tile) {
    tile.in_halves ? turned_tile_of<TwoDoubles, double, most_in_halves>(tile) : turned_tile_of<FourDoubles>(tile);
}

void packed_narrow_avx2(Type type, const void* from, std::int64_t row_step, int rows, std::int64_t k, float* to,
                        std::int64_t width) {
    if (type == Type::f16) pack_squares(static_cast<const float16*>(from), row_step, rows, k, to, width);
    else pack_squares(static_cast<const bfloat16*>(from), row_step, rows, k, to, width);
}

constinit const MicroKernel<float> micro_avx2_f32 =
    micro_kernel<EightFloats, 6, 12, 6>(44, pack<float>, turned_avx2_f32, packed_narrow_avx2);
constinit const MicroKernel<double> micro_avx2_f64 =
    micro_kernel<FourDoubles, 6, 12, 6>(22, pack<double>, turned_avx2_f64);
constinit const ComplexKernel<float> complex_avx2_f32 = complex_kernel<EightFloats, 6, 1>(48, pack<float>);
constinit const ComplexKernel<double> complex_avx2_f64 = complex_kernel<FourDoubles, 6, 1>(24, pack<double>);

}  // namespace tw::cpu
