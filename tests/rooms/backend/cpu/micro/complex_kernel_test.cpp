// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Every tile that a complex micro-kernel can be asked for, bit for bit against the chain of roundings that it promises;
// and the panels that it reads. The tiles of processors that this one is not are run over vectors in plain C++.
#include "backend/cpu/micro/complex_kernel.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <complex>
#include <vector>

#include "backend/cpu/micro/complex_tile.hpp"
#include "backend/cpu/micro/pack_complex.hpp"
#include "base/cpu_features.hpp"
#include "rooms/backend/cpu/micro/values.hpp"
#include "support/sanitized.hpp"

namespace {

using namespace tw;
using namespace tw::cpu;

/// Vectors of so many lanes, one rounding a term.
template <class T, int Lanes>
struct Plain {
    using Element = T;
    using Register = std::array<T, Lanes>;
    static constexpr int lanes = Lanes;

    static Register made(const auto& of_lane) {
        Register v;
        for (std::size_t l = 0; l < Lanes; ++l) v[l] = of_lane(l);
        return v;
    }
    static Register zero() { return {}; }
    static Register load(const T* p) {
        return made([&](std::size_t l) { return p[l]; });
    }
    static void store(T* p, const Register& v) { std::copy(v.begin(), v.end(), p); }
    static Register broadcast(const T* p) {
        return made([&](std::size_t) { return *p; });
    }
    static Register multiply(const Register& a, const Register& b) {
        return made([&](std::size_t l) { return a[l] * b[l]; });
    }
    static Register add(const Register& a, const Register& b) {
        return made([&](std::size_t l) { return a[l] + b[l]; });
    }
    static Register multiply_add(const Register& a, const Register& b, const Register& c) {
        return made([&](std::size_t l) { return std::fma(a[l], b[l], c[l]); });
    }
    static Register multiply_subtract(const Register& a, const Register& b, const Register& c) {
        return made([&](std::size_t l) { return std::fma(-a[l], b[l], c[l]); });
    }
    static void interleave(const Register& a, const Register& b, Register& low, Register& high) {
        low = made([&](std::size_t l) { return l % 2 ? b[l / 2] : a[l / 2]; });
        high = made([&](std::size_t l) { return l % 2 ? b[(Lanes + l) / 2] : a[(Lanes + l) / 2]; });
    }
};

/// One part of a result: `sign` is that of the products of two imaginary parts, or of what stands for them.
template <class T>
T chain(const ComplexKernel<T>& kernel, const ComplexTile<T>& t, int i, int j, bool imaginary, T before, bool fused) {
    volatile T sum = 0;  // no compiler may contract what this test compares
    const auto add = [&](T x, T y) {
        volatile T product = x * y;
        sum = fused ? std::fma(x, y, sum) : sum + product;
    };
    for (std::int64_t p = 0; p < t.k; ++p) {
        const T *const a = t.a + 2 * p * kernel.mr + i, *const b = t.b + 2 * p * kernel.nr + j;
        const T re = b[0], im = b[kernel.nr];
        add(a[0], imaginary ? im : re);
        add(imaginary ? a[kernel.mr] : -a[kernel.mr], imaginary ? re : im);
    }
    volatile T scaled = t.alpha * sum, kept = t.beta * before;
    return t.beta == 0 ? scaled : scaled + kept;
}

template <class T>
void expect_every_tile(const ComplexKernel<T>& kernel, bool fused) {
    ASSERT_LE(2 * kernel.mr * kernel.nr, ComplexKernel<T>::most_results);
    for (const std::int64_t k : {1, 11, 57})
        for (int rows = 1; rows <= kernel.mr; ++rows)
            for (int cols = 1; cols <= kernel.nr; ++cols)
                for (const T beta : {T(0), T(-0.75)}) {
                    if (!test::has_its_turn(7)) continue;
                    const auto a = values<T>(static_cast<std::size_t>(2 * kernel.mr * k), 1);
                    const auto b = values<T>(static_cast<std::size_t>(2 * kernel.nr * k), 2);
                    const std::int64_t step = 2 * cols + 3;
                    auto c = values<T>(static_cast<std::size_t>(rows * step), 3);
                    const auto before = c;
                    const ComplexTile<T> tile{.k = k,
                                              .a = a.data(),
                                              .b = b.data(),
                                              .c = c.data(),
                                              .c_step = step,
                                              .alpha = beta == 0 ? T(1) : T(1.25),
                                              .beta = beta,
                                              .rows = rows,
                                              .cols = cols};
                    kernel.run(tile);
                    for (int i = 0; i < rows; ++i)
                        for (int j = 0; j < step; ++j) {
                            const auto at = static_cast<std::size_t>(i * step + j);
                            const T wanted = j < 2 * cols ? chain(kernel, tile, i, j / 2, j % 2 == 1, before[at], fused)
                                                          : before[at];
                            ASSERT_EQ(c[at], wanted) << rows << 'x' << cols << 'x' << k << " at " << i << ", " << j;
                        }
                }
}

TEST(ComplexKernel, PortableTilesRoundTwiceATerm) {
    expect_every_tile(complex_portable_f32, false);
    expect_every_tile(complex_portable_f64, false);
}

TEST(ComplexKernel, TilesOfOtherProcessorsRoundOnceATerm) {
    expect_every_tile(complex_kernel<Plain<float, 16>, 14, 1>(1), true);  // AVX-512
    expect_every_tile(complex_kernel<Plain<double, 8>, 14, 1>(1), true);
    expect_every_tile(complex_kernel<Plain<float, 4>, 6, 2>(1), true);  // NEON
    expect_every_tile(complex_kernel<Plain<double, 2>, 6, 2>(1), true);
}

#if defined(__x86_64__)
TEST(ComplexKernel, Avx2TilesRoundOnceATerm) {
    if (!(cpu_features() & cpu_feature::avx2)) GTEST_SKIP() << "this processor has no AVX2";
    expect_every_tile(complex_avx2_f32, true);
    expect_every_tile(complex_avx2_f64, true);
}

TEST(ComplexKernel, Avx512TilesRoundOnceATerm) {
    if (!(cpu_features() & cpu_feature::avx512)) GTEST_SKIP() << "this processor has no AVX-512";
    expect_every_tile(complex_avx512_f32, true);
    expect_every_tile(complex_avx512_f64, true);
}
#elif defined(__aarch64__)
TEST(ComplexKernel, NeonTilesRoundOnceATerm) {
    expect_every_tile(complex_neon_f32, true);
    expect_every_tile(complex_neon_f64, true);
}
#endif

/// However the rows lie, and more of them than one panel has.
template <class T>
void expect_panels(const ComplexKernel<T>& kernel, int width) {
    using C = std::complex<T>;
    constexpr std::int64_t k = 23;
    const std::int64_t rows = 2 * width + 1, step = 3 * rows * k;
    const auto parts = values<T>(static_cast<std::size_t>(2 * step), 4);
    const C* const data = reinterpret_cast<const C*>(parts.data());
    for (const View<const C>& lying : {View<const C>(data, rows, k), View<const C>(data, k, rows).transposed(),
                                       View<const C>(data, rows, k, 3 * k, 2)})
        for (const bool is_conj : {false, true}) {
            const View<const C> from = is_conj ? lying.conjugated() : lying;
            std::vector<T> to(static_cast<std::size_t>(3 * 2 * width * k), T(-99));
            pack_complex(kernel, from, width, to.data());
            for (std::int64_t w = 0; w < 3 * width; ++w)
                for (std::int64_t p = 0; p < k; ++p) {
                    const T* const at = to.data() + (w / width * k + p) * 2 * width + w % width;
                    const C x = w < rows ? from(w, p) : C(0);
                    ASSERT_EQ(at[0], x.real()) << w << ", " << p;
                    ASSERT_EQ(at[width], is_conj ? -x.imag() : x.imag()) << w << ", " << p;
                }
        }
}

TEST(PackComplex, PartsLieApartAndMissingRowsAreZero) {
    for (const int width : {1, 4, 6, 8, 14, 16}) {
        expect_panels(complex_portable_f32, width);
        expect_panels(complex_portable_f64, width);
#if defined(__x86_64__)
        if (!(cpu_features() & cpu_feature::avx2)) continue;
        expect_panels(complex_avx2_f32, width);
        expect_panels(complex_avx2_f64, width);
#endif
    }
}

}  // namespace
