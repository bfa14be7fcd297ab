// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// few_rows_complex: few_rows for complex numbers. B is a real matrix as it lies, which real rows read once; what they
// give is put together for the few rows of C.
//
//      B's rows contiguous: S = [ re A ] [c d c d ...]        C = (S0 - S3) + (S1 + S2) i of each pair of columns
//                               [ im A ]
//      its columns:         S = [ a -b a -b ... ] [ c ]       C = S0 + S1 i
//                               [ b  a b  a ... ] [ d ]
//                                                 [...]
//
// Needs: a copy of A, twice as large where B's columns are contiguous, and S. 8mnk flops; B from memory once. Gained
// over r7_hierarchical_complex: B is not packed.
#include <algorithm>

#include "backend/cpu/ladder.hpp"
#include "backend/cpu/product/blocks.hpp"
#include "backend/cpu/product/product.hpp"
#include "base/cpu_features.hpp"

namespace tw::cpu {
namespace {

constexpr std::int64_t few = 12;      // rows of A or columns of B: with more, a packed B repays its copy
constexpr double packing_pays = 1.5;  // by so much at most

/// The product's larger operand is B once it is turned.
constexpr bool has_few_columns(std::int64_t m, std::int64_t n) noexcept { return m > n; }
constexpr Form form_of_b(const Problem& p) noexcept {
    if (!has_few_columns(p.m, p.n)) return p.b;
    return p.a == Form::row_major ? Form::col_major : p.a == Form::col_major ? Form::row_major : p.a;
}

bool takes(const Problem& p) { return form_of_b(p) != Form::strided; }

/// The real product of these shapes. `by_rows`: B's are contiguous.
template <class T>
Problem real_problem(std::int64_t m, std::int64_t n, std::int64_t k, bool by_rows) noexcept {
    Problem real{.m = 2 * m, .n = by_rows ? 2 * n : n, .k = by_rows ? k : 2 * k, .in = type_of<T>, .out = type_of<T>};
    real.b = by_rows ? Form::row_major : Form::col_major;
    return real;
}

/// What lies in scratch: A's parts, S, and the real row's own.
template <class T>
struct Room {
    std::size_t a, s;
    explicit Room(const Problem& real) noexcept : a(bytes(real.m * real.k)), s(bytes(real.m * real.n)) {}

private:
    static std::size_t bytes(std::int64_t numbers) {
        constexpr std::int64_t line = 64;
        return static_cast<std::size_t>(round_up(numbers * std::int64_t{sizeof(T)}, line));
    }
};

/// Rows of real parts and then of imaginary ones, or what makes such sums of pairs.
template <class T>
void part_rows(const View<const std::complex<T>>& a, bool by_rows, bool b_is_conj, T* to) noexcept {
    const std::int64_t length = by_rows ? a.cols : 2 * a.cols;
    const T sign = b_is_conj ? T(-1) : T(1);
    for (std::int64_t i = 0; i < a.rows; ++i) {
        T *const re = to + i * length, *const im = to + (a.rows + i) * length;
        for (std::int64_t p = 0; p < a.cols; ++p) {
            const std::complex<T> x = read(a, i, p);
            if (by_rows) re[p] = x.real(), im[p] = x.imag();
            else {
                re[2 * p] = x.real(), re[2 * p + 1] = -sign * x.imag();
                im[2 * p] = x.imag(), im[2 * p + 1] = sign * x.real();
            }
        }
    }
}

template <class T>
void put_together(const Product<std::complex<T>>& x, const T* s, bool by_rows) noexcept {
    const std::int64_t m = x.m(), n = x.n(), length = by_rows ? 2 * n : n;
    const T sign = x.b.is_conj ? T(-1) : T(1);
    for (std::int64_t i = 0; i < m; ++i) {
        const T *const re = s + i * length, *const im = s + (m + i) * length;
        for (std::int64_t j = 0; j < n; ++j)
            if (by_rows) x.finish(i, j, {re[2 * j] - sign * im[2 * j + 1], sign * re[2 * j + 1] + im[2 * j]});
            else x.finish(i, j, {re[j], im[j]});
    }
}

template <class T, const Kernel& row>
Status run(const Call& given, const Tile&) {
    const Call call = turned_if(has_few_columns(given.m(), given.n()), given);
    const Product<std::complex<T>> x = product_of<std::complex<T>>(call);
    const bool by_rows = call.b.col_step == 1;
    const Problem real = real_problem<T>(x.m(), x.n(), x.k(), by_rows);
    const Room<T> room(real);
    T* const a = reinterpret_cast<T*>(call.scratch.data());
    T* const s = reinterpret_cast<T*>(call.scratch.data() + room.a);
    part_rows(x.a, by_rows, x.b.is_conj, a);

    Call sums;
    sums.a = {a, type_of<T>, real.m, real.k, real.k, 1};
    const std::int64_t step = 2 * (by_rows ? call.b.row_step : call.b.col_step);
    sums.b = {call.b.data, type_of<T>, real.k, real.n, by_rows ? step : 1, by_rows ? 1 : step};
    sums.c = {s, type_of<T>, real.m, real.n, real.n, 1};
    sums.scratch = call.scratch.subspan(room.a + room.s);
    sums.threads = call.threads, sums.executor = call.executor;
    if (const Status failed = row.run(sums, {}); !failed) return failed;
    put_together(x, s, by_rows);
    return {};
}

template <class T, const Kernel& row>
std::size_t scratch_bytes(const Problem& p, const Tile& tile, int threads) {
    std::size_t most = 0;
    for (const bool by_rows : {false, true}) {
        const Problem real = real_problem<T>(std::min(p.m, p.n), std::max(p.m, p.n), p.k, by_rows);
        const Room<T> room(real);
        most = std::max(most, room.a + room.s + row.scratch_bytes(real, tile, threads));
    }
    return most;
}

/// Through the real row's blocks of twice the terms at most, then a difference, a complex alpha and C.
template <class T>
double sum_bound(std::int64_t k) {
    const std::int64_t block = k_block<T>(2 * k);
    return gamma(static_cast<double>(block + ceil_div(2 * k, block) + 5), unit_of<T>);
}

template <class T, const Kernel& row>
double nanoseconds(const Problem& p, int threads) {
    const std::int64_t m = std::min(p.m, p.n), n = std::max(p.m, p.n);
    const Problem real = real_problem<T>(m, n, p.k, form_of_b(p) == Form::row_major);
    const double own = static_cast<double>(m) * static_cast<double>(n + 2 * p.k);
    return (row.nanoseconds(real, threads) + own) * (m > few ? packing_pays : 1);
}

constexpr Tile tiles[] = {{0, 0, 0}};

template <class T, const Kernel& real>
constexpr Kernel row(const char* name, Features needs) {
    return {.name = name,
            .rung = Rung::none,
            .in = type_of<std::complex<T>>,
            .out = type_of<std::complex<T>>,
            .sum = type_of<std::complex<T>>,
            .scheme = unsplit<T>,
            .needs = needs,
            .tiles = tiles,
            .idea = "for few complex rows of A: B is read once, as the real matrix that it is",
            .takes = takes,
            .sum_bound = sum_bound<T>,
            .nanoseconds = nanoseconds<T, real>,
            .scratch_bytes = scratch_bytes<T, real>,
            .run = run<T, real>};
}

}  // namespace

constinit const Kernel few_rows_complex_portable_c64 =
    row<float, few_rows_portable_f32>("cpu.few_rows_complex.c64.portable", 0);
constinit const Kernel few_rows_complex_portable_c128 =
    row<double, few_rows_portable_f64>("cpu.few_rows_complex.c128.portable", 0);
#if defined(__x86_64__)
constinit const Kernel few_rows_complex_avx2_c64 =
    row<float, few_rows_avx2_f32>("cpu.few_rows_complex.c64.avx2", cpu_feature::avx2);
constinit const Kernel few_rows_complex_avx2_c128 =
    row<double, few_rows_avx2_f64>("cpu.few_rows_complex.c128.avx2", cpu_feature::avx2);
constinit const Kernel few_rows_complex_avx512_c64 =
    row<float, few_rows_avx512_f32>("cpu.few_rows_complex.c64.avx512", cpu_feature::avx512);
constinit const Kernel few_rows_complex_avx512_c128 =
    row<double, few_rows_avx512_f64>("cpu.few_rows_complex.c128.avx512", cpu_feature::avx512);
#elif defined(__aarch64__)
constinit const Kernel few_rows_complex_neon_c64 =
    row<float, few_rows_neon_f32>("cpu.few_rows_complex.c64.neon", cpu_feature::neon);
constinit const Kernel few_rows_complex_neon_c128 =
    row<double, few_rows_neon_f64>("cpu.few_rows_complex.c128.neon", cpu_feature::neon);
#endif

}  // namespace tw::cpu
