// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// One routine has many names: Fortran's and C's, each with 32-bit and with 64-bit integers, and three customs of
// telling the 64-bit ones apart: netlib's sgemm_64_ and cblas_sgemm_64, OpenBLAS's cblas_sgemm64_, and the scipy_
// prefix of Python's wheels. Debian's libblas64 keeps the plain names: there Unsuffixed is 64 bits wide, in a library
// of its own.
#pragma once

#include <complex>
#include <cstdint>

#ifndef TW_BLAS_UNSUFFIXED
#define TW_BLAS_UNSUFFIXED std::int32_t
#endif

#define TW_BLAS_EXPORT extern "C" __attribute__((visibility("default")))

/// DEFINE(name, element, integer, spelling) for each Fortran name of a routine.
#define TW_EACH_FORTRAN_NAME(DEFINE, T, stem)                 \
    DEFINE(stem##_, T, Unsuffixed, Spelling::plain)           \
    DEFINE(stem##_64_, T, std::int64_t, Spelling::suffixed)   \
    DEFINE(scipy_##stem##_, T, std::int32_t, Spelling::scipy) \
    DEFINE(scipy_##stem##_64_, T, std::int64_t, Spelling::scipy_suffixed)

/// The same for its C names.
#define TW_EACH_CBLAS_NAME(DEFINE, T, stem)                        \
    DEFINE(cblas_##stem, T, Unsuffixed, Spelling::plain)           \
    DEFINE(cblas_##stem##_64, T, std::int64_t, Spelling::suffixed) \
    DEFINE(cblas_##stem##64_, T, std::int64_t, Spelling::suffixed) \
    DEFINE(scipy_cblas_##stem, T, std::int32_t, Spelling::scipy)   \
    DEFINE(scipy_cblas_##stem##64_, T, std::int64_t, Spelling::scipy_suffixed)

namespace tw::blas {

using Unsuffixed = TW_BLAS_UNSUFFIXED;

/// Which custom a call came by: its error exits go by the same.
enum class Spelling : std::uint8_t { plain, suffixed, scipy, scipy_suffixed };

enum class Routine : std::uint8_t { gemm, gemmt, gemmtr, gemm_batch, gemm_batch_strided, gemm3m };
inline constexpr const char* stems[] = {"gemm", "gemmt", "gemmtr", "gemm_batch", "gemm_batch_strided", "gemm3m"};
enum class Language : std::uint8_t { fortran, c };

using C64 = std::complex<float>;
using C128 = std::complex<double>;

template <class T>
inline constexpr char letter = 's';
template <>
inline constexpr char letter<double> = 'd';
template <>
inline constexpr char letter<C64> = 'c';
template <>
inline constexpr char letter<C128> = 'z';

/// How C's names take numbers: real ones by value, complex ones by address, and their memory as that of anything.
template <class T>
struct InC {
    using Value = T;
    using Memory = T;
    static T value(T x) noexcept { return x; }
};
template <class Part>
struct InC<std::complex<Part>> {
    using Value = const void*;
    using Memory = void;
    static std::complex<Part> value(const void* x) noexcept { return *static_cast<const std::complex<Part>*>(x); }
};
template <class T>
using Value = typename InC<T>::Value;
template <class T>
using Memory = typename InC<T>::Memory;

}  // namespace tw::blas
