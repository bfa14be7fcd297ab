// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "cli/files/quoted.hpp"

#include <fmt/format.h>

namespace tw::cli {
namespace {

template <class MayBeShown>
std::string in_quotes(std::string_view bytes, MayBeShown may_be_shown) {
    std::string text = "'";
    for (const char c : bytes) {
        const auto value = static_cast<unsigned char>(c);
        if (may_be_shown(value)) text.push_back(c);
        else text.append(fmt::format("\\x{:02x}", value));
    }
    return text;
}

}  // namespace

std::string quoted(std::string_view bytes) {
    constexpr std::size_t most = 40;
    const auto printable = [](unsigned char c) { return c >= 0x20 && c < 0x7f; };
    return in_quotes(bytes.substr(0, most), printable).append(bytes.size() > most ? "...'" : "'");
}

std::string quoted_path(std::string_view path) {
    const auto no_control = [](unsigned char c) { return c >= 0x20 && c != 0x7f; };
    return in_quotes(path, no_control).append("'");
}

}  // namespace tw::cli
