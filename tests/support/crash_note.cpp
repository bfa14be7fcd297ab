// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "support/crash_note.hpp"

#include <signal.h>
#include <unistd.h>

#include <cstdio>

namespace tw::test {
namespace {

char note[700];
int note_length = 0;
struct sigaction before[2];
constexpr int fatal[2] = {SIGSEGV, SIGBUS};

/// Puts back whoever handled it before and returns: the access faults again, and they get it.
void tell(int) {
    if (write(STDERR_FILENO, note, static_cast<std::size_t>(note_length)) < 0) note_length = 0;
    for (int i = 0; i < 2; ++i) sigaction(fatal[i], &before[i], nullptr);
}

}  // namespace

CrashNote::CrashNote(const char* kernel, const Trial& trial) {
    note_length = std::snprintf(note, sizeof note, "touched forbidden memory: %s, %s\n", kernel, trial.text().c_str());
    if (note_length >= static_cast<int>(sizeof note)) note_length = sizeof note - 1;
    struct sigaction action{};
    action.sa_handler = tell;
    for (int i = 0; i < 2; ++i) sigaction(fatal[i], &action, &before[i]);
}

CrashNote::~CrashNote() {
    for (int i = 0; i < 2; ++i) sigaction(fatal[i], &before[i], nullptr);
}

}  // namespace tw::test
