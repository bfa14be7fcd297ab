// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// .npy files as NumPy writes them, spelled out byte by byte: nothing here comes from the code under test.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace tw::test {

/// Magic, version, length and text; the text is taken as it is.
inline std::string npy_header(int version, const std::string& text) {
    std::string bytes = "\x93NUMPY";
    bytes.push_back(static_cast<char>(version));
    bytes.push_back('\0');
    for (int i = 0; i < (version == 1 ? 2 : 4); ++i) bytes.push_back(static_cast<char>(text.size() >> (8 * i)));
    return bytes + text;
}

/// Padded with spaces and closed by a line feed, so that the elements begin at a multiple of 64.
inline std::string npy_padded(int version, std::string dictionary) {
    const std::size_t before = version == 1 ? 10 : 12;
    while ((before + dictionary.size() + 1) % 64 != 0) dictionary.push_back(' ');
    return npy_header(version, dictionary.append("\n"));
}

inline std::string npy_dictionary(const std::string& descr, bool fortran_order, const std::string& shape) {
    return "{'descr': '" + descr + "', 'fortran_order': " + (fortran_order ? "True" : "False") + ", 'shape': " + shape +
           ", }";
}

template <class T>
std::string bytes_of(const std::vector<T>& values) {
    std::string bytes(values.size() * sizeof(T), '\0');
    if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
    return bytes;
}

/// A whole file, version 1, C order.
template <class T>
std::string npy_file(const std::string& descr, const std::string& shape, const std::vector<T>& values) {
    return npy_padded(1, npy_dictionary(descr, false, shape)) + bytes_of(values);
}

/// The elements of a file whose header fills 128 bytes.
template <class T>
std::vector<T> elements_of(const std::string& file) {
    std::vector<T> values(file.size() < 128 ? 0 : (file.size() - 128) / sizeof(T));
    if (!values.empty()) std::memcpy(values.data(), file.data() + 128, values.size() * sizeof(T));
    return values;
}

}  // namespace tw::test
