// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// tw, the command: THE list of verbs. All error messages are printed and all exit codes are set here.
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <iostream>
#include <new>

#include "cli/ending/exit.hpp"
#include "cli/ending/interrupt.hpp"
#include "cli/verbs/verbs.hpp"
#include "tilewright/multiply.hpp"

namespace {

using tw::cli::Exit;

constexpr void (*verbs[])(tw::cli::Verb) = {
    tw::cli::add_info,    tw::cli::add_ladder, tw::cli::add_bench,  tw::cli::add_roofline,
    tw::cli::add_explain, tw::cli::add_tune,   tw::cli::add_report, tw::cli::add_multiply,
    tw::cli::add_effort,  tw::cli::add_layout, tw::cli::add_judge,  tw::cli::add_metal_check,
};

/// For somebody who typed the name to see what comes.
constexpr const char* to_try = R"text(tw multiplies matrices. Three things to try:
  tw ladder          this machine climbs: every kernel, checked, timed
  tw explain naive   what limits a kernel
  tw --help          everything else
)text";

constexpr const char* examples = R"text(Examples:
  tw info
  tw ladder
  tw multiply a.npy b.npy -o c.npy
  tw layout "row_major(2,6)"
  tw VERB --help

Exit codes: 0 ok, 1 failure, 2 bad usage or input, 3 verification failed, 130 interrupted.
)text";

/// If a standard stream is closed, the next file to be opened would get its number, and messages would go into it. So
/// it is replaced by a descriptor that can't be written to, and printing to a closed standard output is an error.
void fill_standard_streams() {
    for (int number = 0; number <= 2; ++number)
        if (fcntl(number, F_GETFD) < 0) static_cast<void>(open("/dev/null", O_RDONLY));  // takes the lowest free number
}

const char* why_unwritten() {
    if ((fcntl(1, F_GETFL) & O_ACCMODE) == O_RDONLY)
        return "what was printed could not be written: standard output is not open for writing";
    return "what was printed could not be written: is the disk full?";
}

int ended(Exit code, const char* sentence) {
    std::fflush(stdout);
    std::fprintf(stderr, "tw: %s\n", sentence);
    return static_cast<int>(code);
}

int run(const tw::cli::CommandLine& line, int argc, char** argv) {
    try {
        line.run(argc, argv);
    } catch (const tw::cli::Stop& stop) {
        return ended(stop.code(), stop.what());
    } catch (const std::bad_alloc&) {
        return ended(Exit::failed, "out of memory");
    } catch (const std::exception& error) {
        if (!std::ferror(stdout))
            return ended(Exit::failed, error.what());  // else fmt reports what why_unwritten() says better
    }
    std::cout.flush();
    if (std::fflush(stdout) != 0 || std::ferror(stdout) || !std::cout) return ended(Exit::failed, why_unwritten());
    return static_cast<int>(Exit::ok);
}

}  // namespace

int main(int argc, char** argv) {
    fill_standard_streams();
    if (argc == 1 && isatty(1) && isatty(2)) return std::fputs(to_try, stdout) < 0;
    tw::cli::catch_interrupts();
    const tw::cli::CommandLine line(
        "tw", "Multiplies matrices as fast as this machine allows, at the accuracy asked for.", tw::version());
    line.root().ends_help_with(examples);
    for (const auto add : verbs) add(line.root());
    return run(line, argc, argv);
}
