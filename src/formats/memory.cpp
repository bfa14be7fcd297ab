// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "formats/memory.hpp"

#include <cstdint>
#include <cstring>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace tw::effort {

bool Memory::allocate(std::size_t bytes) noexcept {
    constexpr std::size_t huge_page = std::size_t{1} << 21;
    data_ = std::unique_ptr<std::byte, Free>();
    size_ = 0;
    if (bytes == 0) return true;
    if (bytes > PTRDIFF_MAX - huge_page) return false;
    const std::size_t unit = bytes >= huge_page ? huge_page : static_cast<std::size_t>(line);
    const std::size_t rounded = (bytes + unit - 1) / unit * unit;
    data_.reset(static_cast<std::byte*>(std::aligned_alloc(unit, rounded)));
    if (!data_) return false;
#if defined(__linux__)
    if (unit == huge_page) madvise(data_.get(), rounded, MADV_HUGEPAGE);
#endif
    std::memset(data_.get(), 0, rounded);
    size_ = bytes;
    return true;
}

}  // namespace tw::effort
