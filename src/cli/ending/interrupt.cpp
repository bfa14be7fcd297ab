// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "cli/ending/interrupt.hpp"

#include <unistd.h>

#include <climits>
#include <cstring>

namespace tw::cli {
namespace {

constexpr int ending[] = {SIGINT, SIGTERM, SIGHUP};

char doomed[PATH_MAX];
volatile sig_atomic_t has_doomed = 0;

extern "C" void on_interrupt(int number) {
    if (has_doomed) unlink(doomed);
    _exit(128 + number);
}

sigset_t ending_set() {
    sigset_t set;
    sigemptyset(&set);
    for (const int number : ending) sigaddset(&set, number);
    return set;
}

}  // namespace

void catch_interrupts() {
    struct sigaction action{};
    action.sa_handler = on_interrupt;
    action.sa_mask = ending_set();
    for (const int number : ending) {
        struct sigaction before{};
        sigaction(number, nullptr, &before);
        if (before.sa_handler != SIG_IGN) sigaction(number, &action, nullptr);
    }
    signal(SIGXFSZ, SIG_IGN);
}

HoldInterrupts::HoldInterrupts() {
    const sigset_t set = ending_set();
    pthread_sigmask(SIG_BLOCK, &set, &saved_);
}

HoldInterrupts::~HoldInterrupts() { pthread_sigmask(SIG_SETMASK, &saved_, nullptr); }

void remove_on_interrupt(const char* path) noexcept {
    has_doomed = 0;
    if (!path || std::strlen(path) >= sizeof doomed) return;
    std::strcpy(doomed, path);
    has_doomed = 1;
}

}  // namespace tw::cli
