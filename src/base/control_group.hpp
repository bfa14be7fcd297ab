// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// What Linux's control groups leave to this process: each of them may set a limit, from the process' own up to the
// root.
#pragma once

namespace tw {

/// Where the kernel tells of groups; other places for tests.
struct ControlGroups {
    const char* memberships = "/proc/self/cgroup";
    const char* mount = "/sys/fs/cgroup";
};

/// Processors' worth of time, of the tightest quota; 0 when there is none.
double processors_granted(const ControlGroups& groups = {}) noexcept;

/// Bytes until the nearest memory limit; -1 when there is none.
double memory_left(const ControlGroups& groups = {}) noexcept;

}  // namespace tw
