// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The text of an .npy header: a Python dictionary of three known keys, read by a parser that knows nothing else.
#pragma once

#include <cstdint>
#include <string_view>

namespace tw::cli {

struct NpyDictionary {
    std::string_view descr;  ///< lies in the text that was parsed
    bool fortran_order = false;
    int dimensions = 0;
    std::int64_t extent[2] = {1, 1};
    std::int64_t descr_offset = 0, shape_offset = 0;  ///< where in the file, for sentences
};

/// `text` is what follows the header's length, `offset` where it begins in the file. Throws Fault.
NpyDictionary parse_npy_dictionary(std::string_view text, std::int64_t offset);

}  // namespace tw::cli
