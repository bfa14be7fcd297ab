// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// A verb ends early by throwing a Stop; main prints its sentence and exits with its code.
#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <utility>

namespace tw::cli {

enum class Exit : int { ok = 0, failed = 1, bad_input = 2, wrong_result = 3, interrupted = 130 };

class Stop : public std::runtime_error {
public:
    Stop(Exit code, const std::string& sentence) : std::runtime_error(sentence), code_(code) {}
    Exit code() const noexcept { return code_; }

private:
    Exit code_;
};

/// The user's command or file can't be used: exit 2.
template <class... T>
[[noreturn]] void refuse(fmt::format_string<T...> sentence, T&&... values) {
    throw Stop(Exit::bad_input, fmt::format(sentence, std::forward<T>(values)...));
}

/// The machine or the system failed: exit 1.
template <class... T>
[[noreturn]] void fail(fmt::format_string<T...> sentence, T&&... values) {
    throw Stop(Exit::failed, fmt::format(sentence, std::forward<T>(values)...));
}

}  // namespace tw::cli
