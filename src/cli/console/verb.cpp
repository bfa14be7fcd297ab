// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "cli/console/verb.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string_view>
#include <type_traits>
#include <utility>

#include "cli/ending/exit.hpp"

namespace tw::cli {
namespace {

template <class T>
Option added(CLI::App* app, const std::string& names, T& value, const std::string& text) {
    return Option(app->add_option(names, value, text));
}

/// A number in that range. CLI11's own message and help text for this are hard to read.
template <class T>
const CLI::Validator within_range(T least, T most) {
    return CLI::Validator(
        [least, most](std::string& word) {
            T value{};
            if (CLI::detail::lexical_cast(word, value) && value >= least && value <= most) return std::string();
            return fmt::format("expected a {} from {} to {}; got '{}'",
                               std::is_integral_v<T> ? "whole number" : "number", least, most, word);
        },
        "");
}

/// The verbs below one, as "info, ladder, bench".
std::string verbs_below(const CLI::App& app) {
    std::string known;
    for (const CLI::App* verb : app.get_subcommands({}))
        known.append(known.empty() ? "" : ", ").append(verb->get_name());
    return known;
}

const CLI::App* verb_named(const CLI::App& app, const std::string& word) {
    for (const CLI::App* verb : app.get_subcommands({}))
        if (verb->get_name() == word) return verb;
    return nullptr;
}

/// Refuses a word that should be a verb and is not, with the list of verbs.
void check_verbs(const CLI::App& root, int argc, const char* const* argv) {
    std::string path;
    const CLI::App* app = &root;
    for (int at = 1; !app->get_subcommands({}).empty(); ++at) {
        const std::string known = verbs_below(*app), place = path.empty() ? "" : " after 'tw" + path + "'";
        if (at >= argc) refuse("a verb is missing{}: one of {}", place, known);
        const std::string word = argv[at];
        if (!word.empty() && word[0] == '-') return;
        const CLI::App* next = verb_named(*app, word);
        if (!next) refuse("there is no verb '{}'{}: the verbs are {}", word, place, known);
        path += " " + word;
        app = next;
    }
}

/// An option's value that is empty, as "$unset" leaves it, would be taken for none given.
void check_values(int argc, const char* const* argv) {
    for (int at = 1; at < argc; ++at) {
        const std::string_view word = argv[at], before = argv[at - 1];
        if (word == "--") return;
        if (word.empty() && at > 1 && before.size() > 1 && before[0] == '-') refuse("{} takes a value; got ''", before);
        if (word.starts_with("--") && word.ends_with("="))
            refuse("{} takes a value; got ''", word.substr(0, word.size() - 1));
    }
}

/// True when that is a flag, of one verb or another, that may be given that word.
bool takes_word(CLI::App& app, const std::string& flag, const std::string& word) {
    for (CLI::App* verb : app.get_subcommands([](CLI::App*) { return true; }))
        if (takes_word(*verb, flag, word)) return true;
    CLI::Option* const option = app.get_option_no_throw(flag);
    if (!option || option->get_items_expected_max() != 0) return false;
    try {
        return (*option->get_validator())(word).empty();
    } catch (const CLI::OptionNotFound&) {  // a plain flag
        return false;
    }
}

/// The arguments, last first as CLI11 takes them; "--flag word" as "--flag=word", so that the word is no operand.
std::vector<std::string> arguments_of(CLI::App& root, int argc, const char* const* argv) {
    std::vector<std::string> words;
    bool are_operands = false;
    for (int at = 1; at < argc; ++at) {
        words.emplace_back(argv[at]);
        are_operands = are_operands || words.back() == "--";
        if (are_operands || at + 1 >= argc || !takes_word(root, words.back(), argv[at + 1])) continue;
        words.back().append("=").append(argv[++at]);
    }
    std::reverse(words.begin(), words.end());
    return words;
}

/// "multiply " or "effort build ": the verbs that were recognised.
std::string chosen_verbs(const CLI::App& root) {
    std::string path;
    for (const CLI::App* app = &root; !app->get_subcommands().empty();) {
        app = app->get_subcommands().front();
        path += app->get_name() + " ";
    }
    return path;
}

/// CLI11's "Could not convert: --seed = x" in our words. Numbers with a range have a check that comes before.
std::string in_our_words(const std::string& text) {
    constexpr std::string_view begins = "Could not convert: ";
    const std::size_t equals = text.find(" = ");
    if (!text.starts_with(begins) || equals == std::string::npos) return text;
    return fmt::format("{} takes a whole number; got '{}'", text.substr(begins.size(), equals - begins.size()),
                       text.substr(equals + 3));
}

}  // namespace

const Option& Option::required() const { return option_->required(), *this; }
const Option& Option::shows_default() const { return option_->capture_default_str(), *this; }
const Option& Option::within(int least, int most) const { return option_->check(within_range(least, most)), *this; }
const Option& Option::within(double least, double most) const {
    return option_->check(within_range(least, most))->type_name("NUMBER"), *this;
}
const Option& Option::needs(const Option& other) const { return option_->needs(other.option_), *this; }
const Option& Option::excludes(const Option& other) const { return option_->excludes(other.option_), *this; }
const Option& Option::may_stand_alone() const { return option_->expected(0, 1), *this; }
bool Option::is_given() const { return option_->count() > 0; }

Verb Verb::add_verb(const std::string& name, const std::string& does) const {
    app_->require_subcommand(1);
    return Verb(app_->add_subcommand(name, does));
}

Option Verb::add_option(const std::string& names, std::string& value, const std::string& text) const {
    return added(app_, names, value, text);
}
Option Verb::add_option(const std::string& names, std::vector<std::string>& values, const std::string& text) const {
    return added(app_, names, values, text);
}
Option Verb::add_option(const std::string& names, int& value, const std::string& text) const {
    return added(app_, names, value, text);
}
Option Verb::add_option(const std::string& names, std::int64_t& value, const std::string& text) const {
    return added(app_, names, value, text);
}
Option Verb::add_option(const std::string& names, std::uint64_t& value, const std::string& text) const {
    return added(app_, names, value, text);
}
Option Verb::add_option(const std::string& names, double& value, const std::string& text) const {
    return added(app_, names, value, text);
}
Option Verb::add_flag(const std::string& names, bool& value, const std::string& text) const {
    return Option(app_->add_flag(names, value, text));
}
Option Verb::add_flag(const std::string& names, std::string& word, const std::vector<std::string>& words,
                      const std::string& text) const {
    CLI::Option* const flag = app_->add_flag(names + "{" + words.front() + "}", word, text);
    flag->check(CLI::Validator(
        [words](std::string& given) {
            if (std::find(words.begin(), words.end(), given) != words.end()) return std::string();
            return fmt::format("expected {}; got '{}'", fmt::join(words, " or "), given);
        },
        ""));
    return Option(flag);
}
void Verb::ends_help_with(const std::string& text) const { app_->footer(text); }
void Verb::runs(std::function<void()> work) const { app_->callback(std::move(work)); }

CommandLine::CommandLine(const std::string& name, const std::string& does, const std::string& version)
    : app_(std::make_unique<CLI::App>(does, name)) {
    app_->set_version_flag("--version", name + " " + version);
}

CommandLine::~CommandLine() = default;

void CommandLine::run(int argc, const char* const* argv) const {
    check_verbs(*app_, argc, argv);
    check_values(argc, argv);
    try {
        app_->parse(arguments_of(*app_, argc, argv));
    } catch (const CLI::Success& asked) {  // --help and --version
        app_->exit(asked);
    } catch (const CLI::ParseError& error) {
        refuse("{}\nSee: tw {}--help", in_our_words(error.what()), chosen_verbs(*app_));
    }
}

}  // namespace tw::cli
