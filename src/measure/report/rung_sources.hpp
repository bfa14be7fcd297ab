// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The source text of the rungs, compiled in by the build, so that the report can show the main loop of each.
#pragma once

#include <span>
#include <string>

namespace tw::measure {

struct RungSource {
    const char* backend;  ///< "cpu"
    const char* file;     ///< "r3_tiled.cpp"
    const char* text;
};

std::span<const RungSource> rung_sources();

/// The function with the most loops, whole, in a backend's file of this name ("r3_tiled"); "" when there is none. (Of a
/// rung whose loops are another's file, its row.)
std::string heart_of(const std::string& backend, const std::string& file);

}  // namespace tw::measure
