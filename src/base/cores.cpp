// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "base/cores.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>

#if defined(__linux__)
#include <fcntl.h>
#include <sched.h>
#include <unistd.h>
#elif defined(__APPLE__)
#include <sys/sysctl.h>
#include <unistd.h>
#endif

namespace tw {

#if defined(__linux__)
namespace {

/// The beginning of a small file, as text; false when there is none.
template <int size>
bool read_text(const char* path, char (&text)[size]) noexcept {
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return false;
    const ssize_t got = read(file, text, size - 1);
    close(file);
    text[got > 0 ? got : 0] = '\0';
    return got > 0;
}

/// True when this processor is the first allowed one of its core: its siblings' list ("0-1" or "0,64") tells.
bool leads_its_core(int processor, const cpu_set_t& allowed) noexcept {
    char path[96], siblings[64];
    std::snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", processor);
    if (!read_text(path, siblings)) return true;
    for (const char* at = siblings; *at >= '0' && *at <= '9';) {
        char* end = nullptr;
        const long first = std::strtol(at, &end, 10);
        const long last = *end == '-' ? std::strtol(end + 1, &end, 10) : first;
        for (long sibling = first; sibling <= last && sibling < processor; ++sibling)
            if (CPU_ISSET(static_cast<unsigned long>(sibling), &allowed)) return false;
        at = *end == ',' ? end + 1 : end;
    }
    return true;
}

bool affinity(cpu_set_t& allowed) noexcept { return sched_getaffinity(0, sizeof allowed, &allowed) == 0; }

}  // namespace

int allowed_processors() noexcept {
    cpu_set_t allowed;
    if (affinity(allowed)) return CPU_COUNT(&allowed) > 0 ? CPU_COUNT(&allowed) : 1;
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? static_cast<int>(online) : 1;
}

int quota_processors() noexcept {
    char text[64];
    long quota = -1, period = 0;
    if (read_text("/sys/fs/cgroup/cpu.max", text)) {
        if (std::sscanf(text, "%ld %ld", &quota, &period) != 2) return 0;  // "max": no limit
    } else if (read_text("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", text)) {
        quota = std::strtol(text, nullptr, 10);
        if (read_text("/sys/fs/cgroup/cpu/cpu.cfs_period_us", text)) period = std::strtol(text, nullptr, 10);
    }
    if (quota <= 0 || period <= 0) return 0;
    return static_cast<int>((quota + period - 1) / period);
}

int physical_cores() noexcept {
    cpu_set_t allowed;
    if (!affinity(allowed)) return allowed_processors();
    int cores = 0;
    for (int processor = 0; processor < CPU_SETSIZE; ++processor)
        if (CPU_ISSET(static_cast<unsigned long>(processor), &allowed) && leads_its_core(processor, allowed)) ++cores;
    return cores > 0 ? cores : 1;
}

#else

int allowed_processors() noexcept {
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? static_cast<int>(online) : 1;
}

int quota_processors() noexcept { return 0; }

int physical_cores() noexcept {
#if defined(__APPLE__)
    int cores = 0;
    std::size_t size = sizeof cores;
    if (sysctlbyname("hw.physicalcpu", &cores, &size, nullptr, 0) == 0 && cores > 0) return cores;
#endif
    return allowed_processors();
}

#endif

}  // namespace tw
