// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The functions that translated kernels call, by the names in the prelude and the translator. The last argument of each
// is the source line of the call.
#include <cmath>
#include <cstring>

#include "backend/metal/on_linux/machine/core.hpp"

#define MACHINE_CALL(result, name, ...) extern "C" __attribute__((visibility("default"))) result name(__VA_ARGS__)

namespace tw::metal_check {
namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

enum class Atomic : u32 {
    load,
    store,
    exchange_if,
    add,
    add_float,
    min_unsigned,
    max_unsigned,
    unused,
    bit_and,
    bit_or,
    bit_xor,
    min_signed,
    max_signed
};

u32 combined(Atomic operation, u32 old, u32 value) {
    float a, b;
    switch (operation) {
        case Atomic::add: return old + value;
        case Atomic::add_float:
            std::memcpy(&a, &old, 4), std::memcpy(&b, &value, 4);
            a += b;
            std::memcpy(&old, &a, 4);
            return old;
        case Atomic::min_unsigned: return value < old ? value : old;
        case Atomic::max_unsigned: return value > old ? value : old;
        case Atomic::bit_and: return old & value;
        case Atomic::bit_or: return old | value;
        case Atomic::bit_xor: return old ^ value;
        case Atomic::min_signed: return static_cast<int>(value) < static_cast<int>(old) ? value : old;
        case Atomic::max_signed: return static_cast<int>(value) > static_cast<int>(old) ? value : old;
        case Atomic::store: return value;
        default: return old;
    }
}

/// Row and column of a lane's first element of an 8x8 matrix, as in the prelude.
constexpr u32 row_of(u32 lane) { return (lane / 4 & 4) + lane / 2 % 4; }
constexpr u32 column_of(u32 lane) { return 2 * ((lane / 4 & 2) + lane % 2); }

void gather(Core& core, SimdGroup& group, u32 present) {
    u64 all[lanes + 1] = {};
    for (u32 i = 0; i < group.size; ++i)
        if (present >> i & 1u) all[i] = core.lane(group, i).simd_call.value;
    all[lanes] = present;
    for (u32 i = 0; i < group.size; ++i)
        if (present >> i & 1u) std::memcpy(core.lane(group, i).simd_call.out, all, sizeof all);
}

#if defined(__x86_64__)
#define TW_FUSED __attribute__((target("avx2,fma")))  // as the translated kernels are compiled
#else
#define TW_FUSED
#endif

/// Sums in f32 along k, with fused multiply-adds.
TW_FUSED void matrix_multiply(Core& core, SimdGroup& group, u32 present) {
    float a[8][8] = {}, b[8][8] = {}, c[8][8] = {};
    for (u32 l = 0; l < group.size; ++l) {
        if (!(present >> l & 1u)) continue;
        const SimdCall& simd_call = core.lane(group, l).simd_call;
        std::memcpy(&a[row_of(l)][column_of(l)], simd_call.in[0], 8);
        std::memcpy(&b[row_of(l)][column_of(l)], simd_call.in[1], 8);
        if (simd_call.in[2]) std::memcpy(&c[row_of(l)][column_of(l)], simd_call.in[2], 8);
    }
    for (int i = 0; i < 8; ++i)
        for (int k = 0; k < 8; ++k)
            for (int j = 0; j < 8; ++j) c[i][j] = std::fma(a[i][k], b[k][j], c[i][j]);
    for (u32 l = 0; l < group.size; ++l)
        if (present >> l & 1u) std::memcpy(core.lane(group, l).simd_call.out, &c[row_of(l)][column_of(l)], 8);
    core.counters.flops += 2 * 8 * 8 * 8;
}

void synchronize_only(Core&, SimdGroup&, u32) {}

void* pointer(u64 address) { return reinterpret_cast<void*>(address); }

}  // namespace

