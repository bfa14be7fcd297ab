// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// A kernel that touches a forbidden page ends the program: this says which kernel and which case it was.
#pragma once

#include "support/trial.hpp"

namespace tw::test {

/// While one lives, a segmentation fault writes the kernel's name and the case before it ends the program as usual.
class CrashNote {
public:
    CrashNote(const char* kernel, const Trial& trial);
    ~CrashNote();
    CrashNote(const CrashNote&) = delete;
    CrashNote& operator=(const CrashNote&) = delete;
};

}  // namespace tw::test
