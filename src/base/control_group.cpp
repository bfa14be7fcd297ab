// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "base/control_group.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/environment.hpp"
#include "base/small_file.hpp"

namespace tw {
namespace {

constexpr int longest_path = 4352;
constexpr double unlimited = 0x1p62;  // version 1 has no word for it, but a number near the largest

/// A number that is a file's whole text; -1 when there is no such file, or the text is a word ("max").
double number_in(const char* folder, const char* file) noexcept {
    char path[longest_path + 64], text[64];
    std::snprintf(path, sizeof path, "%s/%s", folder, file);
    if (!read_text(path, text)) return -1;
    char* end = nullptr;
    const double number = std::strtod(text, &end);
    return end == text ? -1 : number;
}

/// visit(folder, version) for the process' group of a controller and for those around it; the root's last. In a
/// container the root may be the process' own group, and the path that the kernel tells one of the machine's: its
/// folders are then not there, and only the root has something to read.
template <class Visit>
void visit_groups(const ControlGroups& groups, const char* controller, Visit visit) noexcept {
    char memberships[8192], folder[longest_path];
    if (!read_text(groups.memberships, memberships)) return;
    for (char *line = memberships, *next = nullptr; line && *line; line = next) {
        next = std::strchr(line, '\n');
        if (next) *next++ = '\0';
        // "4:memory:/a/b" in version 1, "0::/a/b" in version 2
        char* const controllers = std::strchr(line, ':');
        char* const path = controllers ? std::strchr(controllers + 1, ':') : nullptr;
        if (!path) continue;
        *path = '\0';
        const bool is_second = controllers[1] == '\0';
        if (!is_second && !list_names(controllers + 1, controller)) continue;
        const int root = is_second ? std::snprintf(folder, sizeof folder, "%s", groups.mount)
                                   : std::snprintf(folder, sizeof folder, "%s/%s", groups.mount, controller);
        if (root < 0 || static_cast<std::size_t>(root) + std::strlen(path + 1) >= sizeof folder) continue;
        std::strcpy(folder + root, path + 1);
        for (;;) {
            visit(folder, is_second ? 2 : 1);
            char* const slash = std::strrchr(folder + root, '/');
            if (!slash) break;
            *slash = '\0';
        }
    }
}

double quota_of(const char* folder, int version) noexcept {
    if (version == 1) {
        const double quota = number_in(folder, "cpu.cfs_quota_us"), period = number_in(folder, "cpu.cfs_period_us");
        return quota > 0 && period > 0 ? quota / period : 0;
    }
    char path[longest_path + 64], text[64];
    double quota = 0, period = 0;
    std::snprintf(path, sizeof path, "%s/cpu.max", folder);
    const bool is_limited = read_text(path, text) && std::sscanf(text, "%lf %lf", &quota, &period) == 2;
    return is_limited && quota > 0 && period > 0 ? quota / period : 0;
}

}  // namespace

double processors_granted(const ControlGroups& groups) noexcept {
    double least = 0;
    visit_groups(groups, "cpu", [&](const char* folder, int version) {
        const double quota = quota_of(folder, version);
        if (quota > 0) least = least > 0 ? std::min(least, quota) : quota;
    });
    return least;
}

double memory_left(const ControlGroups& groups) noexcept {
    double least = -1;
    visit_groups(groups, "memory", [&](const char* folder, int version) {
        const double limit = number_in(folder, version == 1 ? "memory.limit_in_bytes" : "memory.max");
        const double used = number_in(folder, version == 1 ? "memory.usage_in_bytes" : "memory.current");
        if (limit < 0 || limit >= unlimited || used < 0) return;
        const double left = std::max(0.0, limit - used);
        least = least < 0 ? left : std::min(least, left);
    });
    return least;
}

}  // namespace tw
