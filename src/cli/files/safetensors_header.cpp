// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "cli/files/safetensors_header.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cli/files/quoted.hpp"
#include "cli/files/safetensors_entries.hpp"

namespace tw::cli {
namespace {

constexpr std::int64_t length_bytes = 8;

/// The types of the format; tw multiplies those with a Type.
struct Dtype {
    std::string_view name;
    std::int64_t bits;
    std::optional<Type> type = std::nullopt;
};
constexpr Dtype dtypes[] = {
    {"F32", 32, Type::f32},
    {"F16", 16, Type::f16},
    {"BF16", 16, Type::bf16},
    {"F64", 64, Type::f64},
    {"I64", 64},
    {"I32", 32},
    {"I16", 16},
    {"I8", 8},
    {"U64", 64},
    {"U32", 32},
    {"U16", 16},
    {"U8", 8},
    {"BOOL", 8},
    {"C64", 64, Type::c64},
    {"F8_E4M3", 8},
    {"F8_E5M2", 8},
    {"F8_E8M0", 8},
    {"F6_E2M3", 6},
    {"F6_E3M2", 6},
    {"F4", 4},
};

const Dtype* dtype_named(std::string_view name) {
    const auto has_the_name = [name](const Dtype& dtype) { return dtype.name == name; };
    const auto* found = std::find_if(std::begin(dtypes), std::end(dtypes), has_the_name);
    return found == std::end(dtypes) ? nullptr : found;
}

template <class... T>
[[noreturn]] void fault(std::int64_t offset, fmt::format_string<T...> text, T&&... values) {
    throw Fault(offset, fmt::format(text, std::forward<T>(values)...));
}

/// The bytes that so many elements take.
std::int64_t bytes_of(const SafetensorsEntry& entry) {
    const Dtype* dtype = dtype_named(entry.dtype);
    if (!dtype)
        fault(entry.dtype_at, "the type {} of {} is not one of the format's", quoted(entry.dtype), quoted(entry.name));
    std::int64_t bits = dtype->bits;
    for (const std::int64_t extent : entry.shape)
        if (__builtin_mul_overflow(bits, extent, &bits))
            fault(entry.shape_at, "the shape of {} is beyond any file", quoted(entry.name));
    if (bits % 8 != 0) fault(entry.shape_at, "the elements of {} end within a byte", quoted(entry.name));
    return bits / 8;
}

void check_entry(const SafetensorsEntry& entry, std::int64_t data_bytes, std::int64_t file_bytes) {
    const std::int64_t bytes = bytes_of(entry);
    if (entry.data_offsets.size() != 2)
        fault(entry.offsets_at, "data_offsets of {} are {} numbers; expected where it begins and where it ends",
              quoted(entry.name), entry.data_offsets.size());
    const std::int64_t begin = entry.data_offsets[0], end = entry.data_offsets[1];
    if (begin > end)
        fault(entry.offsets_at, "{} ends at byte {} of the data, before it begins at {}", quoted(entry.name), end,
              begin);
    if (end - begin != bytes)
        fault(entry.offsets_at, "{} has {} bytes between its data_offsets, but its shape and type make {}",
              quoted(entry.name), end - begin, bytes);
    if (end > data_bytes)
        fault(file_bytes, "the file ends here, at byte {} of the data, but {} ends at {}", data_bytes,
              quoted(entry.name), end);
}

/// Sorted by position, each tensor must begin where the one before it ends.
void check_cover(const std::vector<SafetensorsEntry>& entries, std::int64_t data_bytes, std::int64_t data_at) {
    std::int64_t covered = 0;
    const SafetensorsEntry* before = nullptr;
    for (const SafetensorsEntry& entry : entries) {
        if (entry.data_offsets[0] < covered)
            fault(entry.offsets_at, "{} begins at byte {} of the data, within {}, which ends at {}", quoted(entry.name),
                  entry.data_offsets[0], quoted(before->name), covered);
        if (entry.data_offsets[0] > covered)
            fault(entry.offsets_at, "{} bytes of the data before {} belong to no tensor",
                  entry.data_offsets[0] - covered, quoted(entry.name));
        covered = entry.data_offsets[1];
        before = &entry;
    }
    if (covered < data_bytes)
        fault(data_at + covered, "the last tensor ends here, but {} more bytes follow", data_bytes - covered);
}

}  // namespace

std::optional<Type> SafeTensor::type() const noexcept {
    const Dtype* known = dtype_named(dtype);
    return known ? known->type : std::nullopt;
}

std::int64_t safetensors_header_end(std::string_view prefix, std::int64_t file_bytes) {
    const auto have = static_cast<std::int64_t>(prefix.size());
    if (have < length_bytes) fault(have, "the file ends within the {} bytes of its header's length", length_bytes);
    std::uint64_t length = 0;
    for (std::size_t i = length_bytes; i-- > 0;) length = length << 8 | static_cast<unsigned char>(prefix[i]);
    if (length > static_cast<std::uint64_t>(safetensors_longest_header))
        fault(0, "it claims a header of {} bytes; {} is the most that is read", length, safetensors_longest_header);
    const std::int64_t end = length_bytes + static_cast<std::int64_t>(length);
    if (end > file_bytes)
        fault(0, "it claims a header of {} bytes, up to byte {}, but the file has {}", length, end, file_bytes);
    if (length == 0) fault(0, "it claims a header of no bytes");
    if (prefix[length_bytes] != '{')
        fault(length_bytes, "this is not a .safetensors file: its header begins with {}, not with '{{'",
              quoted(prefix.substr(length_bytes, 1)));
    return end;
}

std::vector<SafeTensor> parse_safetensors_header(std::string_view bytes, std::int64_t file_bytes) {
    const auto data_at = static_cast<std::int64_t>(bytes.size());
    std::vector<SafetensorsEntry> entries = parse_safetensors_entries(bytes.substr(length_bytes), length_bytes);
    for (const SafetensorsEntry& entry : entries) check_entry(entry, file_bytes - data_at, file_bytes);
    std::sort(entries.begin(), entries.end(),
              [](const SafetensorsEntry& a, const SafetensorsEntry& b) { return a.data_offsets < b.data_offsets; });
    check_cover(entries, file_bytes - data_at, data_at);

    std::vector<SafeTensor> tensors;
    tensors.reserve(entries.size());
    for (SafetensorsEntry& entry : entries)
        tensors.push_back({std::move(entry.name), std::move(entry.dtype), std::move(entry.shape),
                           data_at + entry.data_offsets[0], data_at + entry.data_offsets[1]});
    return tensors;
}

}  // namespace tw::cli
