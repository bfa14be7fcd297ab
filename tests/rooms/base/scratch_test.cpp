// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "base/scratch.hpp"

#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <thread>

namespace {

constexpr std::size_t bytes = 40 << 10;

bool is_usable(std::span<std::byte> scratch, std::size_t wanted) {
    if (scratch.size() < wanted) return false;
    std::memset(scratch.data(), 1, scratch.size());
    return true;
}

/// Takes memory as large as the scratch that has just been freed, so that it gets the same, and asks for scratch then.
void multiply_at_the_end(void*) {
    constexpr int others = 16;
    std::byte* taken[others];
    for (std::byte*& block : taken) block = static_cast<std::byte*>(std::aligned_alloc(4096, bytes));
    const std::span<std::byte> scratch = tw::thread_scratch(bytes);
    for (std::byte* block : taken)
        if (block < scratch.data() + scratch.size() && scratch.data() < block + bytes) _exit(2);
    for (std::byte* block : taken) std::free(block);
    if (!is_usable(scratch, bytes) || !is_usable(tw::thread_scratch(2 * bytes), 2 * bytes)) _exit(3);
}

TEST(Scratch, IsFreshInDestructorsThatRunAfterItsOwn) {
    const pid_t child = fork();  // which the allocator ends when a block is freed twice
    if (child == 0) {
        alarm(20);
        if (!is_usable(tw::thread_scratch(bytes), bytes)) _exit(1);  // makes the library's key, so that ours runs later
        pthread_key_t key{};
        pthread_key_create(&key, multiply_at_the_end);
        for (int i = 0; i < 20; ++i)
            std::thread([key] {
                if (!is_usable(tw::thread_scratch(bytes), bytes)) _exit(1);
                pthread_setspecific(key, &key);
            }).join();
        _exit(0);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status)) << "it was killed by signal " << WTERMSIG(status);
    EXPECT_EQ(WEXITSTATUS(status), 0) << "2: the scratch had been freed; 3: it was too small";
}

TEST(Scratch, SetAsideIsTheSameAgainAfterwards) {
    const std::span<std::byte> outer = tw::thread_scratch(bytes);
    {
        const tw::ScratchSetAside held;
        const std::span<std::byte> inner = tw::thread_scratch(bytes);
        EXPECT_NE(inner.data(), outer.data());
    }
    EXPECT_EQ(tw::thread_scratch(bytes).data(), outer.data());
}

}  // namespace
