// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "base/environment.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>

#if defined(__linux__)
#include <sys/auxv.h>
#else
#include <unistd.h>
#endif

namespace tw {

bool is_privileged() noexcept {
#if defined(__linux__)
    return getauxval(AT_SECURE) != 0;
#else
    return issetugid() != 0;
#endif
}

const char* environment(const char* name) noexcept {
    const char* text = is_privileged() ? nullptr : std::getenv(name);
    return text && *text ? text : nullptr;
}

int environment_number(const char* name, int least, int most, int absent) noexcept {
    const char* text = environment(name);
    if (!text) return absent;
    char* end = nullptr;
    errno = 0;
    const long value = std::strtol(text, &end, 10);
    if (end == text || *end != '\0') return absent;
    return value < least ? least : value > most ? most : static_cast<int>(value);
}

bool list_names(const char* list, const char* word) noexcept {
    if (!list) return false;
    const std::size_t length = std::strlen(word);
    for (const char* at = list; (at = std::strstr(at, word)); at += length) {
        const bool starts = at == list || at[-1] == ',';
        const bool ends = at[length] == '\0' || at[length] == ',';
        if (starts && ends) return true;
    }
    return false;
}

}  // namespace tw
