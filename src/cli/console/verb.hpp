// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// How a verb of tw says what it takes. A thin face: the library behind it takes long to compile, and only verb.cpp sees
// it.
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

/// One option of a verb, already added: what else is to be said of it.
class Option {
public:
    explicit Option(CLI::Option* option) : option_(option) {}
    const Option& required() const;
    const Option& shows_default() const;  ///< the help tells the value that the variable has now
    const Option& within(int least, int most) const;
    const Option& within(double least, double most) const;
    const Option& needs(const Option& other) const;
    const Option& excludes(const Option& other) const;
    const Option& may_stand_alone() const;  ///< its value may be left out
    bool is_given() const;                  ///< once the words are read

private:
    CLI::Option* option_;
};

/// A verb, or tw itself. Variables that options write to must live until the verb has run. A copy is the same verb.
class Verb {
public:
    explicit Verb(CLI::App* app) : app_(app) {}
    /// A verb below this one, which from then on can't do without one.
    Verb add_verb(const std::string& name, const std::string& does) const;
    /// "--name", "-n,--name", or "NAME" for an operand by its place. A vector takes the option again and again.
    Option add_option(const std::string& names, std::string& value, const std::string& text) const;
    Option add_option(const std::string& names, std::vector<std::string>& values, const std::string& text) const;
    Option add_option(const std::string& names, int& value, const std::string& text) const;
    Option add_option(const std::string& names, std::int64_t& value, const std::string& text) const;
    Option add_option(const std::string& names, std::uint64_t& value, const std::string& text) const;
    Option add_option(const std::string& names, double& value, const std::string& text) const;
    Option add_flag(const std::string& names, bool& value, const std::string& text) const;
    void ends_help_with(const std::string& text) const;
    void runs(std::function<void()> work) const;

private:
    CLI::App* app_;
};

/// The words behind "tw".
class CommandLine {
public:
    CommandLine(const std::string& name, const std::string& does, const std::string& version);
    ~CommandLine();
    Verb root() const { return Verb(app_.get()); }

    /// Runs the verb that the words name, or prints the help or the version. Bad usage throws a Stop, and a verb may.
    void run(int argc, const char* const* argv) const;

private:
    std::unique_ptr<CLI::App> app_;
};

}  // namespace tw::cli
