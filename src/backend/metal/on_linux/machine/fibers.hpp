// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// One stack for each GPU thread, and the switch between two of them: 14 instructions on x86-64, ucontext elsewhere.
#pragma once

#include <cstddef>
#include <vector>

#if !defined(__x86_64__)
#include <ucontext.h>
#endif

namespace tw::metal_check {

#if defined(__x86_64__)
struct Context {
    void* stack = nullptr;
};
#else
struct Context {
    ucontext_t state{};
};
#endif

/// Makes `context` call `entry` on the stack when it is first switched to. `entry` never returns.
void prepare(Context& context, char* stack, std::size_t bytes, void (*entry)());
void switch_to(Context& from, Context& to);

/// Stacks for the threads of a threadgroup; a thread that ends without waiting leaves its stack to the next one.
class Stacks {
public:
    static constexpr std::size_t bytes_each = 64 << 10;

    explicit Stacks(std::size_t count);
    ~Stacks();
    Stacks(const Stacks&) = delete;
    Stacks& operator=(const Stacks&) = delete;

    char* take() noexcept;
    void give(char* stack) noexcept { free_.push_back(stack); }
    void reset() noexcept;
    bool hold(const void* address) const noexcept { return address >= all_ && address < all_ + bytes_; }

private:
    char* all_ = nullptr;
    std::size_t bytes_ = 0;
    std::vector<char*> free_;
};

}  // namespace tw::metal_check
