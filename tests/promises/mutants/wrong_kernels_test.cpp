// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Who judges the judge: every planted defect must be found by the very sweep that the real kernels pass, and what is
// wrong with digits by a part of it and by operands made for them.
#include "promises/mutants/wrong_kernels.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <initializer_list>
#include <string>

#include "backend/cpu/digits/digits.hpp"
#include "base/element.hpp"
#include "promises/mutants/true_kernel.hpp"
#include "support/kernel_sweep.hpp"
#include "support/sanitized.hpp"

namespace {

using namespace tw;

struct Found {
    bool passed = false;
    std::string how;
};

test::SweepReport judge(const Kernel& kernel) { return test::sweep(kernel, Place::host, test::run_on_host); }

void fill_with_large(const Matrix& a, const Matrix& b, const Matrix&) {
    for (const Matrix& x : {a, b})
        for (std::int64_t i = 0; i < x.rows; ++i)
            for (std::int64_t j = 0; j < x.cols; ++j) store_element(x, i, j, 0x7f7f7fp-23);
}

/// Beside one large element, where the other operand has a zero, each is as small as digits let through, and its second
/// and third digits are as large as they become.
void fill_with_least(const Matrix& a, const Matrix& b, const Matrix&) {
    const auto value = [](bool in_a, std::int64_t p) {
        const std::int64_t in_block = p % cpu::digits_block;
        return in_block > 1 ? 0x047f7fp-23 : in_a == (in_block == 0) ? 0.5 : 0;
    };
    for (std::int64_t p = 0; p < a.cols; ++p) {
        for (std::int64_t i = 0; i < a.rows; ++i) store_element(a, i, p, value(true, p));
        for (std::int64_t j = 0; j < b.cols; ++j) store_element(b, p, j, value(false, p));
    }
}

/// What random operands hardly reach, then a part of the sweep: exact sums of bytes are slow to emulate.
test::SweepReport judge_digits(const Kernel& kernel) {
    for (const auto fill : {fill_with_large, fill_with_least}) {
        const test::Trial trial{
            .m = 3, .n = 2, .k = 1024, .tile = kernel.tiles.front(), .alter = fill, .about = "what digits find hard"};
        const test::Outcome outcome = test::run(trial, kernel, Place::host, test::run_on_host);
        if (!outcome.failure.empty()) return {.cases = 1, .failure = trial.text() + ": " + outcome.failure};
    }
    return test::sweep(kernel, Place::host, test::run_on_host, {.brief = true});
}

/// In a child: some defects end the program.
Found judge_in_a_child(const Kernel& kernel, test::SweepReport (*judge_it)(const Kernel&) = judge) {
    int ends[2];
    if (pipe(ends) != 0) return {true, "no pipe"};
    const pid_t child = fork();
    if (child == 0) {
        const int nowhere = open("/dev/null", O_WRONLY);
        dup2(nowhere, STDERR_FILENO);
        alarm(300);
        const auto report = judge_it(kernel);
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

TEST(WrongKernels, TheTrueComplexKernelPasses) {
    const Found found = judge_in_a_child(mutants::true_complex());
    EXPECT_TRUE(found.passed) << found.how;
}

TEST(WrongKernels, TheTrueDigitsPass) {
    const Found found = judge_in_a_child(mutants::true_digits(), judge_digits);
    EXPECT_TRUE(found.passed) << found.how;
}

/// How many of them were planted; each must be caught.
int expect_caught(std::initializer_list<mutants::Table> themes, test::SweepReport (*judge_it)(const Kernel&)) {
    int planted = 0, caught = 0;
    for (const mutants::Table theme : themes)
        for (const Kernel* kernel : theme) {
            ++planted;
            if (!test::has_its_turn(7)) continue;
            const Found found = judge_in_a_child(*kernel, judge_it);
            EXPECT_FALSE(found.passed) << "not caught: " << kernel->name << ": " << found.how;
            caught += !found.passed;
            std::printf("%-70s %s\n", kernel->name, found.how.c_str());
        }
    std::printf("%d of %d wrong kernels caught\n", caught, planted);
    return planted;
}

TEST(WrongKernels, EachIsCaught) {
    using namespace mutants;
    EXPECT_GE(expect_caught({wrong_at_edges(), wrong_in_steps(), wrong_in_scalars(), wrong_in_values(), wrong_in_sums(),
                             wrong_in_memory()},
                            judge),
              40);
}

TEST(WrongKernels, EachOfComplexNumbersIsCaught) { EXPECT_GE(expect_caught({mutants::wrong_in_complex()}, judge), 15); }

TEST(WrongKernels, EachOfDigitsIsCaught) { EXPECT_GE(expect_caught({mutants::wrong_in_digits()}, judge_digits), 15); }

}  // namespace
