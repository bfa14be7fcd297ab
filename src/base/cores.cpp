// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "base/cores.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#if defined(__linux__)
#include <sched.h>
#include <unistd.h>
#elif defined(__APPLE__)
#include <sys/sysctl.h>
#include <unistd.h>
#endif

#include "base/control_group.hpp"
#include "base/remembered.hpp"
#include "base/small_file.hpp"

namespace tw {
namespace {

constinit Remembered<int> online;

}  // namespace

bool leads_its_core(int processor, const char* siblings, const Processors& allowed) noexcept {
    for (const char* at = siblings; *at >= '0' && *at <= '9';) {
        char* end = nullptr;
        const long first = std::strtol(at, &end, 10);
        const long last = *end == '-' ? std::strtol(end + 1, &end, 10) : first;
        for (long sibling = first; sibling <= last && sibling < processor; ++sibling)
            if (allowed[static_cast<std::size_t>(sibling)]) return false;
        at = *end == ',' ? end + 1 : end;
    }
    return true;
}

#if defined(__linux__)
namespace {
static_assert(Processors().size() == CPU_SETSIZE);

bool affinity(cpu_set_t& allowed) noexcept { return sched_getaffinity(0, sizeof allowed, &allowed) == 0; }

}  // namespace

int allowed_processors() noexcept {
    cpu_set_t allowed;
    return affinity(allowed) ? std::max(1, CPU_COUNT(&allowed)) : processors_of_machine();
}

bool leads_its_core(int processor, const Processors& allowed) noexcept {
    char path[96], siblings[64];
    std::snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", processor);
    return !read_text(path, siblings) || leads_its_core(processor, siblings, allowed);
}

Processors processors_here() noexcept {
    cpu_set_t allowed;
    Processors processors;
    if (!affinity(allowed)) return processors;
    for (std::size_t processor = 0; processor < processors.size(); ++processor)
        processors[processor] = CPU_ISSET(processor, &allowed);
    return processors;
}

int physical_cores() noexcept {
    const Processors processors = processors_here();
    if (processors.none()) return allowed_processors();
    int cores = 0;
    for (int processor = 0; processor < CPU_SETSIZE; ++processor)
        if (processors[static_cast<std::size_t>(processor)] && leads_its_core(processor, processors)) ++cores;
    return cores > 0 ? cores : 1;
}

#else

bool leads_its_core(int, const Processors&) noexcept { return true; }

Processors processors_here() noexcept { return {}; }

int allowed_processors() noexcept { return processors_of_machine(); }

int physical_cores() noexcept {
#if defined(__APPLE__)
    int cores = 0;
    std::size_t size = sizeof cores;
    if (sysctlbyname("hw.physicalcpu", &cores, &size, nullptr, 0) == 0 && cores > 0) return cores;
#endif
    return allowed_processors();
}

#endif

int processors_of_machine() noexcept {
    return online.get([] { return std::max(1, static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN))); });
}

int whole_processors(double quota) noexcept { return static_cast<int>(std::ceil(quota)); }

int quota_processors() noexcept { return whole_processors(processors_granted()); }

}  // namespace tw
