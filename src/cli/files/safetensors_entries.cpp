// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "cli/files/safetensors_entries.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "cli/files/quoted.hpp"

namespace tw::cli {
namespace {

using Json = nlohmann::json;

/// Characters, and how far the parser has read.
struct Counted {
    using iterator_category = std::input_iterator_tag;
    using value_type = char;
    using difference_type = std::ptrdiff_t;
    using pointer = const char*;
    using reference = const char&;

    const char* at;
    const char** furthest;

    reference operator*() const { return *at; }
    Counted& operator++() {
        *furthest = ++at;
        return *this;
    }
    Counted operator++(int) {
        const Counted before = *this;
        ++*this;
        return before;
    }
    bool operator==(const Counted& other) const { return at == other.at; }
    bool operator!=(const Counted& other) const { return at != other.at; }
};

/// What may come next.
enum class Expected {
    header,
    entry,
    end,  // the header, its entries, nothing more
    fields,
    field,
    dtype,
    shape,
    shape_end,
    offsets,
    offsets_end,  // an entry, its fields, their values
    metadata,
    note,
    note_text,
};

bool is_one_of(char c, std::string_view these) { return these.find(c) != std::string_view::npos; }

class Entries {
public:
    Entries(std::string_view text, std::int64_t offset)
        : text_(text), offset_(offset), furthest_(text.data()), token_end_(text.data()) {}

    std::vector<SafetensorsEntry> parse() {
        Json::sax_parse(Counted{text_.data(), &furthest_}, Counted{text_.data() + text_.size(), &furthest_}, this);
        const std::size_t behind =
            text_.find_first_not_of(" \t\r\n", static_cast<std::size_t>(token_end_ - text_.data()));
        if (behind != std::string_view::npos) not_json(behind);  // the parser would stop at a zero byte
        return std::move(entries_);
    }

    // The events of the parser.
    bool null() { return wrong(); }
    bool boolean(bool) { return wrong(); }
    bool number_integer(std::int64_t) { return wrong(); }
    bool number_float(double, const std::string&) { return wrong(); }
    bool number_unsigned(std::uint64_t value) {
        if (expected_ != Expected::shape_end && expected_ != Expected::offsets_end) wrong();
        if (value > static_cast<std::uint64_t>(INT64_MAX)) fault("a number does not fit into 63 bits: {}", token());
        SafetensorsEntry& entry = entries_.back();
        (expected_ == Expected::shape_end ? entry.shape : entry.data_offsets)
            .push_back(static_cast<std::int64_t>(value));
        return next(expected_);
    }
    bool string(const std::string& value) {
        if (expected_ == Expected::note_text) return next(Expected::note);
        if (expected_ != Expected::dtype) return wrong();
        entries_.back().dtype = value;
        return next(Expected::field);
    }
    bool binary(const Json::binary_t&) { return wrong(); }
    bool start_object(std::size_t) {
        if (expected_ == Expected::header) return next(Expected::entry);
        if (expected_ == Expected::fields) return seen_ = 0, next(Expected::field);
        if (expected_ == Expected::metadata) return next(Expected::note);
        return wrong();
    }
    bool key(const std::string& name) {
        if (expected_ == Expected::note) return next(Expected::note_text);
        return expected_ == Expected::entry ? start_entry(name) : start_field(name);
    }
    bool end_object() {
        if (expected_ == Expected::entry) return next(Expected::end);
        if (expected_ == Expected::field) check_fields();
        return next(Expected::entry);
    }
    bool start_array(std::size_t) {
        if (expected_ == Expected::shape) return next(Expected::shape_end);
        if (expected_ == Expected::offsets) return next(Expected::offsets_end);
        return wrong();
    }
    bool end_array() { return next(Expected::field); }
    bool parse_error(std::size_t read, const std::string&, const Json::exception&) {
        not_json(std::min(read == 0 ? 0 : read - 1, text_.size()));
    }

private:
    bool start_entry(const std::string& name) {
        if (!names_.insert(name).second) fault("the name {} comes twice", cli::quoted(name));
        if (name == "__metadata__") return next(Expected::metadata);
        SafetensorsEntry& entry = entries_.emplace_back();
        entry.name = name;
        entry.name_at = token_at();
        return next(Expected::fields);
    }

