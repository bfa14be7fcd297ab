// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The error handlers of a complete BLAS, as netlib's: a sentence, and the program ends. A program that has handlers of
// its own (R, Octave, the testers) is found first by everybody, us included.
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "blas/names.hpp"

namespace {

/// netlib's row-major calls report the positions of the swapped call; these pairs undo it.
struct Swapped {
    const char *routine, *but_not;
    int pairs[2][2];
};
constexpr Swapped swapped[] = {
    {"gemm", nullptr, {{4, 5}, {9, 11}}}, {"symm", nullptr, {{4, 5}}},        {"hemm", nullptr, {{4, 5}}},
    {"trmm", nullptr, {{6, 7}}},          {"trsm", nullptr, {{6, 7}}},        {"gemv", nullptr, {{3, 4}}},
    {"gbmv", nullptr, {{3, 4}, {5, 6}}},  {"ger", nullptr, {{2, 3}, {6, 8}}}, {"her2", "her2k", {{6, 8}}},
    {"hpr2", nullptr, {{6, 8}}},
};

int unswapped(const char* routine, int position) {
    for (const Swapped& row : swapped) {
        if (!std::strstr(routine, row.routine) || (row.but_not && std::strstr(routine, row.but_not))) continue;
        for (const auto& pair : row.pairs) {
            if (position == pair[0]) return pair[1];
            if (position == pair[1]) return pair[0];
        }
        return position;
    }
    return position;
}

}  // namespace

/// What netlib's C calls tell its handlers: that the caller is C, and that its matrices are row-major.
TW_BLAS_EXPORT int CBLAS_CallFromC, RowMajorStrg;
int CBLAS_CallFromC = 0, RowMajorStrg = 0;

TW_BLAS_EXPORT void xerbla_(const char* name, const tw::blas::Unsuffixed* position, std::size_t length) {
    std::fprintf(stderr, " ** On entry to %.*s parameter number %2d had an illegal value\n", static_cast<int>(length),
                 name, static_cast<int>(*position));
    std::exit(0);
}

TW_BLAS_EXPORT void cblas_xerbla(tw::blas::Unsuffixed position, const char* routine, const char* form, ...) {
    const int number = RowMajorStrg ? unswapped(routine, static_cast<int>(position)) : static_cast<int>(position);
    if (number) std::fprintf(stderr, "Parameter %d to routine %s was incorrect\n", number, routine);
    std::va_list values;
    va_start(values, form);
    std::vfprintf(stderr, form, values);
    va_end(values);
    std::exit(-1);
}
