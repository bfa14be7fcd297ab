// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "base/bulk_copy.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace tw {
namespace {

constexpr std::size_t line = 64, block = 4 * line, ahead = 4096;

}  // namespace

void copy_reading_ahead(void* to, const void* from, std::size_t bytes) noexcept {
    auto* target = static_cast<char*>(to);
    const auto* source = static_cast<const char*>(from);
    for (; bytes > block + ahead; bytes -= block, target += block, source += block) {
        for (std::size_t at = 0; at < block; at += line) __builtin_prefetch(source + ahead + at);
        std::memcpy(target, source, block);
    }
    std::memcpy(target, source, bytes);
}

#if defined(__SSE2__)

void copy_past_caches(void* to, const void* from, std::size_t bytes) noexcept {
    auto* target = static_cast<char*>(to);
    const auto* source = static_cast<const char*>(from);
    const std::size_t head = std::min(bytes, (line - reinterpret_cast<std::uintptr_t>(target) % line) % line);
    std::memcpy(target, source, head);
    target += head, source += head, bytes -= head;
    for (; bytes >= line; bytes -= line, target += line, source += line)
        for (std::size_t at = 0; at < line; at += sizeof(__m128i))
            _mm_stream_si128(reinterpret_cast<__m128i*>(target + at),
                             _mm_loadu_si128(reinterpret_cast<const __m128i*>(source + at)));
    _mm_sfence();  // whoever is told that the copy is there must find it
    std::memcpy(target, source, bytes);
}

#else

void copy_past_caches(void* to, const void* from, std::size_t bytes) noexcept { std::memcpy(to, from, bytes); }

#endif

}  // namespace tw
