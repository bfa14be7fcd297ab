// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The text of an .npy header: a Python dictionary with three known keys, and a parser that accepts nothing else.
#pragma once

#include <cstdint>
#include <string_view>

namespace tw::cli {

struct NpyDictionary {
    std::string_view descr;  ///< points into the parsed text
    bool fortran_order = false;
    int dimensions = 0;
    std::int64_t extent[2] = {1, 1};
    std::int64_t descr_offset = 0, shape_offset = 0;  ///< bytes of the file, for messages
};

/// `text` follows the header's length, and begins at byte `offset` of the file. Throws Fault.
NpyDictionary parse_npy_dictionary(std::string_view text, std::int64_t offset);

}  // namespace tw::cli
