// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "measure/peers/core_type.hpp"

#include <algorithm>
#include <cctype>

#include "base/cpu_features.hpp"

namespace tw::measure {
namespace {

std::string lower(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}

}  // namespace

int vector_bits(const std::string& core_type) {
    const std::string name = lower(core_type);
    for (const char* wide : {"skylakex", "cooperlake", "sapphirerapids", "skx", "knl", "zen4", "zen5"})
        if (name == wide) return 512;
    for (const char* middle : {"haswell", "zen", "zen2", "zen3", "excavator", "steamroller", "piledriver"})
        if (name == middle) return 256;
    for (const char* narrow :
         {"prescott", "core2", "penryn", "dunnington", "nehalem", "athlon", "opteron", "barcelona", "bobcat", "atom",
          "sandybridge", "bulldozer", "generic", "katmai", "northwood", "banias"})
        if (name == narrow) return 128;
    return 0;
}

std::string better_core_type(const std::string& peer, const std::string& detected, std::uint64_t features) {
    const int wanted = features & cpu_feature::avx512 ? 512 : features & cpu_feature::avx2 ? 256 : 128;
    const int has = vector_bits(detected);
    if (has == 0 || has >= wanted) return "";
    if (peer == "openblas") return wanted == 512 ? "SkylakeX" : "Haswell";
    if (peer == "blis") return wanted == 512 ? "skx" : "haswell";
    return "";
}

}  // namespace tw::measure
