// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// What happens when somebody presses Ctrl-C, or asks the process to end: the half-written file goes, exit 128 + signal.
#pragma once

#include <signal.h>

namespace tw::cli {

/// Catches SIGINT, SIGTERM and SIGHUP, unless whoever started us had them ignored; a file too large for its limit
/// becomes an error of the write instead of a signal.
void catch_interrupts();

/// Holds those signals back while this lives.
class HoldInterrupts {
public:
    HoldInterrupts();
    ~HoldInterrupts();
    HoldInterrupts(const HoldInterrupts&) = delete;
    HoldInterrupts& operator=(const HoldInterrupts&) = delete;

private:
    sigset_t saved_;
};

/// The one file that is removed when a signal ends the process; null: none. The path is copied and must fit PATH_MAX.
void remove_on_interrupt(const char* path) noexcept;

}  // namespace tw::cli
