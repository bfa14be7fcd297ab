// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "measure/peers/cblas.hpp"

#include <dlfcn.h>

#include <complex>
#include <type_traits>
#include <utility>

#include "measure/peers/of_any_type.hpp"
#include "measure/peers/symbols.hpp"

namespace tw::measure {
namespace {

constexpr int row_major = 101, no_transpose = 111, transpose = 112;

/// What a function takes for a scalar: of complex numbers its address.
template <class T>
struct Scalar {
    using Passed = T;
    T value;

    explicit Scalar(double x) : value(static_cast<T>(x)) {}
    T passed() const { return value; }
};
template <class Part>
struct Scalar<std::complex<Part>> {
    using Passed = const void*;
    Part parts[2];

    explicit Scalar(double x) : parts{static_cast<Part>(x), 0} {}
    const void* passed() const { return parts; }
};

template <class T, class Int>
TW_OF_ANY_TYPE void call_cblas(void* address, const Matrix& a, const Matrix& b, const Matrix& c, double beta) {
    using Passed = typename Scalar<T>::Passed;
    using Gemm = void(int, int, int, Int, Int, Int, Passed, const void*, Int, const void*, Int, Passed, void*, Int);
    const auto whole = [](std::int64_t x) { return static_cast<Int>(x); };
    const auto turn = [](const Matrix& x) { return is_by_rows(x) ? no_transpose : transpose; };
    const Scalar<T> one(1), of_c(beta);
    reinterpret_cast<Gemm*>(address)(row_major, turn(a), turn(b), whole(c.rows), whole(c.cols), whole(a.cols),
                                     one.passed(), a.data, whole(line_step(a)), b.data, whole(line_step(b)),
                                     of_c.passed(), c.data, whole(line_step(c)));
}

template <class T>
PeerLibrary::General cblas(void* handle, const char* name) {
    const Symbol symbol = find_symbol(handle, name);
    if (!symbol.address) return {};
    return [symbol](const Matrix& a, const Matrix& b, const Matrix& c, double beta) {
        if (!is_by_rows(c)) {
            const Matrix left = b.transposed(), right = a.transposed(), result = c.transposed();
            if (symbol.has_long_integers) call_cblas<T, std::int64_t>(symbol.address, left, right, result, beta);
            else call_cblas<T, int>(symbol.address, left, right, result, beta);
        } else if (symbol.has_long_integers) {
            call_cblas<T, std::int64_t>(symbol.address, a, b, c, beta);
        } else {
            call_cblas<T, int>(symbol.address, a, b, c, beta);
        }
        return true;
    };
}

template <class T>
TW_OF_ANY_TYPE void call_fortran(void* address, const Matrix& a, const Matrix& b, const Matrix& c, double beta) {
    using Int = int;
    using Gemm = void(const char*, const char*, const Int*, const Int*, const Int*, const T*, const T*, const Int*,
                      const T*, const Int*, const T*, T*, const Int*);
    const auto whole = [](std::int64_t x) { return static_cast<Int>(x); };
    const auto turn = [](const Matrix& x) { return is_by_rows(x) ? "T" : "N"; };
    const Int m = whole(c.rows), n = whole(c.cols), k = whole(a.cols), of_a = whole(line_step(a)),
              of_b = whole(line_step(b)), of_c = whole(line_step(c));
    const T one(1);
    T times_c;
    if constexpr (std::is_floating_point_v<T>) times_c = static_cast<T>(beta);
    else times_c = static_cast<typename T::value_type>(beta);
    reinterpret_cast<Gemm*>(address)(turn(a), turn(b), &m, &n, &k, &one, static_cast<const T*>(a.data), &of_a,
                                     static_cast<const T*>(b.data), &of_b, &times_c, static_cast<T*>(c.data), &of_c);
}

/// By its name in Fortran, where that of C is not there: torch brings the part of MKL that it calls.
template <class T>
PeerLibrary::General fortran(void* handle, const char* name) {
    void* const address = dlsym(handle, name);
    if (!address) return {};
    return [address](const Matrix& a, const Matrix& b, const Matrix& c, double beta) {
        if (is_by_rows(c)) call_fortran<T>(address, b.transposed(), a.transposed(), c.transposed(), beta);
        else call_fortran<T>(address, a, b, c, beta);
        return true;
    };
}

template <class T>
PeerLibrary::General by_either_name(void* handle, const char* of_c, const char* of_fortran) {
    PeerLibrary::General found = cblas<T>(handle, of_c);
    return found ? found : fortran<T>(handle, of_fortran);
}

std::function<bool(const Matrix&, const Matrix&, const Matrix&)> plain(const PeerLibrary::General& general) {
    if (!general) return {};
    return [general](const Matrix& a, const Matrix& b, const Matrix& c) { return general(a, b, c, 0); };
}

template <class T, class Int>
TW_OF_ANY_TYPE void call_cblas_batch(void* address, const Matrix& a, const Matrix& b, const Matrix& c,
                                     std::int64_t products) {
    using Gemm = void(int, int, int, Int, Int, Int, T, const T*, Int, Int, const T*, Int, Int, T, T*, Int, Int, Int);
    const auto whole = [](std::int64_t x) { return static_cast<Int>(x); };
    const auto size = [](const Matrix& one) { return static_cast<Int>(one.rows * one.row_step); };
    reinterpret_cast<Gemm*>(address)(row_major, no_transpose, no_transpose, whole(c.rows), whole(c.cols), whole(a.cols),
                                     T{1}, static_cast<const T*>(a.data), whole(a.row_step), size(a),
                                     static_cast<const T*>(b.data), whole(b.row_step), size(b), T{0},
                                     static_cast<T*>(c.data), whole(c.row_step), size(c), whole(products));
}

template <class T>
std::function<bool(const Matrix&, const Matrix&, const Matrix&, std::int64_t)> cblas_batch(void* handle,
                                                                                           const char* name) {
    const Symbol symbol = find_symbol(handle, name);
    if (!symbol.address) return {};
    return [symbol](const Matrix& a, const Matrix& b, const Matrix& c, std::int64_t products) {
        if (symbol.has_long_integers) call_cblas_batch<T, std::int64_t>(symbol.address, a, b, c, products);
        else call_cblas_batch<T, int>(symbol.address, a, b, c, products);
        return true;
    };
}

void fill_in_calls(void* handle, PeerLibrary& library) {
    library.general_f32 = by_either_name<float>(handle, "cblas_sgemm", "sgemm_");
    library.general_f64 = by_either_name<double>(handle, "cblas_dgemm", "dgemm_");
    library.general_c64 = by_either_name<std::complex<float>>(handle, "cblas_cgemm", "cgemm_");
    library.general_c128 = by_either_name<std::complex<double>>(handle, "cblas_zgemm", "zgemm_");
    library.f32 = plain(library.general_f32);
    library.f64 = plain(library.general_f64);
    library.c64 = plain(library.general_c64);
    library.c128 = plain(library.general_c128);
    library.f32_batch = cblas_batch<float>(handle, "cblas_sgemm_batch_strided");
    library.f64_batch = cblas_batch<double>(handle, "cblas_dgemm_batch_strided");
}

/// The code branch by its number in MKL's header of conditional numerical reproducibility.
std::string branch_name(int branch) {
    constexpr std::pair<int, const char*> names[] = {
        {2, "its own choice"}, {3, "compatible"}, {4, "SSE2"},       {6, "SSSE3"},
        {7, "SSE4.1"},         {8, "SSE4.2"},     {9, "AVX"},        {10, "AVX2"},
        {11, "AVX-512 MIC"},   {12, "AVX-512"},   {14, "AVX-512 E1"}};
    for (const auto& [value, text] : names)
        if (value == branch) return text;
    return "branch " + std::to_string(branch);
}

}  // namespace

void open_openblas(void* handle, PeerLibrary& library) {
    if (auto* config = function<const char*()>(handle, "openblas_get_config")) {
        const std::string text = config();  // "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH ..."
        const std::size_t start = text.find(' ') + 1;
        library.version = text.substr(start, text.find(' ', start) - start);
    }
    if (auto* core = function<const char*()>(handle, "openblas_get_corename")) library.core_type = core();
    fill_in_calls(handle, library);
}

/// Arguments before it is initialised, BLIS 0.9 ends the process when BLIS_ARCH_TYPE is set.
void open_blis(void* handle, PeerLibrary& library) {
    if (auto* initialise = function<void()>(handle, "bli_init")) initialise();
    if (auto* version = function<const char*()>(handle, "bli_info_get_version_str")) library.version = version();
    auto* query = function<int()>(handle, "bli_arch_query_id");
    auto* name = function<const char*(int)>(handle, "bli_arch_string");
    if (query && name) library.core_type = name(query());
    fill_in_calls(handle, library);
}

void open_mkl(void* handle, PeerLibrary& library) {
    if (auto* version = function<void(char*, int)>(handle, "MKL_Get_Version_String")) {
        char text[200] = {};
        version(text, sizeof text - 1);
        // "... Math Kernel Library Version 2024.0-Product Build ..."
        const std::string sentence = text;
        const std::size_t at = sentence.find("Version ");
        if (at != std::string::npos) library.version = sentence.substr(at + 8, sentence.find('-', at) - at - 8);
    }
    if (auto* branch = function<int()>(handle, "mkl_cbwr_get_auto_branch")) library.core_type = branch_name(branch());
    fill_in_calls(handle, library);
}

}  // namespace tw::measure
