// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#pragma once

#include <string>

namespace tw::measure {

/// A function by its plain name, or by its name in Python's wheels: scipy_NAME, NAME64_, scipy_NAME64_.
struct Symbol {
    void* address = nullptr;
    bool has_long_integers = false;
};
Symbol find_symbol(void* handle, const std::string& name);

template <class F>
F* function(void* handle, const std::string& name) {
    return reinterpret_cast<F*>(find_symbol(handle, name).address);
}

}  // namespace tw::measure