    bool start_field(const std::string& name) {
        SafetensorsEntry& entry = entries_.back();
        const auto begin = [&](unsigned bit, std::int64_t& at, Expected value) {
            if (seen_ & bit) fault("{} comes twice in the entry of {}", cli::quoted(name), cli::quoted(entry.name));
            seen_ |= bit;
            at = token_at();
            return next(value);
        };
        if (name == "dtype") return begin(1, entry.dtype_at, Expected::dtype);
        if (name == "shape") return begin(2, entry.shape_at, Expected::shape);
        if (name == "data_offsets") return begin(4, entry.offsets_at, Expected::offsets);
        fault("the field {} is unknown; a tensor has dtype, shape and data_offsets", cli::quoted(name));
    }

    void check_fields() {
        const char* lacking = !(seen_ & 1) ? "dtype" : !(seen_ & 2) ? "shape" : !(seen_ & 4) ? "data_offsets" : nullptr;
        if (lacking) fault("the entry of {} lacks {}", cli::quoted(entries_.back().name), lacking);
    }

    /// Stores where this event's token ended, from where the next one is searched.
    bool next(Expected expected) {
        expected_ = expected;
        token_end_ = end_of_token();
        return true;
    }

    /// After a number the parser has read one character more.
    const char* end_of_token() const {
        const bool is_behind = furthest_ > text_.data() && is_one_of(furthest_[-1], ",]} \t\r\n");
        const bool is_in_list = expected_ == Expected::shape_end || expected_ == Expected::offsets_end;
        return is_behind && is_in_list ? furthest_ - 1 : furthest_;
    }

    std::size_t token_index() const {
        std::size_t at = static_cast<std::size_t>(token_end_ - text_.data());
        while (at < text_.size() && is_one_of(text_[at], ",: \t\r\n")) ++at;
        return at;
    }
    std::int64_t token_at() const { return offset_ + static_cast<std::int64_t>(token_index()); }
    std::string what_is_at(std::size_t at) const {
        return at >= text_.size() ? "the end of the header" : cli::quoted(text_.substr(at, 12));
    }
    std::string token() const { return what_is_at(token_index()); }

    template <class... T>
    [[noreturn]] void fault(fmt::format_string<T...> text, T&&... values) const {
        throw Fault(token_at(), fmt::format(text, std::forward<T>(values)...));
    }

    [[noreturn]] void not_json(std::size_t at) const {
        throw Fault(offset_ + static_cast<std::int64_t>(at),
                    fmt::format("the header is not JSON from here on: {}", what_is_at(at)));
    }

    [[noreturn]] bool wrong() const { fault("expected {}, found {}", what_was_expected(), token()); }

    const char* what_was_expected() const {
        switch (expected_) {
            case Expected::header: return "an object with an entry for each tensor";
            case Expected::fields: return "a tensor's entry, an object";
            case Expected::metadata: return "the metadata, an object of texts";
            case Expected::note_text: return "a text in the metadata";
            case Expected::dtype: return "the type of the elements in quotes";
            case Expected::shape: return "the shape, a list of dimensions";
            case Expected::shape_end: return "a dimension, a whole number from 0 on";
            case Expected::offsets: return "data_offsets, a list of two numbers";
            case Expected::offsets_end: return "a byte's number, a whole number from 0 on";
            case Expected::entry:
            case Expected::field:
            case Expected::note:
            case Expected::end: break;
        }
        return "something else";
    }

    std::string_view text_;
    std::int64_t offset_;
    const char* furthest_;
    const char* token_end_;
    Expected expected_ = Expected::header;
    unsigned seen_ = 0;
    std::vector<SafetensorsEntry> entries_;
    std::set<std::string> names_;
};

}  // namespace

std::vector<SafetensorsEntry> parse_safetensors_entries(std::string_view text, std::int64_t offset) {
    return Entries(text, offset).parse();
}

}  // namespace tw::cli
