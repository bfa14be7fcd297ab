// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// How a verb of tw declares its options. A thin wrapper, so that only verb.cpp includes CLI11, which is slow to
// compile.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace tw::cli {

/// An option that was added to a verb, for settings beyond its name and text.
class Option {
public:
    explicit Option(CLI::Option* option) : option_(option) {}
    const Option& required() const;
    const Option& shows_default() const;  ///< the help shows the variable's current value
    const Option& within(int least, int most) const;
    const Option& within(double least, double most) const;
    const Option& needs(const Option& other) const;
    const Option& excludes(const Option& other) const;
    const Option& may_stand_alone() const;  ///< its value may be left out
    bool is_given() const;                  ///< valid after the command line is parsed

private:
    CLI::Option* option_;
};

/// A verb, or tw itself. Variables for options must live until the verb has run. Copies refer to the same verb.
class Verb {
public:
    explicit Verb(CLI::App* app) : app_(app) {}
    /// Adds a verb below this one; from then on one of them is required.
    Verb add_verb(const std::string& name, const std::string& does) const;
    /// "--name", "-n,--name", or "NAME" for a positional argument. With a vector the option may be repeated.
    Option add_option(const std::string& names, std::string& value, const std::string& text) const;
    Option add_option(const std::string& names, std::vector<std::string>& values, const std::string& text) const;
    Option add_option(const std::string& names, int& value, const std::string& text) const;
    Option add_option(const std::string& names, std::int64_t& value, const std::string& text) const;
    Option add_option(const std::string& names, std::uint64_t& value, const std::string& text) const;
    Option add_option(const std::string& names, double& value, const std::string& text) const;
    Option add_flag(const std::string& names, bool& value, const std::string& text) const;
    /// A flag that may be given one of some words: "--flag", "--flag word" or "--flag=word".
    Option add_flag(const std::string& names, std::string& word, const std::vector<std::string>& words,
                    const std::string& text) const;
    void ends_help_with(const std::string& text) const;
    void runs(std::function<void()> work) const;

private:
    CLI::App* app_;
};

/// The command line after "tw".
class CommandLine {
public:
    CommandLine(const std::string& name, const std::string& does, const std::string& version);
    ~CommandLine();
    Verb root() const { return Verb(app_.get()); }

    /// Runs the verb, or prints the help or the version. Throws a Stop for bad usage; a verb may throw one, too.
    void run(int argc, const char* const* argv) const;

private:
    std::unique_ptr<CLI::App> app_;
};

}  // namespace tw::cli
