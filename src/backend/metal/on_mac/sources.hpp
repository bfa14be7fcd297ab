// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The .metal files and their headers as text in the library; they are compiled on the user's Mac, one family at a time.
#pragma once

#include <string>
#include <string_view>

namespace tw::metal {

struct SourceFile {
    const char *name, *text;
};
extern const SourceFile source_files[];  // in a file that the build writes; ends with a null name

/// A family's text, with our own headers in place of their #include lines; empty when there is no such family.
std::string whole_source(std::string_view family);

}  // namespace tw::metal
