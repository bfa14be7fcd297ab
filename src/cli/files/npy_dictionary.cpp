// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "cli/files/npy_dictionary.hpp"

#include <fmt/format.h>

#include <charconv>
#include <utility>

#include "cli/files/npy_header.hpp"
#include "cli/files/quoted.hpp"

namespace tw::cli {
namespace {

/// Parses from front to back; every error names its byte in the file.
class Reader {
public:
    Reader(std::string_view text, std::int64_t offset) : text_(text), first_(offset) {}

    std::int64_t offset() const { return first_ + static_cast<std::int64_t>(at_); }

    template <class... T>
    [[noreturn]] void fault(fmt::format_string<T...> text, T&&... values) const {
        throw Fault(offset(), fmt::format(text, std::forward<T>(values)...));
    }

    void skip_space() {
        while (at_ < text_.size() && is_space(text_[at_])) ++at_;
    }
    bool at_end() const { return at_ == text_.size(); }
    bool next_is(char c) const { return at_ < text_.size() && text_[at_] == c; }

    bool take(char c) {
        skip_space();
        if (!next_is(c)) return false;
        ++at_;
        return true;
    }
    bool take(std::string_view word) {
        skip_space();
        if (!text_.substr(at_).starts_with(word)) return false;
        at_ += word.size();
        return true;
    }
    void expect(char c) {
        if (!take(c)) fault("expected '{}' in the header, found {}", c, what_is_next());
    }

    /// 'text' or "text", without escapes, which no key and no type needs.
    std::string_view string(const char* meaning) {
        skip_space();
        const char quote = next_is('"') ? '"' : '\'';
        if (!next_is(quote)) fault("expected {} in quotes, found {}", meaning, what_is_next());
        const std::size_t start = at_ + 1, end = text_.find(quote, start);
        if (end == std::string_view::npos) fault("{} has no closing quote", meaning);
        const std::string_view content = text_.substr(start, end - start);
        if (content.find('\\') != std::string_view::npos) fault("{} has a backslash in it", meaning);
        at_ = end + 1;
        return content;
    }

    std::int64_t extent() {
        skip_space();
        std::int64_t value = 0;
        const char *begin = text_.data() + at_, *end = text_.data() + text_.size();
        if (at_ == text_.size() || *begin < '0' || *begin > '9')
            fault("expected a dimension, a whole number from 0 on, found {}", what_is_next());
        const auto [stop, error] = std::from_chars(begin, end, value);
        if (error != std::errc()) fault("a dimension does not fit into 63 bits: {}", what_is_next());
        if (*begin == '0' && stop - begin > 1) fault("a dimension begins with a zero: {}", what_is_next());
        at_ += static_cast<std::size_t>(stop - begin);
        if (next_is('L')) ++at_;  // Python 2 wrote long integers so
        return value;
    }

    std::string what_is_next() const { return at_end() ? "the end of the header" : quoted(text_.substr(at_, 12)); }

private:
    static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

    std::string_view text_;
    std::int64_t first_;
    std::size_t at_ = 0;
};

void read_descr(Reader& reader, NpyDictionary& d) {
    reader.skip_space();
    d.descr_offset = reader.offset();
    if (reader.next_is('[')) reader.fault("its elements are records of several fields; a matrix has plain numbers");
    d.descr = reader.string("the type of the elements");
}

void read_order(Reader& reader, NpyDictionary& d) {
    if (reader.take("True")) d.fortran_order = true;
    else if (!reader.take("False")) reader.fault("fortran_order is True or False, found {}", reader.what_is_next());
}

void read_shape(Reader& reader, NpyDictionary& d) {
    reader.skip_space();
    d.shape_offset = reader.offset();
    if (!reader.take('(')) reader.fault("the shape is a tuple such as (3, 4), found {}", reader.what_is_next());
    while (!reader.take(')')) {
        reader.skip_space();
        const Reader before = reader;
        const std::int64_t extent = reader.extent();
        if (d.dimensions == 2) before.fault("the shape has more than two dimensions; a matrix has two");
        d.extent[d.dimensions++] = extent;
        const bool more = reader.take(',');
        reader.skip_space();
        if (!more && !reader.next_is(')'))
            reader.fault("expected ',' or ')' in the shape, found {}", reader.what_is_next());
        if (!more && d.dimensions == 1) reader.fault("a tuple of one number ends with a comma: (3,)");
    }
}

struct Key {
    const char* name;
    void (*read)(Reader&, NpyDictionary&);
};
constexpr Key keys[] = {{"descr", read_descr}, {"fortran_order", read_order}, {"shape", read_shape}};

void read_entry(Reader& reader, NpyDictionary& d, unsigned& seen) {
    reader.skip_space();
    const Reader before = reader;
    const std::string_view name = reader.string("a key");
    for (unsigned i = 0; i < 3; ++i) {
        if (name != keys[i].name) continue;
        if (seen & (1u << i)) before.fault("the key '{}' comes twice", keys[i].name);
        seen |= 1u << i;
        reader.expect(':');
        return keys[i].read(reader, d);
    }
    before.fault("the key {} is unknown; a header has descr, fortran_order and shape", quoted(name));
}

}  // namespace

NpyDictionary parse_npy_dictionary(std::string_view text, std::int64_t offset) {
    Reader reader(text, offset);
    NpyDictionary d;
    unsigned seen = 0;
    reader.expect('{');
    while (!reader.take('}')) {
        read_entry(reader, d, seen);
        const bool more = reader.take(',');
        reader.skip_space();
        if (!more && !reader.next_is('}'))
            reader.fault("expected ',' or '}}' in the header, found {}", reader.what_is_next());
    }
    for (unsigned i = 0; i < 3; ++i)
        if (!(seen & (1u << i))) reader.fault("the header lacks the key '{}'", keys[i].name);
    reader.skip_space();
    if (!reader.at_end()) reader.fault("something follows the header's closing brace: {}", reader.what_is_next());
    return d;
}

}  // namespace tw::cli
