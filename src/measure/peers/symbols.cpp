// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "measure/peers/symbols.hpp"

#include <dlfcn.h>

namespace tw::measure {

Symbol find_symbol(void* handle, const std::string& name) {
    for (const char* prefix : {"", "scipy_"})
        for (const char* suffix : {"", "64_"})
            if (void* address = dlsym(handle, (prefix + name + suffix).c_str())) return {address, *suffix != '\0'};
    return {};
}

}  // namespace tw::measure
