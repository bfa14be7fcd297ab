// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "plan/store_line.hpp"

#include <charconv>
#include <cstdio>

#include "base/threads.hpp"
#include "tilewright/options.hpp"

namespace tw {
namespace {

constexpr int digits_of_checksum = 8;
constexpr std::int64_t largest_side = std::int64_t{1} << 40;
constexpr int largest_tile = 1 << 20, most_parts = 164;  // a tile's k under 0 counts parts, r8_dmma's from 100 on again

/// Words separated by single spaces.
class Words {
public:
    explicit Words(std::string_view line) : rest_(line) {}
    std::string_view next() {
        const std::size_t end = rest_.find(' ');
        const std::string_view word = rest_.substr(0, end);
        rest_ = end == std::string_view::npos ? std::string_view{} : rest_.substr(end + 1);
        return word;
    }
    bool is_empty() const { return rest_.empty(); }

private:
    std::string_view rest_;
};

template <class Int>
bool parse_whole(std::string_view text, Int least, Int most, Int& value) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size() && value >= least && value <= most;
}

/// "1x2x3" or "1,2,3".
template <class Int>
bool parse_three(std::string_view text, char between, Int least, Int most, Int& x, Int& y, Int& z) {
    const std::size_t first = text.find(between), second = text.find(between, first + 1);
    return first != std::string_view::npos && second != std::string_view::npos &&
           parse_whole(text.substr(0, first), least, most, x) &&
           parse_whole(text.substr(first + 1, second - first - 1), least, most, y) &&
           parse_whole(text.substr(second + 1), least, most, z);
}

bool parse_type(std::string_view text, Type& type) {
    for (const Type known : {Type::f64, Type::f32, Type::f16, Type::bf16, Type::c64, Type::c128})
        if (text == name_of(known)) return type = known, true;
    return false;
}

constexpr char letters[] = {'r', 'c', 's'};  // in the order of Form
char letter_of(Form form) { return letters[static_cast<int>(form)]; }

bool parse_form(char letter, Form& form) {
    for (int i = 0; i < 3; ++i)
        if (letters[i] == letter) return form = static_cast<Form>(i), true;
    return false;
}

}  // namespace

std::uint32_t checksum(std::string_view bytes) noexcept {
    std::uint32_t remainder = ~0u;
    for (const char c : bytes) {
        remainder ^= static_cast<unsigned char>(c);
        for (int bit = 0; bit < 8; ++bit) remainder = (remainder >> 1) ^ (remainder & 1 ? 0xedb88320u : 0);
    }
    return ~remainder;
}

std::string line_of(const Tuned& r, std::string_view key) {
    char accuracy[40], text[400];
    spell(r.accuracy, accuracy, sizeof accuracy);
    std::snprintf(text, sizeof text, " %.*s %lldx%lldx%lld %s %s %c%c%c %s %d %s %d,%d,%d %d",
                  static_cast<int>(key.size()), key.data(), static_cast<long long>(r.m), static_cast<long long>(r.n),
                  static_cast<long long>(r.k), name_of(r.in), name_of(r.out), letter_of(r.a), letter_of(r.b),
                  letter_of(r.c), accuracy, r.allowed_threads, r.kernel.c_str(), r.tile.m, r.tile.n, r.tile.k,
                  r.threads);
    char sum[digits_of_checksum + 1];
    std::snprintf(sum, sizeof sum, "%08x", checksum(text));
    return std::string(sum) + text;
}

bool is_intact(std::string_view line) noexcept {
    std::uint32_t sum = 0;
    if (line.size() < digits_of_checksum + 2) return false;
    const auto [end, error] = std::from_chars(line.data(), line.data() + digits_of_checksum, sum, 16);
    return error == std::errc() && end == line.data() + digits_of_checksum &&
           sum == checksum(line.substr(digits_of_checksum));
}

std::string_view key_of(std::string_view line) noexcept {
    const std::string_view rest = line.substr(digits_of_checksum + 1);
    return rest.substr(0, rest.find(' '));
}

bool parse_line(std::string_view line, Tuned& r) {
    Words words(line);
    words.next();
    words.next();
    if (!parse_three<std::int64_t>(words.next(), 'x', 1, largest_side, r.m, r.n, r.k)) return false;
    if (!parse_type(words.next(), r.in) || !parse_type(words.next(), r.out)) return false;
    const std::string_view forms = words.next();
    if (forms.size() != 3 || !parse_form(forms[0], r.a) || !parse_form(forms[1], r.b) || !parse_form(forms[2], r.c))
        return false;
    if (!parse_accuracy(words.next(), r.accuracy) || r.accuracy.rule == Accuracy::Rule::automatic) return false;
    if (!parse_whole(words.next(), 1, most_threads, r.allowed_threads)) return false;
    r.kernel = words.next();
    if (r.kernel.empty()) return false;
    if (!parse_three(words.next(), ',', -most_parts, largest_tile, r.tile.m, r.tile.n, r.tile.k)) return false;
    if (r.tile.m < 0 || r.tile.n < 0) return false;
    return parse_whole(words.next(), 1, r.allowed_threads, r.threads) && words.is_empty();
}

}  // namespace tw
