// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Any word of the command line: a value within its limits, or a Stop.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <string>

#include "cli/console/arguments.hpp"
#include "cli/ending/exit.hpp"
#include "cli/files/quoted.hpp"
#include "scheme/scheme.hpp"
#include "target.hpp"

namespace {

using namespace tw::cli;

void check_accuracy(std::string_view word) {
    const tw::Accuracy accuracy = parse_accuracy_word("--accuracy", word);
    char text[64];
    must_hold(tw::spell(accuracy, text, sizeof text) > 0);
    must_hold(parse_accuracy_word("--accuracy", text) == accuracy);
}

void check_whole(std::string_view word) {
    const std::int64_t value = parse_whole("--threads", word, 1, 1024);
    must_hold(value >= 1 && value <= 1024);
}

void check_pair(std::string_view word) {
    const Pair pair = parse_pair("--tile", word, -5, 1000);
    must_hold(pair.first >= -5 && pair.first <= 1000 && pair.second >= -5 && pair.second <= 1000);
}

/// What it is written as is read as itself.
void check_complex(std::string_view word) {
    const std::complex<double> value = parse_complex("--alpha", word);
    if (std::isnan(value.real()) || std::isnan(value.imag())) return;
    must_hold(parse_complex("--alpha", fmt::format("{}{:+}i", value.real(), value.imag())) == value);
}

/// On a terminal a path must not do anything but be read.
void check_path(std::string_view word) {
    const std::string shown = quoted_path(word);
    must_hold(std::all_of(shown.begin(), shown.end(), [](unsigned char c) { return c >= ' ' && c != 0x7f; }));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view word = as_text(data, size);
    void (*const parsers[])(std::string_view) = {
        check_accuracy,
        check_whole,
        check_pair,
        check_complex,
        check_path,
        [](std::string_view text) { static_cast<void>(parse_number("--alpha", text)); },
        [](std::string_view text) { must_hold(parse_bytes("--memory", text) >= 0); },
    };
    for (const auto parser : parsers) {
        try {
            parser(word);
        } catch (const Stop& stop) {
            must_hold(stop.code() == Exit::bad_input);
        }
    }
    return 0;
}
