// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "cli/console/arguments.hpp"

#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <string>

#include "cli/ending/exit.hpp"
#include "scheme/scheme.hpp"
#include "tilewright/options.hpp"

namespace tw::cli {
namespace {

constexpr std::int64_t largest_extent = std::int64_t{1} << 31;

std::string_view without_spaces_around(std::string_view text) {
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
    return text;
}

bool read_whole(std::string_view word, std::int64_t& value) {
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    return error == std::errc() && end == word.data() + word.size();
}

bool read_pair(std::string_view word, Pair& pair) {
    const std::size_t comma = word.find(',');
    return comma != std::string_view::npos && read_whole(without_spaces_around(word.substr(0, comma)), pair.first) &&
           read_whole(without_spaces_around(word.substr(comma + 1)), pair.second);
}

bool lies_in(std::int64_t value, std::int64_t least, std::int64_t most) { return least <= value && value <= most; }

}  // namespace

bool read_number(std::string_view word, double& value) {
    const std::string text(word);
    if (text.empty() || text.front() == ' ' || text.find('\0') != std::string::npos) return false;
    char* end = nullptr;
    errno = 0;
    value = std::strtod(text.c_str(), &end);
    return *end == '\0' && !(errno == ERANGE && std::isinf(value));
}

std::complex<double> parse_complex(std::string_view option, std::string_view word) {
    double real = 0, imaginary = 0;
    if (read_number(word, real)) return real;
    real = 0;
    if (word.ends_with('i') || word.ends_with('j')) {
        const std::string_view parts = word.substr(0, word.size() - 1);
        std::size_t split = parts.size();
        while (split-- > 0)  // at the last sign that is no exponent's
            if ((parts[split] == '+' || parts[split] == '-') && (split == 0 || (parts[split - 1] | 0x20) != 'e')) break;
        const bool has_real = split != std::string_view::npos && split > 0;
        std::string_view of_i = has_real ? parts.substr(split) : parts;
        if (has_real && of_i.starts_with('+')) of_i.remove_prefix(1);
        const bool is_one = of_i.empty() || of_i == "-";
        if (is_one) imaginary = of_i.empty() ? 1 : -1;
        if ((!has_real || read_number(parts.substr(0, split), real)) && (is_one || read_number(of_i, imaginary)))
            return {real, imaginary};
    }
    refuse("{} takes a number, such as 2, -0.5 or, for complex files, 1-0.5i; got '{}'", option, word);
}

double parse_number(std::string_view option, std::string_view word) {
    double value = 0;
    if (!read_number(word, value)) refuse("{} takes a number, such as 2 or -0.5; got '{}'", option, word);
    return value;
}

std::int64_t parse_whole(std::string_view option, std::string_view word, std::int64_t least, std::int64_t most) {
    std::int64_t value = 0;
    if (!read_whole(word, value) || !lies_in(value, least, most))
        refuse("{} takes a whole number from {} to {}; got '{}'", option, least, most, word);
    return value;
}

std::int64_t parse_bytes(std::string_view option, std::string_view word) {
    constexpr std::string_view units = "KMGT";
    const std::size_t unit = word.empty() ? std::string_view::npos : units.find(word.back());
    const bool has_unit = unit != std::string_view::npos;
    double value = 0;
    const bool read = read_number(has_unit ? word.substr(0, word.size() - 1) : word, value);
    if (has_unit) value = std::ldexp(value, 10 * (static_cast<int>(unit) + 1));
    if (!read || !(value >= 0 && value < 0x1p62))
        refuse("{} takes a number of bytes, such as 65536, 512M or 2.5G; got '{}'", option, word);
    return static_cast<std::int64_t>(value);
}

Accuracy parse_accuracy_word(std::string_view option, std::string_view word) {
    Accuracy accuracy;
    if (!parse_accuracy(word, accuracy))
        refuse("{} takes fp64, fp32, fp32_elementwise, tf32, bf16, fp16 or a positive number such as 1e-6; got '{}'",
               option, word);
    return accuracy;
}

Pair parse_pair(std::string_view option, std::string_view word, std::int64_t least, std::int64_t most) {
    Pair pair;
    if (!read_pair(word, pair) || !lies_in(pair.first, least, most) || !lies_in(pair.second, least, most))
        refuse("{} takes two whole numbers from {} to {}, such as 2,2; got '{}'", option, least, most, word);
    return pair;
}

Layout parse_layout(std::string_view word) {
    const std::string_view text = without_spaces_around(word);
    const std::size_t open = text.find('(');
    const std::string_view order = text.substr(0, open);
    Pair shape;
    const bool closed = open != std::string_view::npos && text.back() == ')';
    if ((order != "row_major" && order != "col_major") || !closed ||
        !read_pair(text.substr(open + 1, text.size() - open - 2), shape))
        refuse("a layout reads row_major(ROWS,COLS) or col_major(ROWS,COLS), such as \"row_major(2,6)\"; got '{}'",
               word);
    if (!lies_in(shape.first, 1, largest_extent) || !lies_in(shape.second, 1, largest_extent))
        refuse("a layout has from 1 to {} rows and columns; '{}' asks for {} and {}", largest_extent, word, shape.first,
               shape.second);
    return order == "row_major" ? row_major(shape.first, shape.second) : col_major(shape.first, shape.second);
}

}  // namespace tw::cli
