// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "cli/files/npy_header.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cli/files/npy_dictionary.hpp"
#include "cli/files/quoted.hpp"

namespace tw::cli {
namespace {

constexpr std::string_view magic = "\x93NUMPY";
constexpr std::int64_t version_offset = 6, length_offset = 8;

template <class... T>
[[noreturn]] void fault(std::int64_t offset, fmt::format_string<T...> text, T&&... values) {
    throw Fault(offset, fmt::format(text, std::forward<T>(values)...));
}

unsigned byte_at(std::string_view bytes, std::int64_t offset) {
    return static_cast<unsigned char>(bytes[static_cast<std::size_t>(offset)]);
}

std::int64_t little_endian(std::string_view bytes, std::int64_t offset, int count) {
    std::int64_t value = 0;
    for (int i = count - 1; i >= 0; --i) value = value * 256 + byte_at(bytes, offset + i);
    return value;
}

void check_magic(std::string_view prefix) {
    const auto expected = magic.substr(0, prefix.size());
    const auto [theirs, ours] = std::mismatch(expected.begin(), expected.end(), prefix.begin());
    if (theirs == expected.end()) return;
    if (prefix.starts_with("PK")) fault(0, "this is a zip archive, as np.savez writes: unpack it to .npy files first");
    fault(theirs - expected.begin(), "this is not an .npy file: it begins with {}, not with \\x93NUMPY",
          quoted(prefix.substr(0, magic.size())));
}

/// 4 for versions 2 and 3, 2 for version 1.
int bytes_of_length(std::string_view prefix) {
    const unsigned major = byte_at(prefix, version_offset), minor = byte_at(prefix, version_offset + 1);
    if (major < 1 || major > 3 || minor != 0)
        fault(version_offset, "the format's version is {}.{}; 1.0, 2.0 and 3.0 are known", major, minor);
    return major == 1 ? 2 : 4;
}

/// The type of '<f4' and the like; refuses everything else with a reason.
Type type_named(const NpyDictionary& d) {
    const std::string_view descr = d.descr;
    if (descr == "<f4") return Type::f32;
    if (descr == "<f8") return Type::f64;
    if (descr == "<f2") return Type::f16;
    if (descr == "<c8") return Type::c64;
    if (descr == "<c16") return Type::c128;
    if (descr == "<V2" || descr == "|V2") return Type::bf16;  // ml_dtypes' bfloat16, and the same saved once more
    constexpr const char* known = "tw multiplies <f4, <f8, <f2, <V2 (bf16), <c8 and <c16";
    if (descr.starts_with('>')) fault(d.descr_offset, "its elements are big-endian ({}); {}", quoted(descr), known);
    if (descr.find('O') != std::string_view::npos)
        fault(d.descr_offset, "its elements are Python objects ({}), which only running them could read; {}",
              quoted(descr), known);
    fault(d.descr_offset, "its elements are of type {}; {}", quoted(descr), known);
}

void check_size(const NpyHeader& header, const NpyDictionary& d, std::int64_t file_bytes) {
    std::int64_t elements = 0, bytes = 0, end = 0;
    if (__builtin_mul_overflow(header.extent[0], header.extent[1], &elements) ||
        __builtin_mul_overflow(elements, static_cast<std::int64_t>(size_of(header.type)), &bytes) ||
        __builtin_add_overflow(header.data_offset, bytes, &end))
        fault(d.shape_offset, "a shape of {} x {} {} elements is beyond any file", header.extent[0], header.extent[1],
              name_of(header.type));
    if (file_bytes < end)
        fault(file_bytes, "the file ends here, but its header promises {} x {} {} elements, which end at byte {}",
              header.extent[0], header.extent[1], name_of(header.type), end);
    if (file_bytes > end)
        fault(end, "{} x {} {} elements end here, but {} more bytes follow", header.extent[0], header.extent[1],
              name_of(header.type), file_bytes - end);
}

const char* descr_of(Type type) {
    switch (type) {
        case Type::f64: return "<f8";
        case Type::f32: return "<f4";
        case Type::f16: return "<f2";
        case Type::bf16: break;
        case Type::c64: return "<c8";
        case Type::c128: return "<c16";
    }
    return "<V2";
}

}  // namespace

std::int64_t npy_header_end(std::string_view prefix, std::int64_t file_bytes) {
    check_magic(prefix);
    const auto have = static_cast<std::int64_t>(prefix.size());
    if (have < length_offset) fault(have, "the file ends within the first {} bytes of an .npy header", length_offset);
    const int count = bytes_of_length(prefix);
    if (have < length_offset + count) fault(have, "the file ends within the length of its header");
    const std::int64_t length = little_endian(prefix, length_offset, count), end = length_offset + count + length;
    if (length > npy_longest_header)
        fault(length_offset, "it claims a header of {} bytes; {} is the most that is read", length, npy_longest_header);
    if (end > file_bytes)
        fault(length_offset, "it claims a header of {} bytes, up to byte {}, but the file has {}", length, end,
              file_bytes);
    return end;
}

NpyHeader parse_npy_header(std::string_view bytes, std::int64_t file_bytes) {
    const std::int64_t start = length_offset + bytes_of_length(bytes);
    const NpyDictionary d = parse_npy_dictionary(bytes.substr(static_cast<std::size_t>(start)), start);
    NpyHeader header{.type = type_named(d),
                     .fortran_order = d.fortran_order,
                     .dimensions = d.dimensions,
                     .extent = {d.extent[0], d.extent[1]},
                     .data_offset = static_cast<std::int64_t>(bytes.size())};
    check_size(header, d, file_bytes);
    return header;
}

std::string npy_header_text(Type type, std::int64_t rows, std::int64_t cols) {
    constexpr std::size_t aligned_to = 64;
    const char* descr = descr_of(type);
    std::string text = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}, {}), }}", descr, rows, cols);
    const std::size_t before = length_offset + 2;
    text.append(aligned_to - (before + text.size() + 1) % aligned_to, ' ').append("\n");

    std::string header(magic);
    header.append("\x01\x00", 2);
    header.push_back(static_cast<char>(text.size() % 256));
    header.push_back(static_cast<char>(text.size() / 256));
    return header.append(text);
}

}  // namespace tw::cli
