// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "measure/peers/neighbours.hpp"

#include <dlfcn.h>

namespace tw::measure {
namespace {

constexpr int most_missed = 32;  // of one library, those that its neighbours miss counted in

/// "libtbb.so.12: cannot open shared object file: No such file or directory": the library that is missed; or empty.
std::string missed_in(const std::string& words) {
    const std::size_t end = words.find(": cannot open shared object file");
    return end == std::string::npos ? "" : words.substr(0, end);
}

void* open(const std::string& file, std::string& trouble, int& left) {
    const std::string folder = file.substr(0, file.rfind('/') + 1);
    for (std::string last;;) {
        if (void* handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL)) return handle;
        const char* words = dlerror();
        trouble = words ? words : "it does not open";
        const std::string missed = missed_in(trouble);
        const bool is_another = !missed.empty() && missed != last && missed.find('/') == std::string::npos;
        if (folder.empty() || !is_another || --left < 0) return nullptr;
        std::string why;
        if (!open(folder + missed, why, left)) return nullptr;
        last = missed;
    }
}

}  // namespace

void* open_with_neighbours(const std::string& file, std::string& trouble) {
    int left = most_missed;
    return open(file, trouble, left);
}

}  // namespace tw::measure
