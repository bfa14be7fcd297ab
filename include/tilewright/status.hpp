// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#pragma once

#include <cstdint>

namespace tw {

enum class Code : std::uint8_t {
    ok,
    bad_argument,
    unsupported,
    out_of_memory,
    no_device,
    device_failed,
    verification_failed,
    bad_file,
};

/// The operand of multiply() that a Status is about.
enum class Argument : std::uint8_t { none, a, b, c, options, scratch, batch };

/// What became of a call. Plain data with static text: returning one never allocates.
struct [[nodiscard]] Status {
    Code code = Code::ok;
    Argument argument = Argument::none;
    std::int32_t product = -1;  ///< in a batch, the first that failed (at most 2^31 - 1); -1: none or all of them
    const char* text = "";

    constexpr Status() = default;
    constexpr Status(Code what, Argument which, const char* static_text) noexcept
        : code(what), argument(which), text(static_text) {}

    constexpr bool is_ok() const noexcept { return code == Code::ok; }
    constexpr explicit operator bool() const noexcept { return is_ok(); }
};

}  // namespace tw
