// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "base/scratch.hpp"

#include <pthread.h>

#include <cstdint>
#include <cstdlib>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace tw {
namespace {

constexpr std::size_t huge_page = std::size_t{1} << 21;
constexpr std::size_t page = 4096;

struct Block {
    std::byte* data;
    std::size_t size;
};
thread_local Block kept{};  // plain data: a destructor here would make the runtime allocate, and abort when it can't

/// Frees a thread's block when the thread ends. A pthread key reports failure where thread_local destructors abort.
class AtThreadEnd {
public:
    AtThreadEnd() noexcept : made_(pthread_key_create(&key_, std::free) == 0) {}
    bool free_later(std::byte* data) noexcept { return made_ && pthread_setspecific(key_, data) == 0; }

private:
    pthread_key_t key_{};
    bool made_;
};

AtThreadEnd& at_thread_end() noexcept {
    static AtThreadEnd instance;
    return instance;
}

}  // namespace

std::span<std::byte> thread_scratch(std::size_t bytes) noexcept {
    if (bytes <= kept.size) return {kept.data, kept.size};
    if (bytes > PTRDIFF_MAX - huge_page) return {};
    release_thread_scratch();
    const std::size_t unit = bytes >= huge_page ? huge_page : page;
    const std::size_t rounded = (bytes + unit - 1) / unit * unit;
    auto* data = static_cast<std::byte*>(std::aligned_alloc(unit, rounded));
    if (!data) return {};
    if (!at_thread_end().free_later(data)) {
        std::free(data);
        return {};
    }
#if defined(__linux__)
    if (unit == huge_page) madvise(data, rounded, MADV_HUGEPAGE);
#endif
    kept = {data, rounded};
    return {kept.data, kept.size};
}

void release_thread_scratch() noexcept {
    if (!kept.data) return;
    at_thread_end().free_later(nullptr);
    std::free(kept.data);
    kept = {};
}

}  // namespace tw
