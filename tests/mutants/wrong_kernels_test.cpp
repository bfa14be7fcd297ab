// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Who judges the judge: every planted defect must be found by the very sweep that the real kernels pass.
#include "mutants/wrong_kernels.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <string>

#include "mutants/true_kernel.hpp"
#include "support/kernel_sweep.hpp"

namespace {

using namespace tw;

struct Found {
    bool passed = false;
    std::string how;
};

/// In a child: some defects end the program.
Found judge_in_a_child(const Kernel& kernel) {
    int ends[2];
    if (pipe(ends) != 0) return {true, "no pipe"};
    const pid_t child = fork();
    if (child == 0) {
        const int nowhere = open("/dev/null", O_WRONLY);
        dup2(nowhere, STDERR_FILENO);
        alarm(300);
        const auto report = test::sweep(kernel, Place::host, test::run_on_host);
        const std::string how = report.sentence();
        const bool told = write(ends[1], how.data(), how.size()) == static_cast<ssize_t>(how.size());
        _exit(report.ok() && told ? 0 : 1);
    }
    close(ends[1]);
    Found found;
    char text[256];
    for (ssize_t got; (got = read(ends[0], text, sizeof text)) > 0;)
        found.how.append(text, static_cast<std::size_t>(got));
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    found.passed = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    if (found.how.empty()) found.how = "touched a page without access";
    return found;
}

TEST(WrongKernels, TheTrueKernelPasses) {
    const Found found = judge_in_a_child(mutants::row<mutants::Correct>);
    EXPECT_TRUE(found.passed) << found.how;
}

TEST(WrongKernels, EachIsCaught) {
    using namespace mutants;
    int planted = 0, caught = 0;
    for (const Table theme : {wrong_at_edges(), wrong_in_steps(), wrong_in_scalars(), wrong_in_values(),
                              wrong_in_sums(), wrong_in_memory()})
        for (const Kernel* kernel : theme) {
            ++planted;
            const Found found = judge_in_a_child(*kernel);
            EXPECT_FALSE(found.passed) << "not caught: " << kernel->name << ": " << found.how;
            caught += !found.passed;
            std::printf("%-70s %s\n", kernel->name, found.how.c_str());
        }
    std::printf("%d of %d wrong kernels caught\n", caught, planted);
    EXPECT_GE(planted, 40);
}

}  // namespace
