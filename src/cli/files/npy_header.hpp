// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The header of an .npy file, versions 1 to 3: bytes to values and back. It opens no file, trusts no number and
// evaluates nothing: it accepts three known keys, each once, and a shape that matches the file's size.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "cli/files/fault.hpp"
#include "tilewright/types.hpp"

namespace tw::cli {

struct NpyHeader {
    Type type = Type::f32;
    bool fortran_order = false;
    int dimensions = 0;               ///< 0 to 2
    std::int64_t extent[2] = {1, 1};  ///< 1 beyond `dimensions`
    std::int64_t data_offset = 0;     ///< byte of the first element

    friend bool operator==(const NpyHeader&, const NpyHeader&) = default;

    std::int64_t data_bytes() const noexcept {
        return extent[0] * extent[1] * static_cast<std::int64_t>(size_of(type));
    }
};

/// Enough bytes for npy_header_end().
inline constexpr std::int64_t npy_prefix_bytes = 12;
inline constexpr std::int64_t npy_longest_header = 65536;

/// The byte where the header ends and the elements begin. `prefix`: the file's first npy_prefix_bytes, or all of a
/// shorter file. Throws Fault.
std::int64_t npy_header_end(std::string_view prefix, std::int64_t file_bytes);

/// Parses the file's first npy_header_end() bytes, and checks the shape against the file's size. Throws Fault.
NpyHeader parse_npy_header(std::string_view bytes, std::int64_t file_bytes);

/// Everything before the elements of a two-dimensional C-order file, version 1.0.
std::string npy_header_text(Type type, std::int64_t rows, std::int64_t cols);

}  // namespace tw::cli
