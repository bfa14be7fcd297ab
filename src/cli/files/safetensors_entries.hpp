// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The JSON of a .safetensors header: entries as they are written, each with the byte where it stands. The text is read
// as a stream of events, so nothing is nested deeper than an entry's lists and nothing is built that an entry does not
// have.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cli/files/fault.hpp"

namespace tw::cli {

struct SafetensorsEntry {
    std::string name, dtype;
    std::vector<std::int64_t> shape, data_offsets;
    std::int64_t name_at = 0, dtype_at = 0, shape_at = 0, offsets_at = 0;  ///< where in the file, for sentences
};

/// `text` is the JSON, `offset` where it begins in the file. Each name comes once, each entry has its three fields
/// once, each number is whole and not negative. Throws Fault.
std::vector<SafetensorsEntry> parse_safetensors_entries(std::string_view text, std::int64_t offset);

}  // namespace tw::cli
