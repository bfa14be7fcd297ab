// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Makes one call of the system fail in this process: a disk that is full, a disk that is broken, a signal in between.
#pragma once

namespace tw::test {

enum class Call { pread, pwrite, fsync, rename, fallocate, linkat, access };

/// While this lives, call number `nth` (from 0) of that name fails with the error. Error 0: it does half of what it was
/// asked to, as pread and pwrite may.
class FailingCall {
public:
    FailingCall(Call call, int nth, int error);
    ~FailingCall();
    FailingCall(const FailingCall&) = delete;
    FailingCall& operator=(const FailingCall&) = delete;

    bool happened() const;
};

}  // namespace tw::test
