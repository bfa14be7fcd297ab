// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The memory sanitizer takes what it did not compile for uninitialised, and the C++ library is such code. So memory for
// the exceptions that the library makes begins as written, and letters that it wrote are not asked about where they are
// counted or compared.
#include <cstddef>
#include <cstdio>

#if defined(__has_feature)
#if __has_feature(memory_sanitizer)
#include <dlfcn.h>
#include <sanitizer/msan_interface.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

extern "C" {

[[gnu::visibility("default")]] const char* __msan_default_options() { return "intercept_strlen=0:intercept_memcmp=0"; }

[[gnu::visibility("default")]] void* __cxa_allocate_exception(std::size_t bytes) noexcept {
    static const auto next = reinterpret_cast<void* (*)(std::size_t)>(dlsym(RTLD_NEXT, "__cxa_allocate_exception"));
    void* memory = next(bytes);
    __msan_unpoison(memory, bytes);
    return memory;
}

/// These two are called by the C++ library's streams, with what they have written.
[[gnu::visibility("default")]] FILE* fopen64(const char* path, const char* mode) {
    static const auto next = reinterpret_cast<FILE* (*)(const char*, const char*)>(dlsym(RTLD_NEXT, "fopen64"));
    __msan_unpoison_string(path);
    return next(path, mode);
}
[[gnu::visibility("default")]] ssize_t writev(int file, const iovec* parts, int count) {
    return syscall(SYS_writev, file, parts, count);
}

}  // extern "C"
#endif
#endif
