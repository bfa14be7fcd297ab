// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "backend/metal/on_mac/sources.hpp"

namespace tw::metal {
namespace {

const char* text_of(std::string_view name) {
    for (const SourceFile* file = source_files; file->name; ++file)
        if (name == file->name) return file->text;
    return nullptr;
}

void put_in_place(std::string_view text, std::string& out) {
    constexpr std::string_view ours = "#include \"";
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        const std::string_view line = text.substr(0, end);
        text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
        const char* included =
            line.starts_with(ours) ? text_of(line.substr(ours.size(), line.rfind('"') - ours.size())) : nullptr;
        if (included) put_in_place(included, out);  // headers guard themselves against a second time
        else out.append(line).append(1, '\n');
    }
}

}  // namespace

std::string whole_source(std::string_view family) {
    std::string out;
    if (const char* text = text_of(std::string(family) + ".metal")) put_in_place(text, out);
    return out;
}

}  // namespace tw::metal
