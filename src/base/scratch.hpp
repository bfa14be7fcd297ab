// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Memory for packed panels: each calling thread keeps as much as its largest product needed, on huge pages if possible,
// so that the second call allocates nothing.
#pragma once

#include <cstddef>
#include <span>

namespace tw {

/// At least `bytes` bytes, aligned to a page, valid until this thread's next call; empty when memory is short.
std::span<std::byte> thread_scratch(std::size_t bytes) noexcept;

/// Gives this thread's scratch back now instead of at its end.
void release_thread_scratch() noexcept;

/// Held while a caller's code runs on a thread whose scratch is in use: products made there get other memory, which is
/// freed when this ends.
class ScratchSetAside {
public:
    ScratchSetAside() noexcept;
    ~ScratchSetAside();
    ScratchSetAside(const ScratchSetAside&) = delete;
    ScratchSetAside& operator=(const ScratchSetAside&) = delete;

private:
    std::span<std::byte> in_use_;
};

}  // namespace tw
