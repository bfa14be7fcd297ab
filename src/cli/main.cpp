// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// tw: the command. THE list of verbs, and the one place where sentences are printed and exit codes made.
#include <fcntl.h>

#include <cstdio>
#include <exception>
#include <new>

#include "cli/exit.hpp"
#include "cli/interrupt.hpp"
#include "cli/verbs.hpp"
#include "tilewright/multiply.hpp"

namespace {

using tw::cli::Exit;

constexpr void (*verbs[])(CLI::App&) = {
    tw::cli::add_info,
    tw::cli::add_ladder,
    tw::cli::add_bench,
    tw::cli::add_roofline,
    tw::cli::add_explain,
    tw::cli::add_tune,
    tw::cli::add_report,
    tw::cli::add_multiply,
    tw::cli::add_layout,
    tw::cli::add_metal_check,
};

constexpr const char* examples = R"text(Examples:
  tw info
  tw ladder
  tw multiply a.npy b.npy -o c.npy
  tw layout "row_major(2,6)"
  tw VERB --help

Exit codes: 0 ok, 1 failure, 2 bad usage or input, 3 verification failed, 130 interrupted.
)text";

/// A standard stream that is closed would lend its number to the next file that is opened, and sentences would go there.
void fill_standard_streams() {
    for (int number = 0; number <= 2; ++number)
        if (fcntl(number, F_GETFD) < 0) static_cast<void>(open("/dev/null", O_RDWR));  // takes the lowest free number
}

int ended(Exit code, const char* sentence, const CLI::App* verb = nullptr) {
    std::fflush(stdout);
    std::fprintf(stderr, "tw: %s\n", sentence);
    if (verb) std::fprintf(stderr, "See: tw %s--help\n", verb->get_parent() ? (verb->get_name() + " ").c_str() : "");
    return static_cast<int>(code);
}

const CLI::App* chosen_verb(const CLI::App& app) {
    const auto chosen = app.get_subcommands();
    return chosen.empty() ? &app : chosen.front();
}

/// The first word is a verb or an option; what is neither gets the list.
void check_verb(const CLI::App& app, int argc, const char* const* argv) {
    const std::string word = argc > 1 ? argv[1] : "";
    if (!word.empty() && word[0] == '-') return;
    std::string known;
    for (const CLI::App* verb : app.get_subcommands({})) {
        if (verb->get_name() == word) return;
        known.append(known.empty() ? "" : ", ").append(verb->get_name());
    }
    if (argc < 2) tw::cli::refuse("a verb is missing: one of {}", known);
    tw::cli::refuse("there is no verb '{}': the verbs are {}", word, known);
}

int run(CLI::App& app, int argc, char** argv) {
    try {
        check_verb(app, argc, argv);
        app.parse(argc, argv);
    } catch (const CLI::Success& asked) {  // --help and --version
        app.exit(asked);
    } catch (const CLI::ParseError& error) {
        return ended(Exit::bad_input, error.what(), chosen_verb(app));
    } catch (const tw::cli::Stop& stop) {
        return ended(stop.code(), stop.what());
    } catch (const std::bad_alloc&) {
        return ended(Exit::failed, "out of memory");
    } catch (const std::exception& error) {
        return ended(Exit::failed, error.what());
    }
    std::cout.flush();
    if (std::fflush(stdout) != 0 || std::ferror(stdout) || !std::cout)
        return ended(Exit::failed, "what was printed could not be written: is the disk full?");
    return static_cast<int>(Exit::ok);
}

}  // namespace

int main(int argc, char** argv) {
    fill_standard_streams();
    tw::cli::catch_interrupts();
    CLI::App app{"Multiplies matrices as fast as this machine allows, at the accuracy asked for.", "tw"};
    app.require_subcommand(1);
    app.set_version_flag("--version", std::string("tw ") + tw::version());
    app.footer(examples);
    for (const auto add : verbs) add(app);
    return run(app, argc, argv);
}
