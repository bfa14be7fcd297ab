// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "base/cpu_features.hpp"

#include "base/environment.hpp"
#include "base/remembered.hpp"

#if defined(__x86_64__)
#include <cpuid.h>
#endif
#if defined(__aarch64__) && defined(__linux__)
#include <sys/auxv.h>
#elif defined(__aarch64__) && defined(__APPLE__)
#include <sys/sysctl.h>

#include <cstddef>
#endif
#if defined(__linux__) && defined(__x86_64__)
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace tw {
namespace {

using namespace cpu_feature;

#if defined(__x86_64__)

struct Leaf {
    unsigned a = 0, b = 0, c = 0, d = 0;
    Leaf(unsigned leaf, unsigned subleaf) { __get_cpuid_count(leaf, subleaf, &a, &b, &c, &d); }
};

constexpr bool bit(unsigned word, int index) { return (word >> index) & 1u; }

/// The register states that the operating system saves: without its leave, using them is fatal.
std::uint64_t saved_states() {
    if (!bit(Leaf(1, 0).c, 27)) return 0;  // OSXSAVE
    unsigned low = 0, high = 0;
    asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return (std::uint64_t{high} << 32) | low;
}

/// Linux hands out the AMX tile state on request, once a process.
bool tiles_permitted() {
#if defined(__linux__)
    constexpr long arch_req_xcomp_perm = 0x1023, tile_data = 18;
    return syscall(SYS_arch_prctl, arch_req_xcomp_perm, tile_data) == 0;
#else
    return false;
#endif
}

std::uint64_t detect() {
    const Leaf one(1, 0), seven(7, 0), seven_one(7, 1);
    const std::uint64_t states = saved_states();
    const bool ymm = (states & 0x6) == 0x6, zmm = (states & 0xe6) == 0xe6, tiles = (states & 0x60000) == 0x60000;

    std::uint64_t found = 0;
    if (ymm && bit(seven.b, 5) && bit(one.c, 12) && bit(one.c, 29)) found |= avx2;
    if (zmm && bit(seven.b, 16) && bit(seven.b, 17) && bit(seven.b, 30) && bit(seven.b, 31)) found |= avx512;
    if ((found & avx512) && bit(seven_one.a, 5)) found |= avx512_bf16;
    if ((found & avx512) && bit(seven.c, 11)) found |= avx512_vnni;
    if ((found & avx512) && bit(seven.c, 1) && bit(seven.c, 6)) found |= avx512_vbmi;
    if (tiles && bit(seven.d, 24) && (bit(seven.d, 22) || bit(seven.d, 25)) && tiles_permitted()) {
        if (bit(seven.d, 22)) found |= amx_bf16;
        if (bit(seven.d, 25)) found |= amx_int8;
    }
    return found;
}

#elif defined(__aarch64__)
std::uint64_t detect() {
#if defined(__linux__)
    constexpr unsigned long asimd_dot_product = 1ul << 20;
    const bool has_dot = (getauxval(AT_HWCAP) & asimd_dot_product) != 0;
#elif defined(__APPLE__)
    int found = 0;
    std::size_t size = sizeof found;
    const bool has_dot = sysctlbyname("hw.optional.arm.FEAT_DotProd", &found, &size, nullptr, 0) == 0 && found != 0;
#else
    constexpr bool has_dot = false;
#endif
    return has_dot ? neon | neon_dot : neon;
}
#else
std::uint64_t detect() { return 0; }
#endif

struct Named {
    std::uint64_t bit;
    const char* minus;    // how TW_FEATURES takes it away
    std::uint64_t takes;  // itself and what is of no use without it
};
constexpr Named maskable[] = {
    {avx2, "-avx2", avx2 | avx512 | avx512_bf16 | avx512_vnni | avx512_vbmi | amx_bf16 | amx_int8},
    {avx512, "-avx512", avx512 | avx512_bf16 | avx512_vnni | avx512_vbmi | amx_bf16 | amx_int8},
    {avx512_bf16, "-avx512_bf16", avx512_bf16},
    {avx512_vnni, "-avx512_vnni", avx512_vnni},
    {avx512_vbmi, "-avx512_vbmi", avx512_vbmi},
    {amx_bf16, "-amx_bf16", amx_bf16},
    {amx_int8, "-amx_int8", amx_int8},
    {neon, "-neon", neon | neon_dot},
    {neon_dot, "-neon_dot", neon_dot},
};

std::uint64_t masked(std::uint64_t found) {
    const char* list = environment("TW_FEATURES");
    if (!list) return found;
    if (list_names(list, "none")) return 0;
    for (const Named& feature : maskable)
        if (list_names(list, feature.minus)) found &= ~feature.takes;
    return found;
}

constexpr std::uint64_t not_asked = ~std::uint64_t{0};
constinit Remembered<std::uint64_t, not_asked> unmasked, used;

}  // namespace

std::uint64_t cpu_features_unmasked() noexcept { return unmasked.get(detect); }

std::uint64_t cpu_features() noexcept {
    return used.get([] { return masked(cpu_features_unmasked()); });
}

const char* cpu_feature_refusal(std::uint64_t feature) noexcept {
    if (cpu_features() & feature) return "";
    if (cpu_features_unmasked() & feature) return "masked off by TW_FEATURES";
#if defined(__x86_64__)
    const Leaf seven(7, 0);
    if (feature & (amx_bf16 | amx_int8))
        if (bit(seven.d, 24)) return "the processor has it, but the operating system refuses its tile state";
    if (feature & avx512)
        if (bit(seven.b, 16)) return "the processor has it, but the operating system does not save its registers";
#endif
    return "the processor does not have it";
}

}  // namespace tw
