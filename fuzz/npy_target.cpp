// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Any bytes as an .npy file: refused with a Fault inside the file, or a header that agrees with the file's size.
#include <algorithm>

#include "cli/files/npy_header.hpp"
#include "target.hpp"

namespace {

using namespace tw::cli;

NpyHeader parse(std::string_view file) {
    const auto size = static_cast<std::int64_t>(file.size());
    const std::int64_t end = npy_header_end(file.substr(0, npy_prefix_bytes), size);
    must_hold(end <= size && end <= npy_prefix_bytes + npy_longest_header);
    return parse_npy_header(file.substr(0, static_cast<std::size_t>(end)), size);
}

/// What is written for the same elements must be read as the same matrix.
void check_round_trip(const NpyHeader& header) {
    const std::string text = npy_header_text(header.type, header.extent[0], header.extent[1]);
    must_hold(text.size() % 64 == 0);
    const auto size = static_cast<std::int64_t>(text.size()) + header.data_bytes();
    const NpyHeader again = parse_npy_header(text, size);
    must_hold(again.type == header.type && again.extent[0] == header.extent[0] && again.extent[1] == header.extent[1]);
    must_hold(!again.fortran_order && again.dimensions == 2 && again.data_offset + again.data_bytes() == size);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view file = as_text(data, size);
    try {
        const NpyHeader header = parse(file);
        must_hold(header.dimensions >= 0 && header.dimensions <= 2);
        must_hold(header.extent[0] >= 0 && header.extent[1] >= 0);
        must_hold(header.data_offset + header.data_bytes() == static_cast<std::int64_t>(size));
        check_round_trip(header);
    } catch (const Fault& fault) {
        must_hold(fault.offset() >= 0 && fault.offset() <= static_cast<std::int64_t>(size));
        const std::string_view sentence = fault.what();
        must_hold(std::all_of(sentence.begin(), sentence.end(), [](char c) { return c >= ' ' && c < 0x7f; }));
    }
    return 0;
}
