// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// A BLIS: its configurations by number, of which it takes the narrowest by itself. WITHOUT_QUERY: one that does not
// tell which it has taken.
#include <cstdlib>

extern "C" {
[[gnu::visibility("default")]] void bli_init();
[[gnu::visibility("default")]] const char* bli_info_get_version_str();
[[gnu::visibility("default")]] const char* bli_arch_string(int number);
#if !defined(WITHOUT_QUERY)
[[gnu::visibility("default")]] int bli_arch_query_id();
#endif
}

namespace {

bool is_initialised = false;
constexpr const char* names[] = {"skx", "haswell", "penryn", "generic"};

}  // namespace

void bli_init() { is_initialised = true; }

const char* bli_arch_string(int number) { return number >= 0 && number < 4 ? names[number] : nullptr; }

#if defined(WITHOUT_QUERY)
const char* bli_info_get_version_str() { return is_initialised ? "0.2" : ""; }
#else
const char* bli_info_get_version_str() { return is_initialised ? "0.1" : ""; }
int bli_arch_query_id() {
    const char* wanted = std::getenv("BLIS_ARCH_TYPE");
    return !is_initialised ? -1 : wanted ? std::atoi(wanted) : 2;
}
#endif
