// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "base/cpu_core.hpp"

#include <cstring>

#include "base/remembered.hpp"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace tw {
namespace {

constexpr CpuCore unknown;
constinit RememberedObject<CpuCore> own;

CpuCore ask() noexcept {
#if defined(__x86_64__)
    unsigned most = 0, b = 0, c = 0, d = 0;
    if (__get_cpuid(0, &most, &b, &c, &d) == 0 || most == 0) return {};
    const std::uint32_t name[3] = {b, d, c};
    unsigned signature = 0;
    __get_cpuid(1, &signature, &b, &c, &d);
    return cpu_core_of(name, signature);
#else
    return {};
#endif
}

}  // namespace

CpuCore cpu_core_of(const std::uint32_t (&name)[3], std::uint32_t signature) noexcept {
    CpuCore core;
    std::memcpy(core.maker, name, sizeof name);
    const auto bits = [&](int from, int count) {
        return static_cast<int>((signature >> from) & ((std::uint32_t{1} << count) - 1));
    };
    const int family = bits(8, 4);
    core.family = family == 15 ? family + bits(20, 8) : family;
    core.model = bits(4, 4) + (family == 15 || family == 6 ? bits(16, 4) << 4 : 0);
    return core;
}

const CpuCore& cpu_core() noexcept { return own.get(ask, unknown); }

bool is_virtual_machine() noexcept {
#if defined(__x86_64__)
    unsigned a = 0, b = 0, c = 0, d = 0;
    return __get_cpuid(1, &a, &b, &c, &d) != 0 && (c >> 31) != 0;
#else
    return false;
#endif
}

}  // namespace tw
