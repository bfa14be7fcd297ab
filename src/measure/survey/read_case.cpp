// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "measure/survey/read_case.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <vector>

namespace tw::measure {
namespace {

std::vector<std::string_view> words_of(std::string_view line) {
    std::vector<std::string_view> words;
    for (std::size_t at = 0; (at = line.find_first_not_of(" \t\r", at)) != std::string_view::npos;) {
        const std::size_t end = std::min(line.find_first_of(" \t\r", at), line.size());
        words.push_back(line.substr(at, end - at));
        at = end;
    }
    return words;
}

/// All of the word, as a number from `least` on.
bool whole(std::string_view word, std::int64_t least, std::int64_t& number) {
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    return error == std::errc() && end == word.data() + word.size() && number >= least &&
           number <= std::numeric_limits<std::int32_t>::max();
}

bool is_number(std::string_view word) { return !word.empty() && word[0] >= '0' && word[0] <= '9'; }

class Reader {
public:
    Reader(std::string_view line, Case& one) : words_(words_of(line)), case_(one) {}

    /// Why not; empty: all is read.
    std::string read() {
        std::int64_t number = 0;
        if (whole(word(), 1, number)) ++at_;
        case_ = {.kind = find_kind(word()), .family = "given"};
        if (!case_.kind) return expected("a type, such as bf16 or tf32");
        ++at_;
        if (!shape()) return expected("a shape, such as 208x4096x4096");
        ++at_;
        if (!forms()) return expected("NN, NT, TN or TT");
        ++at_;
        for (; at_ < words_.size() && !is_number(word()); ++at_)
            if (const std::string why = next(); !why.empty()) return why;
        return {};
    }

private:
    std::string_view word(std::size_t beyond = 0) const {
        return at_ + beyond < words_.size() ? words_[at_ + beyond] : std::string_view();
    }
    std::string expected(const char* what) const { return fmt::format("expected {}; got '{}'", what, word()); }

    bool shape() const {
        const std::string_view text = word();
        const std::size_t first = text.find('x'), last = text.rfind('x');
        return first != last && whole(text.substr(0, first), 1, case_.m) &&
               whole(text.substr(first + 1, last - first - 1), 1, case_.n) && whole(text.substr(last + 1), 1, case_.k);
    }
    bool forms() const {
        const std::string_view text = word();
        if (text.size() != 2 || text.find_first_not_of("NT") != std::string_view::npos) return false;
        case_.a.by_columns = text[0] == 'T', case_.b.by_columns = text[1] == 'T';
        return true;
    }
    /// Three numbers behind the word, each behind `mark`.
    bool three(std::string_view mark, std::int64_t (&numbers)[3]) {
        for (std::size_t i = 0; i < 3; ++i) {
            const std::string_view text = word(i + 1);
            if (!text.starts_with(mark) || !whole(text.substr(mark.size()), 0, numbers[i])) return false;
        }
        at_ += 3;
        return true;
    }
    std::string next() {
        std::int64_t of[3];
        if (word() == "C^T") case_.c.by_columns = true;
        else if (word() == "pointers" && case_.is_batch()) case_.by_pointers = true;
        else if (word().starts_with('x')) {
            if (!whole(word().substr(1), 2, case_.products)) return expected("x and the number of products");
        } else if (word() == "beta") {
            ++at_;
            const auto [end, error] = std::from_chars(word().data(), word().data() + word().size(), case_.beta);
            if (error != std::errc() || end != word().data() + word().size()) return expected("a number behind beta");
        } else if (word() == "pitch") {
            if (!three("+", of)) return "expected three numbers behind pitch, such as +1 +0 +3";
            case_.a.pitch = of[0] + (case_.a.by_columns ? case_.m : case_.k);
            case_.b.pitch = of[1] + (case_.b.by_columns ? case_.k : case_.n);
            case_.c.pitch = of[2] + (case_.c.by_columns ? case_.m : case_.n);
        } else if (word() == "at") {
            if (!three("", of)) return "expected three numbers behind at, such as 0 2 6";
            case_.a.offset = of[0], case_.b.offset = of[1], case_.c.offset = of[2];
        } else {
            return expected("x512, pointers, C^T, beta, pitch or at");
        }
        return {};
    }

    std::vector<std::string_view> words_;
    std::size_t at_ = 0;
    Case& case_;
};

}  // namespace

bool read_case(std::string_view line, Case& one, std::string& trouble) {
    trouble = Reader(line, one).read();
    return trouble.empty();
}

}  // namespace tw::measure
