// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "base/scratch.hpp"

#include <pthread.h>

#include <cstdint>
#include <cstdlib>

#include "base/remembered.hpp"

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

constexpr std::uint64_t not_asked = ~std::uint64_t{0}, refused = not_asked - 1;
constinit Remembered<std::uint64_t, not_asked> block_key;  // a pthread_key_t, or refused

/// Destructors of other keys may multiply after this one has run: they must not find the block that is gone. What they
/// are given is freed in the next of the rounds that a thread's end has.
void free_block(void* data) noexcept {
    if (kept.data == data) kept = {};
    std::free(data);
}

/// Has a thread's block freed when the thread ends. A pthread key reports failure where thread_local destructors abort.
bool free_at_thread_end(std::byte* data) noexcept {
    const std::uint64_t key = block_key.get(
        [] {
            pthread_key_t made{};
            return pthread_key_create(&made, free_block) == 0 ? std::uint64_t{made} : refused;
        },
        [](std::uint64_t late) {
            if (late != refused) pthread_key_delete(static_cast<pthread_key_t>(late));
        });
    return key != refused && pthread_setspecific(static_cast<pthread_key_t>(key), data) == 0;
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
    if (!free_at_thread_end(data)) {
        std::free(data);
        return {};
    }
#if defined(__linux__)
    if (unit == huge_page) madvise(data, rounded, MADV_HUGEPAGE);
#endif
    // Kernels ask for some rows behind the last one of a panel. Of a page that was never written each such request
    // takes the processor a search that finds nothing.
    if (unit == page)
        for (std::size_t at = 0; at < rounded; at += page) data[at] = std::byte{};
    kept = {data, rounded};
    return {kept.data, kept.size};
}

void release_thread_scratch() noexcept {
    if (!kept.data) return;
    free_at_thread_end(nullptr);
    std::free(kept.data);
    kept = {};
}

ScratchSetAside::ScratchSetAside() noexcept : in_use_(kept.data, kept.size) {
    if (kept.data) free_at_thread_end(nullptr);
    kept = {};
}

ScratchSetAside::~ScratchSetAside() {
    release_thread_scratch();
    if (!in_use_.data()) return;
    free_at_thread_end(in_use_.data());  // the slot is there: it held this block before
    kept = {in_use_.data(), in_use_.size()};
}

}  // namespace tw
