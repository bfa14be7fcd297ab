// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "measure/peers/trial.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <utility>

#include "base/cpu_features.hpp"
#include "measure/peers/core_type.hpp"
#include "measure/peers/library.hpp"
#include "measure/peers/neighbours.hpp"

namespace tw::measure {
namespace {

/// A trial's answer: the core type chosen, and BLIS's number for the better one.
struct Answer {
    char core_type[40] = "", version[64] = "";
    int better_number = -1;
    int multiplies = 0;  // no bool: its padding would be sent unwritten
};

template <class F>
F* find(void* handle, const char* name) {
    if (void* plain = dlsym(handle, name)) return reinterpret_cast<F*>(plain);
    return reinterpret_cast<F*>(dlsym(handle, (std::string("scipy_") + name).c_str()));
}

/// BLIS's numbers for configurations change from version to version; "generic" is always the last.
int number_of(const char* (*name_of)(int), const std::string& wanted) {
    for (int number = 0; number < 100; ++number) {
        const char* name = name_of(number);
        if (!name || std::strcmp(name, "generic") == 0) return -1;
        if (name == wanted) return number;
    }
    return -1;
}

bool multiplies(void* handle) {
    using Gemm = void(int, int, int, int, int, int, float, const float*, int, const float*, int, float, float*, int);
    auto* gemm = find<Gemm>(handle, "cblas_sgemm");
    if (!gemm) return true;  // another type of library: the judge will check it later
    const float a[4] = {1, 2, 3, 4}, b[4] = {5, 6, 7, 8};
    float c[4] = {};
    gemm(101, 111, 111, 2, 2, 2, 1, a, 2, b, 2, 0, c, 2);
    return c[0] == 19 && c[3] == 50;
}

Answer try_here(const PeerKind& kind, const std::string& file) {
    Answer answer;
    std::string why;
    void* handle = open_with_neighbours(file, why);
    if (!handle) return answer;
    const char* core_type = "";
    if (auto* initialise = find<void()>(handle, "bli_init")) initialise();
    auto* blis_name = find<const char*(int)>(handle, "bli_arch_string");
    auto* blis_number = find<int()>(handle, "bli_arch_query_id");
    if (auto* core = find<const char*()>(handle, "openblas_get_corename")) core_type = core();
    else if (blis_name && blis_number) core_type = blis_name(blis_number());
    std::strncpy(answer.core_type, core_type, sizeof answer.core_type - 1);
    const std::string better = better_core_type(kind.name, answer.core_type, cpu_features_unmasked());
    if (blis_name && !better.empty()) answer.better_number = number_of(blis_name, better);
    PeerLibrary told;
    describe_peer(kind, handle, told);
    std::strncpy(answer.version, told.version.c_str(), sizeof answer.version - 1);
    answer.multiplies = multiplies(handle);
    return answer;
}

/// Tries in a separate process, because a library chooses only once, when it is loaded.
Answer try_apart(const PeerKind& kind, const std::string& file) {
    Answer answer;
    int ends[2];
    if (pipe(ends) != 0) return answer;
    const pid_t child = fork();
    if (child == 0) {
        if (const int nowhere = open("/dev/null", O_WRONLY); nowhere >= 0)
            dup2(nowhere, STDERR_FILENO);  // hides the message of a crash
        const Answer found = try_here(kind, file);
        const ssize_t written = write(ends[1], &found, sizeof found);
        _exit(written == sizeof found ? 0 : 1);
    }
    close(ends[1]);
    Answer received;
    if (child > 0 && read(ends[0], &received, sizeof received) == sizeof received) answer = received;
    close(ends[0]);
    if (child > 0) waitpid(child, nullptr, 0);
    return answer;
}

/// "0.3.34" is {0, 3, 34}; what follows something else than digits and dots is left out.
std::vector<int> numbers_of(const std::string& version) {
    std::vector<int> numbers;
    for (const char* at = version.c_str(); *at >= '0' && *at <= '9';) {
        char* end = nullptr;
        numbers.push_back(static_cast<int>(std::strtol(at, &end, 10)));
        at = *end == '.' ? end + 1 : end;
    }
    return numbers;
}

}  // namespace

bool is_newer(const std::string& a, const std::string& b) { return numbers_of(a) > numbers_of(b); }

std::vector<PeerCandidate> newest_first(const PeerKind& kind, std::vector<PeerCandidate> candidates) {
    if (candidates.size() < 2 || kind.device != std::string_view("cpu")) return candidates;
    std::vector<std::pair<std::string, PeerCandidate>> told;
    for (PeerCandidate& candidate : candidates) {
        const std::string version = try_apart(kind, candidate.file).version;
        told.emplace_back(version, std::move(candidate));
    }
    std::stable_sort(told.begin(), told.end(), [](const auto& a, const auto& b) { return is_newer(a.first, b.first); });
    for (std::size_t i = 0; i < told.size(); ++i) candidates[i] = std::move(told[i].second);
    return candidates;
}

void correct_core_type(const PeerKind& kind, const std::string& file) {
    const std::string name = kind.name;
    const char* variable = name == "openblas" ? "OPENBLAS_CORETYPE" : name == "blis" ? "BLIS_ARCH_TYPE" : nullptr;
    if (!variable || std::getenv(variable)) return;
    const Answer chosen = try_apart(kind, file);
    const std::string better = better_core_type(name, chosen.core_type, cpu_features_unmasked());
    if (better.empty()) return;
    if (name == "blis" && chosen.better_number < 0) return;
    setenv(variable, name == "blis" ? std::to_string(chosen.better_number).c_str() : better.c_str(), 1);
    if (!try_apart(kind, file).multiplies) unsetenv(variable);
}

}  // namespace tw::measure
