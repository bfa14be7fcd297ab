// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The header of a .safetensors file: eight bytes of length, a JSON object with an entry for each tensor, then the
// tensors' bytes without gaps. It opens no file and trusts no number: the entries must cover the data exactly once.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/files/fault.hpp"
#include "tilewright/types.hpp"

namespace tw::cli {

struct SafeTensor {
    std::string name;
    std::string dtype;  ///< as the file spells it: "F32"
    std::vector<std::int64_t> shape;
    std::int64_t begin = 0, end = 0;            ///< bytes of the file
    std::optional<Type> type() const noexcept;  ///< none: a type that tw does not multiply
};

/// Enough bytes for safetensors_header_end().
inline constexpr std::int64_t safetensors_prefix_bytes = 9;
inline constexpr std::int64_t safetensors_longest_header = std::int64_t{8} << 20;

/// The byte where the header ends and the tensors begin. `prefix`: the file's first safetensors_prefix_bytes, or all of
/// a shorter file. Throws Fault.
std::int64_t safetensors_header_end(std::string_view prefix, std::int64_t file_bytes);

/// Parses the file's first safetensors_header_end() bytes: all tensors, in the order of their data. Throws Fault.
std::vector<SafeTensor> parse_safetensors_header(std::string_view bytes, std::int64_t file_bytes);

}  // namespace tw::cli
