// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Layers of networks that people run: y = x W^T with K inputs and N outputs.
#pragma once

#include <cstdint>
#include <span>

namespace tw::measure {

struct Layer {
    const char* of;
    std::int64_t k, n;
};

inline constexpr Layer llama3_8b[] = {
    {"8B q/k/v", 4096, 6144}, {"8B o", 4096, 4096},      {"8B gate/up", 4096, 14336},
    {"8B down", 14336, 4096}, {"8B head", 4096, 128256},
};
inline constexpr Layer llama3_70b[] = {
    {"70B q/k/v", 8192, 10240}, {"70B o", 8192, 8192},      {"70B gate/up", 8192, 28672},
    {"70B down", 28672, 8192},  {"70B head", 8192, 128256},
};

/// Layers of other networks: Llama-2, Qwen, Gemma, GPT-2, BERT, ViT, and convolutions as products.
inline constexpr Layer others[] = {
    {"Llama-2 up", 4096, 11008}, {"Llama-2 down", 11008, 4096}, {"Qwen o", 5120, 5120},   {"Qwen up", 5120, 13824},
    {"Qwen down", 13824, 5120},  {"Gemma up", 3584, 14336},     {"GPT-2 qkv", 768, 2304}, {"GPT-2 up", 768, 3072},
    {"GPT-2 head", 768, 50257},  {"BERT o", 1024, 1024},        {"ViT up", 1024, 4096},   {"ViT down", 4096, 1024},
    {"ResNet 3x3", 1152, 128},   {"ResNet 1x1", 256, 1024},
};

}  // namespace tw::measure
