// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// A record as a line of text:
//   CHECKSUM KEY MxNxK IN OUT FORMS ACCURACY ALLOWED KERNEL TM,TN,TK THREADS
#pragma once

#include <string>
#include <string_view>

#include "plan/store.hpp"

namespace tw {

inline constexpr std::string_view store_title = "tilewright tuning store ";
inline constexpr int store_format = 1;

/// CRC-32, as in zlib and PNG.
std::uint32_t checksum(std::string_view bytes) noexcept;

std::string line_of(const Tuned& record, std::string_view key);

/// False when the checksum is not that of the rest.
bool is_intact(std::string_view line) noexcept;

/// The key of an intact line.
std::string_view key_of(std::string_view line) noexcept;

/// False when the line is not a valid record: wrong fields, sizes or threads out of range, unknown words.
bool parse_line(std::string_view line, Tuned& record);

}  // namespace tw
