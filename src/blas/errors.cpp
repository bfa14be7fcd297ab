// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "blas/errors.hpp"

#include <dlfcn.h>

#include <cstddef>
#include <cstdio>

#include "blas/arguments.hpp"

namespace tw::blas {
namespace {

// Their integer is 32 or 64 bits wide. Both read a small 64-bit number right, from a register or from memory.
static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
using FortranHandler = void (*)(const char* name, const std::int64_t* position, std::size_t length);
using CHandler = void (*)(std::int64_t position, const char* name, const char* form, ...);

constexpr const char* fortran_handlers[][2] = {
    {"xerbla_", nullptr}, {"xerbla_64_", "xerbla_"}, {"scipy_xerbla_", "xerbla_"}, {"scipy_xerbla_64_", "xerbla_"}};
constexpr const char* c_handlers[][3] = {{"cblas_xerbla", nullptr, nullptr},
                                         {"cblas_xerbla_64", "cblas_xerbla64_", "cblas_xerbla"},
                                         {"scipy_cblas_xerbla", "cblas_xerbla", nullptr},
                                         {"scipy_cblas_xerbla64_", "cblas_xerbla", nullptr}};

// Whoever wrote a handler gave it a type of his own: clang's ubsan would object to each.
#if defined(__clang__)
#define TW_OF_ANY_TYPE __attribute__((no_sanitize("function")))
#else
#define TW_OF_ANY_TYPE
#endif

template <class Handler, std::size_t Count>
Handler first_of(const char* const (&names)[Count]) {
    for (const char* name : names)
        if (name)
            if (void* found = dlsym(RTLD_DEFAULT, name)) return reinterpret_cast<Handler>(found);
    return nullptr;
}

struct Name {
    char text[32];
    int length;

    Name(const char* prefix, char letter, Routine routine, bool capitals) {
        length = std::snprintf(text, sizeof text, "%s%c%s", prefix, letter, stems[static_cast<int>(routine)]);
        if (!capitals) return;
        for (char* c = text; *c; ++c)
            if (*c >= 'a' && *c <= 'z') *c = static_cast<char>(*c - 'a' + 'A');
        for (; length < 6; ++length) text[length] = ' ', text[length + 1] = '\0';  // Fortran names are six long, padded
    }
};

}  // namespace

TW_OF_ANY_TYPE void report_fortran(Spelling spelling, char letter, Routine routine, int position) {
    const Name name("", letter, routine, true);
    const std::int64_t number = position;
    if (const auto handler = first_of<FortranHandler>(fortran_handlers[static_cast<int>(spelling)]))
        return handler(name.text, &number, static_cast<std::size_t>(name.length));
    std::fprintf(stderr, " ** On entry to %s parameter number %2d had an illegal value\n", name.text, position);
}

TW_OF_ANY_TYPE void report_c(Spelling spelling, char letter, Routine routine, int position, const char* what,
                             int value) {
    const Name name("cblas_", letter, routine, false);
    char form[64] = "";
    if (what) std::snprintf(form, sizeof form, "Illegal %s setting, %%d\n", what);
    if (const auto handler = first_of<CHandler>(c_handlers[static_cast<int>(spelling)]))
        return handler(position, name.text, form, value);
    std::fprintf(stderr, "Parameter %d to routine %s was incorrect\n", position, name.text);
}

void report_c_swapped(Spelling spelling, char letter, Routine routine, int fortran_position) {
    int* handler_swaps = static_cast<int*>(dlsym(RTLD_DEFAULT, "RowMajorStrg"));
    if (!handler_swaps) return report_c(spelling, letter, routine, unswapped(fortran_position) + 1);
    *handler_swaps = 1;
    report_c(spelling, letter, routine, fortran_position + 1);
    *handler_swaps = 0;
}

}  // namespace tw::blas
