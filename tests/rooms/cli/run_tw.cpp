// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "rooms/cli/run_tw.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace tw::test {
namespace {

std::vector<char*> as_argv(const std::vector<std::string>& arguments) {
    static char program[] = TW_BINARY;
    std::vector<char*> argv{program};
    for (const std::string& word : arguments) argv.push_back(const_cast<char*>(word.c_str()));
    argv.push_back(nullptr);
    return argv;
}

void limit(int what, long most) {
    if (most < 0) return;
    const auto value = static_cast<rlim_t>(most);
    const rlimit limits{value, value};
    setrlimit(what, &limits);
}

/// After fork: opens files onto 1 and 2, sets limits, becomes tw. Only what is safe after fork.
[[noreturn]] void become_tw(char* const* argv, const Limits& limits, const char* out, const char* error) {
    const int to = open(out, O_WRONLY | O_CREAT, 0600), errors_to = open(error, O_WRONLY | O_CREAT, 0600);
    if (to < 0 || errors_to < 0 || dup2(to, 1) < 0 || dup2(errors_to, 2) < 0) _exit(126);
    limit(RLIMIT_FSIZE, limits.file_bytes);
    limit(RLIMIT_AS, limits.address_bytes);
    for (const int number : limits.closed) close(number);
    for (const std::string& pair : limits.environment) putenv(const_cast<char*>(pair.c_str()));
    execv(argv[0], argv);
    _exit(127);
}

int code_of(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status); }

}  // namespace

Ran run_tw(const std::vector<std::string>& arguments, const Limits& limits) {
    const Folder said;
    const std::string out = limits.output.empty() ? said.path("out") : limits.output, error = said.path("error");
    const std::vector<char*> argv = as_argv(arguments);
    const pid_t child = fork();
    if (child == 0) become_tw(argv.data(), limits, out.c_str(), error.c_str());
    int status = 0;
    rusage used{};
    wait4(child, &status, 0, &used);
    return {code_of(status), limits.output.empty() ? read_file(out) : "", read_file(error), used.ru_maxrss * 1024};
}

bool keeps_within(const Ran& ran, std::size_t file_bytes) {
    return peaks_below(ran, static_cast<long>(file_bytes) + (64L << 20));
}

bool peaks_below(const Ran& ran, long bytes) { return is_sanitized || ran.peak_bytes < bytes; }

pid_t start_tw(const std::vector<std::string>& arguments) {
    const std::vector<char*> argv = as_argv(arguments);
    const pid_t child = fork();
    if (child == 0) become_tw(argv.data(), {}, "/dev/null", "/dev/null");
    return child;
}

int wait_for(pid_t child) {
    int status = 0;
    waitpid(child, &status, 0);
    return code_of(status);
}

Folder::Folder() {
    const char* base = std::getenv("TMPDIR");
    std::string name = std::string(base && *base ? base : "/tmp") + "/tw-test-XXXXXX";
    if (!mkdtemp(name.data())) std::abort();
    root_ = name;
}

Folder::~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(root_, ignored);
}

std::vector<std::string> Folder::names() const {
    std::vector<std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator(root_)) found.push_back(entry.path().filename());
    std::sort(found.begin(), found.end());
    return found;
}

void write_file(const std::string& path, const std::string& bytes) {
    std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

std::string read_file(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
}

}  // namespace tw::test
