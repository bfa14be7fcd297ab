// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "base/scratch.hpp"

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
    std::span<std::byte> bytes;

    void release() noexcept {
        std::free(bytes.data());
        bytes = {};
    }
    ~Block() { release(); }
};

thread_local Block kept;

}  // namespace

std::span<std::byte> thread_scratch(std::size_t bytes) noexcept {
    if (bytes <= kept.bytes.size()) return kept.bytes;
    if (bytes > PTRDIFF_MAX - huge_page) return {};
    kept.release();
    const std::size_t unit = bytes >= huge_page ? huge_page : page;
    const std::size_t rounded = (bytes + unit - 1) / unit * unit;
    auto* data = static_cast<std::byte*>(std::aligned_alloc(unit, rounded));
    if (!data) return {};
#if defined(__linux__)
    if (unit == huge_page) madvise(data, rounded, MADV_HUGEPAGE);
#endif
    kept.bytes = {data, rounded};
    return kept.bytes;
}

void release_thread_scratch() noexcept { kept.release(); }

}  // namespace tw
