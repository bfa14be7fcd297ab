// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Every row of every backend of this build, one a line, fields apart by tabs: what tools/write_ladder_page makes a page
// of. A backend without rows still has its line, with nothing after its name.
#include <algorithm>
#include <cstdio>
#include <string>

#include "plan/names.hpp"
#include "plan/registry.hpp"

namespace {

std::string names_of(const tw::Backend& backend, tw::Features bits) {
    std::string text;
    for (const tw::FeatureName& feature : backend.feature_names)
        if (bits & feature.bit) text += (text.empty() ? "" : ", ") + std::string(feature.name);
    return text;
}

std::string spell(const tw::Tile& tile) {
    if (tile == tw::Tile{}) return "its own choice";
    return std::to_string(tile.m) + "x" + std::to_string(tile.n) + "x" + std::to_string(tile.k);
}

void print(const tw::Backend& backend, const tw::Kernel& kernel) {
    const std::string in = tw::name_of(kernel.in), out = tw::name_of(kernel.out), sum = tw::name_of(kernel.sum);
    std::string tiles;
    constexpr std::size_t most = 8;
    for (const tw::Tile& tile : kernel.tiles.first(std::min(most, kernel.tiles.size())))
        tiles += (tiles.empty() ? "" : ", ") + spell(tile);
    if (kernel.tiles.size() > most) tiles += " and " + std::to_string(kernel.tiles.size() - most) + " more";
    std::printf("%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", backend.name, tw::stem_of(kernel),
                tw::seed_names_of(kernel), kernel.name, (in == out ? in : in + " to " + out).c_str(), sum.c_str(),
                kernel.scheme->name, names_of(backend, kernel.needs).c_str(), tiles.c_str(), kernel.idea);
}

}  // namespace

int main() {
    for (const tw::BackendSource& source : tw::backends()) {
        const tw::Backend& backend = source();
        std::printf("%s\n", source.name);
        for (const tw::Kernel* kernel : backend.ladder) print(backend, *kernel);
    }
}
