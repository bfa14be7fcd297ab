// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "base/own_file.hpp"

#include "base/environment.hpp"

#if defined(__linux__)
#include <link.h>
#include <unistd.h>

#include <climits>
#include <cstddef>
#include <cstdint>
#else
#include <dlfcn.h>
#endif

namespace tw {

#if defined(__linux__)
namespace {

struct Search {
    std::uintptr_t address;
    const char* name = nullptr;  ///< of the object that holds the address; "" for the main program
};

int look_into(dl_phdr_info* object, std::size_t, void* context) noexcept {
    Search& search = *static_cast<Search*>(context);
    for (int i = 0; i < object->dlpi_phnum; ++i) {
        const auto& segment = object->dlpi_phdr[i];
        if (segment.p_type != PT_LOAD || search.address - (object->dlpi_addr + segment.p_vaddr) >= segment.p_memsz)
            continue;
        search.name = object->dlpi_name ? object->dlpi_name : "";
        return 1;
    }
    return 0;
}

std::string running_program() {
    char path[PATH_MAX];
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
    return length > 0 && length < static_cast<ssize_t>(sizeof path)
               ? std::string(path, static_cast<std::size_t>(length))
               : std::string();
}

}  // namespace

std::string file_of(const void* code) {
    Search search{reinterpret_cast<std::uintptr_t>(code)};
    dl_iterate_phdr(look_into, &search);
    if (!search.name) return {};
    return *search.name ? search.name : running_program();
}
#else
std::string file_of(const void* code) {
    Dl_info info{};
    return dladdr(code, &info) && info.dli_fname ? info.dli_fname : "";
}
#endif

std::string trusted_folder_of(const void* code) {
    if (is_privileged()) return {};
    const std::string path = file_of(code);
    const std::size_t slash = path.rfind('/');
    return slash == std::string::npos ? std::string() : path.substr(0, slash + 1);
}

}  // namespace tw
