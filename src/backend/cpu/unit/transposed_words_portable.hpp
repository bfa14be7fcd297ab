// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// A tile of 16 x 16 words of four bytes, rows and columns exchanged, in plain C++.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

namespace tw::cpu {
namespace {

inline void transpose_words(std::byte* tile) {
    std::uint32_t words[16][16];
    std::memcpy(words, tile, sizeof words);
    for (int i = 0; i < 16; ++i)
        for (int j = 0; j < i; ++j) std::swap(words[i][j], words[j][i]);
    std::memcpy(tile, words, sizeof words);
}

}  // namespace
}  // namespace tw::cpu
