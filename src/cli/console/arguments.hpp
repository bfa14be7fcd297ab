// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Parses words of the command line. An invalid word is refused with a sentence: what was expected, and what it was.
#pragma once

#include <complex>
#include <cstdint>
#include <string_view>

#include "tilewright/accuracy.hpp"
#include "tilewright/layout.hpp"

namespace tw::cli {

/// A number for alpha or beta, finite, infinite or nan: "2", "-0.5i" or "1+2i"; j will do for i.
std::complex<double> parse_complex(std::string_view option, std::string_view word);

/// False unless all of the word is a number that f64 holds: "1e400" is none, "inf" is.
bool read_number(std::string_view word, double& value);

/// A real number: finite, infinite or nan.
double parse_number(std::string_view option, std::string_view word);

/// A whole number in [least, most].
std::int64_t parse_whole(std::string_view option, std::string_view word, std::int64_t least, std::int64_t most);

/// Bytes: "65536", "512K", "64M", "2.5G", "1T", in powers of 1024.
std::int64_t parse_bytes(std::string_view option, std::string_view word);

/// An accuracy by name, or as a positive number.
Accuracy parse_accuracy_word(std::string_view option, std::string_view word);

struct Pair {
    std::int64_t first = 0, second = 0;
};

/// "2,6"; both in [least, most].
Pair parse_pair(std::string_view option, std::string_view word, std::int64_t least, std::int64_t most);

/// "row_major(2,6)" or "col_major(2,6)".
Layout parse_layout(std::string_view word);

}  // namespace tw::cli
