// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "backend/metal/on_linux/translator/source_lines.hpp"

#include <filesystem>

namespace tw::metal_check {
namespace {

/// The number after "key" in a record such as !DILocation(line: 6, column: 5, scope: !18); 0 when there is none.
unsigned number_after(std::string_view record, std::string_view key) {
    std::size_t at = record.find(key);
    if (at == std::string_view::npos) return 0;
    at += key.size();
    if (at < record.size() && record[at] == '!') ++at;
    unsigned value = 0;
    for (; at < record.size() && record[at] >= '0' && record[at] <= '9'; ++at)
        value = value * 10 + static_cast<unsigned>(record[at] - '0');
    return value;
}

/// The text of key: "..." in a record; empty when there is none.
std::string_view text_after(std::string_view record, std::string_view key) {
    const std::size_t at = record.find(key);
    if (at == std::string_view::npos) return {};
    const std::size_t open = at + key.size();
    return record.substr(open, record.find('"', open) - open);
}

/// clang names files relative to the folder that it was started in.
std::string whole_name(std::string_view directory, std::string_view file) {
    return (std::filesystem::path(directory) / file).lexically_normal().string();  // an absolute name stays as it is
}

}  // namespace

SourceLines::SourceLines(std::string_view assembly, std::string_view prelude) : prelude_(whole_name({}, prelude)) {
    for (std::size_t at = assembly.find("\n!"); at != std::string_view::npos; at = assembly.find("\n!", at + 1)) {
        const std::string_view record = assembly.substr(at + 1, assembly.find('\n', at + 1) - at - 1);
        if (record.size() < 2 || record[1] < '0' || record[1] > '9') continue;
        const unsigned number = number_after(record, "!");
        if (record.find("!DILocation(") != std::string_view::npos) {
            locations_[number] = {number_after(record, "line: "), number_after(record, "scope: "),
                                  number_after(record, "inlinedAt: ")};
        } else if (record.find("!DIFile(") != std::string_view::npos) {
            files_[number] = whole_name(text_after(record, "directory: \""), text_after(record, "filename: \""));
        } else if (record.find("!DISubprogram(") != std::string_view::npos ||
                   record.find("!DILexicalBlock") != std::string_view::npos) {
            file_of_scope_[number] = number_after(record, "file: ");
        }
    }
}

const std::string* SourceLines::file_of(unsigned scope) const {
    const auto file = file_of_scope_.find(scope);
    if (file == file_of_scope_.end()) return nullptr;
    const auto name = files_.find(file->second);
    return name == files_.end() ? nullptr : &name->second;
}

unsigned SourceLines::record_of(std::string_view instruction) { return number_after(instruction, "!dbg !"); }

unsigned SourceLines::site_of(std::string_view instruction) {
    for (auto at = locations_.find(record_of(instruction)); at != locations_.end();
         at = locations_.find(at->second.inlined_at)) {
        const std::string* file = file_of(at->second.scope);
        const bool known = file && !file->starts_with(prelude_);
        if (!known) continue;
        const std::string site = file->substr(file->rfind('/') + 1) + ':' + std::to_string(at->second.line);
        const auto [number, added] = numbers_.try_emplace(site, static_cast<unsigned>(sites_.size()));
        if (added) sites_.push_back(site);
        return number->second;
    }
    return 0;
}

bool SourceLines::is_simd_call(std::string_view instruction) const {
    const auto at = locations_.find(record_of(instruction));
    if (at == locations_.end()) return false;
    const std::string* file = file_of(at->second.scope);
    return file && file->starts_with(prelude_) && file->ends_with("metal_threads");
}

}  // namespace tw::metal_check
