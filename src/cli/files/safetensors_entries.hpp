// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The JSON of a .safetensors header: its entries, each with its byte in the file. The text is parsed as a stream of
// events, so nesting deeper than an entry's lists is refused and only entries are stored.
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
    std::int64_t name_at = 0, dtype_at = 0, shape_at = 0, offsets_at = 0;  ///< bytes of the file, for messages
};

/// `text` is the JSON, which begins at byte `offset` of the file. Names must be unique, each entry must have its three
/// fields once, and numbers must be whole and not negative. Throws Fault.
std::vector<SafetensorsEntry> parse_safetensors_entries(std::string_view text, std::int64_t offset);

}  // namespace tw::cli
