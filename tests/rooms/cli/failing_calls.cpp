// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// This program's own pread, pwrite and so on come before the C library's: they ask whether it is time to fail, and else
// call the kernel.
#include "rooms/cli/failing_calls.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

namespace tw::test {
namespace {

struct Planned {
    Call call = Call::pread;
    int left = -1;  ///< calls until it fails; -1: never
    int error = 0;
    bool happened = false;
};
Planned planned;

enum class Fate { lives, halved, fails };

Fate fate_of(Call call) {
    if (planned.left < 0 || planned.call != call || planned.left-- > 0) return Fate::lives;
    planned.happened = true;
    if (planned.error == 0) return Fate::halved;
    errno = planned.error;
    return Fate::fails;
}

}  // namespace

FailingCall::FailingCall(Call call, int nth, int error) { planned = {call, nth, error, false}; }
FailingCall::~FailingCall() { planned = {}; }
bool FailingCall::happened() const { return planned.happened; }

}  // namespace tw::test

using tw::test::Call;
using tw::test::Fate;

extern "C" {

ssize_t pread(int file, void* to, size_t count, off_t offset) {
    const Fate fate = tw::test::fate_of(Call::pread);
    if (fate == Fate::fails) return -1;
    if (fate == Fate::halved) count = (count + 1) / 2;
    return syscall(SYS_pread64, file, to, count, offset);
}

ssize_t pwrite(int file, const void* from, size_t count, off_t offset) {
    const Fate fate = tw::test::fate_of(Call::pwrite);
    if (fate == Fate::fails) return -1;
    if (fate == Fate::halved) count = (count + 1) / 2;
    return syscall(SYS_pwrite64, file, from, count, offset);
}

int fsync(int file) {
    if (tw::test::fate_of(Call::fsync) == Fate::fails) return -1;
    return static_cast<int>(syscall(SYS_fsync, file));
}

int rename(const char* from, const char* to) noexcept {
    if (tw::test::fate_of(Call::rename) == Fate::fails) return -1;
    return static_cast<int>(syscall(SYS_renameat2, -100, from, -100, to, 0));  // -100: AT_FDCWD
}

int linkat(int from_folder, const char* from, int to_folder, const char* to, int flags) noexcept {
    if (tw::test::fate_of(Call::linkat) == Fate::fails) return -1;
    return static_cast<int>(syscall(SYS_linkat, from_folder, from, to_folder, to, flags));
}

int access(const char* path, int mode) noexcept {
    if (tw::test::fate_of(Call::access) == Fate::fails) return -1;
    return static_cast<int>(syscall(SYS_faccessat, -100, path, mode));
}

int fallocate(int file, int mode, off_t offset, off_t count) {
    if (tw::test::fate_of(Call::fallocate) == Fate::fails) return -1;
    return static_cast<int>(syscall(SYS_fallocate, file, mode, offset, count));
}
}
