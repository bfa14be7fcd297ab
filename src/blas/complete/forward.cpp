// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// A complete libblas.so.3: what is not ours is one jump away, in the BLAS underneath. That is the library which TW_BLAS
// names by an absolute path, or the first of a short list that this machine has. It is opened when this one is loaded.
//
//   caller -> daxpy_ (here: one jump) -> table[i] -> daxpy_ of the BLAS underneath
//
// A jump leaves all registers and the stack as they are, so no signature needs to be known.
#include <dlfcn.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "blas/names.hpp"
#include "blas/settings.hpp"

#if !defined(__x86_64__) && !defined(__aarch64__)
#error "the jumps of the complete BLAS are written for x86-64 and aarch64"
#endif

namespace {

constexpr const char* names[] = {
#define FORWARD(name) #name,
#include "blas/complete/forwarded.def"
#undef FORWARD
};
constexpr int count = sizeof names / sizeof *names;

constexpr const char* plain_candidates[] = {"libopenblas.so.0", "libblis.so.4", "libmkl_rt.so.2",
                                            "/usr/lib/x86_64-linux-gnu/blas/libblas.so.3",
                                            "/usr/lib/aarch64-linux-gnu/blas/libblas.so.3"};
constexpr const char* wide_candidates[] = {"libopenblas64.so.0", "libblis64.so.4",
                                           "/usr/lib/x86_64-linux-gnu/blas64/libblas64.so.3",
                                           "/usr/lib/aarch64-linux-gnu/blas64/libblas64.so.3"};

void* open_underneath() noexcept {
    if (const char* named = tw::blas::variable("TW_BLAS")) {
        void* library = named[0] == '/' ? dlopen(named, RTLD_NOW | RTLD_LOCAL) : nullptr;
        if (!library)
            std::fprintf(stderr, "tilewright blas: TW_BLAS=%s can't be opened; expected the absolute path of a BLAS\n",
                         named);
        return library;
    }
    const auto first_of = [](const auto& candidates) -> void* {
        for (const char* candidate : candidates)
            if (void* library = dlopen(candidate, RTLD_NOW | RTLD_LOCAL)) return library;
        return nullptr;
    };
    return sizeof(tw::blas::Unsuffixed) == 8 ? first_of(wide_candidates) : first_of(plain_candidates);
}

}  // namespace

extern "C" {

/// Called by a jump that leads nowhere, with the number of its name.
[[noreturn, gnu::used, gnu::visibility("hidden")]] void tw_blas_tell_missing(int index) {
    std::fprintf(
        stderr,
        "tilewright blas: %s is called, and the BLAS underneath has none; set TW_BLAS to the absolute path of a "
        "complete BLAS\n",
        names[index]);
    std::abort();
}

[[gnu::visibility("hidden")]] void tw_blas_lead_nowhere();
[[gnu::used, gnu::visibility("hidden")]] void* tw_blas_table[count] = {};

/// Before the programs and libraries that need us run any code of theirs.
[[gnu::constructor(101)]] static void fill_table() {
    void* underneath = open_underneath();
    for (int i = 0; i < count; ++i) {
        void* found = underneath ? dlsym(underneath, names[i]) : nullptr;
        tw_blas_table[i] = found ? found : reinterpret_cast<void*>(&tw_blas_lead_nowhere);
    }
}

}  // extern "C"

#if defined(__x86_64__)
#define JUMP                 \
    "  endbr64\n"            \
    "  movl $tw_at, %r11d\n" \
    "  jmp *tw_blas_table+8*tw_at(%rip)\n"
#define LEAD_NOWHERE       \
    "  endbr64\n"          \
    "  movl %r11d, %edi\n" \
    "  jmp tw_blas_tell_missing\n"
#else
#define JUMP                                           \
    "  hint #34\n"                                     \
    "  adrp x16, tw_blas_table+8*tw_at\n"              \
    "  ldr x16, [x16, #:lo12:tw_blas_table+8*tw_at]\n" \
    "  movz w17, #tw_at\n"                             \
    "  br x16\n"
#define LEAD_NOWHERE  \
    "  hint #36\n"    \
    "  mov w0, w17\n" \
    "  b tw_blas_tell_missing\n"
#endif

#define FORWARD(name)                                                                               \
    ".globl " #name "\n.type " #name ", %function\n" #name ":\n" JUMP ".size " #name ", . - " #name \
    "\n.set tw_at, tw_at + 1\n"

asm(".pushsection .text\n.p2align 4\n"
    ".hidden tw_blas_lead_nowhere\n.globl tw_blas_lead_nowhere\n.type tw_blas_lead_nowhere, %function\n"
    "tw_blas_lead_nowhere:\n" LEAD_NOWHERE
    ".size tw_blas_lead_nowhere, . - tw_blas_lead_nowhere\n"
    ".set tw_at, 0\n"
#include "blas/complete/forwarded.def"
    ".popsection\n");