#define ACCESS(bytes)                                                                                           \
    MACHINE_CALL(void, tw_read##bytes, void* p, u32 site) __asm__("msl.read" #bytes);                           \
    MACHINE_CALL(void, tw_read##bytes, void* p, u32 site) { Core::here().access(p, bytes, false, true, site); } \
    MACHINE_CALL(void, tw_write##bytes, void* p, u32 site) __asm__("msl.write" #bytes);                         \
    MACHINE_CALL(void, tw_write##bytes, void* p, u32 site) { Core::here().access(p, bytes, true, true, site); } \
    MACHINE_CALL(void, tw_unaligned_read##bytes, void* p, u32 site) __asm__("msl.unaligned_read" #bytes);       \
    MACHINE_CALL(void, tw_unaligned_read##bytes, void* p, u32 site) {                                           \
        Core::here().access(p, bytes, false, false, site);                                                      \
    }                                                                                                           \
    MACHINE_CALL(void, tw_unaligned_write##bytes, void* p, u32 site) __asm__("msl.unaligned_write" #bytes);     \
    MACHINE_CALL(void, tw_unaligned_write##bytes, void* p, u32 site) {                                          \
        Core::here().access(p, bytes, true, false, site);                                                       \
    }
ACCESS(1)
ACCESS(2)
ACCESS(4)
ACCESS(8)
ACCESS(16)

MACHINE_CALL(void*, tw_memcpy, void* to, const void* from, u64 bytes, u32 site) __asm__("msl.memcpy");
MACHINE_CALL(void*, tw_memcpy, void* to, const void* from, u64 bytes, u32 site) {
    if (bytes == 0) return to;
    Core::here().access(from, bytes, false, false, site);
    Core::here().access(to, bytes, true, false, site);
    return std::memmove(to, from, bytes);
}
MACHINE_CALL(void*, tw_memmove, void* to, const void* from, u64 bytes, u32 site) __asm__("msl.memmove");
MACHINE_CALL(void*, tw_memmove, void* to, const void* from, u64 bytes, u32 site) {
    return tw_memcpy(to, from, bytes, site);
}
MACHINE_CALL(void*, tw_memset, void* to, int value, u64 bytes, u32 site) __asm__("msl.memset");
MACHINE_CALL(void*, tw_memset, void* to, int value, u64 bytes, u32 site) {
    if (bytes == 0) return to;
    Core::here().access(to, bytes, true, false, site);
    return std::memset(to, value, bytes);
}

MACHINE_CALL(void, tw_init, u32) __asm__("msl.init");
MACHINE_CALL(void, tw_init, u32) {}  // replaces the sanitizer's initialisation
MACHINE_CALL(void, tw_flops, u32 count) __asm__("msl.flops");
MACHINE_CALL(void, tw_flops, u32 count) { Core::here().counters.flops += count; }

MACHINE_CALL(void, tw_threadgroup_barrier, u32 flags, u32 site) __asm__("msl.threadgroup_barrier");
MACHINE_CALL(void, tw_threadgroup_barrier, u32 flags, u32 site) { Core::here().barrier(flags, site); }
MACHINE_CALL(void, tw_simdgroup_barrier, u32 flags, u32 site) __asm__("msl.simdgroup_barrier");
MACHINE_CALL(void, tw_simdgroup_barrier, u32 flags, u32 site) { Core::here().simdgroup_barrier(flags, site); }

MACHINE_CALL(u32, tw_lane, u32 site) __asm__("msl.lane");
MACHINE_CALL(u32, tw_lane, u32) { return Core::here().fiber().lane; }
MACHINE_CALL(void, tw_gather, u64 value, u64 out, u32 site) __asm__("msl.gather");
MACHINE_CALL(void, tw_gather, u64 value, u64 out, u32 site) {
    Core::here().join_simd_call({.run = gather, .out = pointer(out), .value = value}, site);
}
MACHINE_CALL(void, tw_matrix_multiply, u64 d, u64 a, u64 b, u64 c, u32 site) __asm__("msl.matrix_multiply");
MACHINE_CALL(void, tw_matrix_multiply, u64 d, u64 a, u64 b, u64 c, u32 site) {
    Core::here().join_simd_call(
        {.run = matrix_multiply, .needs_all = true, .in = {pointer(a), pointer(b), pointer(c)}, .out = pointer(d)},
        site);
}
MACHINE_CALL(void, tw_matrix_call, u32 site) __asm__("msl.matrix_call");
MACHINE_CALL(void, tw_matrix_call, u32 site) {
    Core& core = Core::here();
    if (core.is_checked())
        core.join_simd_call({.run = synchronize_only, .needs_all = true}, site);  // lanes load for themselves
}

MACHINE_CALL(u32, tw_atomic, u64 where, u32 value, u32 expected, u32 operation, u32 site) __asm__("msl.atomic");
MACHINE_CALL(u32, tw_atomic, u64 where, u32 value, u32 expected, u32 operation, u32 site) {
    Core::here().atomic_access(pointer(where), static_cast<Atomic>(operation) != Atomic::store, site);
    auto* word = static_cast<u32*>(pointer(where));
    if (static_cast<Atomic>(operation) == Atomic::exchange_if) {
        __atomic_compare_exchange_n(word, &expected, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
        return expected;
    }
    u32 old = __atomic_load_n(word, __ATOMIC_RELAXED);
    if (static_cast<Atomic>(operation) == Atomic::load) return old;
    while (!__atomic_compare_exchange_n(word, &old, combined(static_cast<Atomic>(operation), old, value), true,
                                        __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
    return old;
}

MACHINE_CALL(float, tw_math1, float x, u32 which, u32 site) __asm__("msl.math1");
MACHINE_CALL(float, tw_math1, float x, u32 which, u32) {
    switch (which) {
        case 0: return std::exp(x);
        case 1: return std::exp2(x);
        case 2: return std::log(x);
        case 3: return std::log2(x);
        case 4: return std::log10(x);
        case 5: return std::sin(x);
        case 6: return std::cos(x);
        case 7: return std::tan(x);
        case 8: return std::tanh(x);
        case 9: return std::floor(x);
        case 10: return std::ceil(x);
        case 11: return std::trunc(x);
        case 12: return std::rint(x);
        case 13: return std::round(x);
        case 14: return std::sqrt(x);
        case 15: return 1 / std::sqrt(x);
        case 16: return std::asin(x);
        case 17: return std::acos(x);
        case 18: return std::atan(x);
        default: return std::pow(10.0f, x);
    }
}
MACHINE_CALL(float, tw_math2, float x, float y, u32 which, u32 site) __asm__("msl.math2");
MACHINE_CALL(float, tw_math2, float x, float y, u32 which, u32) {
    switch (which) {
        case 0: return std::pow(x, y);
        case 1: return std::atan2(x, y);
        case 2: return std::fmod(x, y);
        case 3: return std::fmin(x, y);
        case 4: return std::fmax(x, y);
        default: return std::ldexp(x, static_cast<int>(y));
    }
}

}  // namespace tw::metal_check
