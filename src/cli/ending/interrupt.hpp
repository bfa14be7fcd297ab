// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// On Ctrl-C, or another signal to end: removes the half-written file and exits with 128 + signal.
#pragma once

#include <signal.h>

namespace tw::cli {

/// Catches SIGINT, SIGTERM and SIGHUP, unless they were ignored when the program started. Makes a write beyond the file
/// size limit an error instead of a signal.
void catch_interrupts();

/// Blocks those signals during its lifetime.
class HoldInterrupts {
public:
    HoldInterrupts();
    ~HoldInterrupts();
    HoldInterrupts(const HoldInterrupts&) = delete;
    HoldInterrupts& operator=(const HoldInterrupts&) = delete;

private:
    sigset_t saved_;
};

/// Sets the file to remove when a signal ends the process; null: none. The path is copied and must fit PATH_MAX.
void remove_on_interrupt(const char* path) noexcept;

}  // namespace tw::cli
