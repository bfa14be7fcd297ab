// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// .safetensors files spelled out byte by byte: nothing here comes from the code under test.
#pragma once

#include <cstdint>
#include <string>

namespace tw::test {

/// The length, the text as it is, and so many bytes of data.
inline std::string safetensors_file(const std::string& json, const std::string& data) {
    std::string bytes;
    for (int i = 0; i < 8; ++i) bytes.push_back(static_cast<char>(static_cast<std::uint64_t>(json.size()) >> (8 * i)));
    return bytes + json + data;
}

inline std::string safetensors_entry(const std::string& name, const std::string& dtype, const std::string& shape,
                                     const std::string& offsets) {
    return "\"" + name + "\":{\"dtype\":\"" + dtype + "\",\"shape\":" + shape + ",\"data_offsets\":" + offsets + "}";
}

}  // namespace tw::test
