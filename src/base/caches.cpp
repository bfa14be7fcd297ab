// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "base/caches.hpp"

#include <cstdio>
#include <cstdlib>

#include "base/remembered.hpp"
#include "base/small_file.hpp"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace tw {
namespace {

constexpr Caches usual{.l1 = {32 << 10, 8, 1}, .l2 = {512 << 10, 8, 1}, .l3 = {}};
constinit RememberedObject<Caches> own;

Cache* at_level(Caches& caches, unsigned level) noexcept {
    Cache* const levels[] = {&caches.l1, &caches.l2, &caches.l3};
    return level >= 1 && level <= 3 ? levels[level - 1] : nullptr;
}

#if defined(__x86_64__)
/// Intel's leaf 4, or AMD's copy of it. What one has told the other does not change.
void ask_processor(Caches& caches) noexcept {
    constexpr unsigned leaves[] = {0x4u, 0x8000001du};
    for (const unsigned leaf : leaves)
        for (unsigned i = 0; i < 8; ++i) {
            unsigned a = 0, b = 0, c = 0, d = 0;
            if (__get_cpuid_count(leaf, i, &a, &b, &c, &d) == 0 || (a & 31) == 0) break;
            note_cache(caches, {a, b, c});
        }
}
#else
void ask_processor(Caches&) noexcept {}
#endif

bool read_part(int index, const char* part, char (&text)[32]) noexcept {
    char path[80];
    std::snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/%s", index, part);
    return read_text(path, text);
}

void ask_system(Caches& caches) noexcept {
    char text[32];
    for (int i = 0; i < 8 && read_part(i, "type", text); ++i) {
        if (text[0] == 'I' || !read_part(i, "level", text)) continue;
        Cache* const cache = at_level(caches, static_cast<unsigned>(std::atoi(text)));
        if (!cache || cache->bytes != 0 || !read_part(i, "size", text)) continue;
        char* unit = text;
        cache->bytes = std::strtol(text, &unit, 10) << (*unit == 'M' ? 20 : *unit == 'K' ? 10 : 0);
        cache->ways = read_part(i, "ways_of_associativity", text) ? std::atoi(text) : 0;
    }
}

Caches ask() noexcept {
    Caches found;
    ask_processor(found);
    ask_system(found);
    if (found.l1.bytes == 0) found.l1 = usual.l1;
    if (found.l2.bytes == 0) found.l2 = usual.l2;
    return found;
}

}  // namespace

void note_cache(Caches& caches, const CacheWords& words) noexcept {
    constexpr unsigned of_instructions = 2;
    const auto bits = [](std::uint32_t word, int from, int count) {
        return static_cast<int>((word >> from) & ((std::uint32_t{1} << count) - 1));
    };
    const unsigned kind = words.a & 31;
    Cache* const cache = at_level(caches, (words.a >> 5) & 7);
    if (kind == 0 || kind == of_instructions || !cache || cache->bytes != 0) return;
    cache->ways = bits(words.b, 22, 10) + 1;
    const std::int64_t line = bits(words.b, 0, 12) + 1, partitions = bits(words.b, 12, 10) + 1;
    cache->bytes = cache->ways * line * partitions * (std::int64_t{words.c} + 1);
    cache->shared_by = bits(words.a, 14, 12) + 1;
}

const Caches& caches() noexcept { return own.get(ask, usual); }

}  // namespace tw
