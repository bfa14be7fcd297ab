// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Code of the prelude counts for the line that called it, however clang names the prelude's files.
#include "backend/metal/on_linux/translator/source_lines.hpp"

#include <gtest/gtest.h>

#include <string>

namespace {

/// Line 7 of the user's file calls line 148 of the prelude's; both are named as given, seen from /parent/work.
std::string assembly(const std::string& of_user, const std::string& of_prelude) {
    const auto file = [](const char* number, const std::string& name) {
        return std::string("!") + number + " = !DIFile(filename: \"" + name + "\", directory: \"/parent/work\")\n";
    };
    return "\n" + file("1", of_user) + file("2", of_prelude) +
           "!3 = distinct !DISubprogram(name: \"kernel\", scope: !1, file: !1, line: 5)\n"
           "!4 = distinct !DISubprogram(name: \"atomic_fetch_add\", scope: !2, file: !2, line: 140)\n"
           "!5 = !DILocation(line: 7, column: 1, scope: !3)\n"
           "!6 = !DILocation(line: 148, column: 1, scope: !4, inlinedAt: !5)\n";
}

std::string site_in(const std::string& text, const std::string& prelude) {
    tw::metal_check::SourceLines lines(text, prelude);
    return lines.sites().at(lines.site_of("  store float 0.0, float* %1, !dbg !6"));
}

TEST(SourceLines, ThePreludeIsKnownByItsWholeName) {
    const std::string prelude = "/parent/prelude";
    EXPECT_EQ(site_in(assembly("/parent/work/sum.metal", "/parent/prelude/metal_threads"), prelude), "sum.metal:7");
}

TEST(SourceLines, ThePreludeIsKnownWhereClangNamesItFromItsOwnFolder) {
    const std::string prelude = "/parent/prelude";
    EXPECT_EQ(site_in(assembly("sum.metal", "../prelude/metal_threads"), prelude), "sum.metal:7");
    EXPECT_EQ(site_in(assembly("sum.metal", "prelude/metal_threads"), "/parent/work/prelude"), "sum.metal:7");
}

TEST(SourceLines, AUsersFileOfTheSameNameIsTheUsers) {
    EXPECT_EQ(site_in(assembly("sum.metal", "metal_threads"), "/parent/prelude"), "metal_threads:148");
}

}  // namespace
