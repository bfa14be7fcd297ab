// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Any bytes as a .safetensors file: refused with a Fault inside the file, or tensors that cover its data exactly once.
#include <algorithm>

#include "cli/files/safetensors_header.hpp"
#include "target.hpp"

namespace {

using namespace tw::cli;

void check_cover(std::string_view file) {
    const auto size = static_cast<std::int64_t>(file.size());
    const std::int64_t data_at = safetensors_header_end(file.substr(0, safetensors_prefix_bytes), size);
    must_hold(data_at > 8 && data_at <= size && data_at <= 8 + safetensors_longest_header);
    std::int64_t covered = data_at;
    for (const SafeTensor& tensor : parse_safetensors_header(file.substr(0, static_cast<std::size_t>(data_at)), size)) {
        must_hold(tensor.begin == covered && tensor.end >= tensor.begin);
        covered = tensor.end;
        if (!tensor.type()) continue;
        std::int64_t elements = 1;
        for (const std::int64_t extent : tensor.shape) {
            must_hold(extent >= 0);
            elements *= extent;
        }
        must_hold(tensor.end - tensor.begin == elements * static_cast<std::int64_t>(size_of(*tensor.type())));
    }
    must_hold(covered == size);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view file = as_text(data, size);
    try {
        check_cover(file);
    } catch (const Fault& fault) {
        must_hold(fault.offset() >= 0 && fault.offset() <= static_cast<std::int64_t>(size));
        const std::string_view sentence = fault.what();
        must_hold(std::all_of(sentence.begin(), sentence.end(), [](char c) { return c >= ' ' && c < 0x7f; }));
    }
    return 0;
}
