// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// A BLAS call has no place for options: they come from the environment, read once.
//   TW_ACCURACY   a name of the dial, or a number; a text that is neither is told once and ignored
//   TW_DEVICE     cpu, cuda, cuda:1: where every product runs; auto: large ones on the GPU (see crossover.hpp)
//   TW_PANEL      how deep a panel of k PBLAS cuts (see panel.cpp)
//   TW_REPRODUCIBLE   1: a row's bits depend on that row of A, on B and on k alone; 0: as without it
//   TW_LOG        1: the library's line for each call; counts: at exit, how many calls came by which name
#pragma once

#include "tilewright/options.hpp"

namespace tw::blas {

struct Settings {
    Accuracy accuracy{};
    std::string_view device = "cpu";
    bool device_by_size = false;  ///< TW_DEVICE=auto
    bool counts = false;
    bool reproducible = false;
    int panel = 256;
};

const Settings& settings() noexcept;

/// A variable's text, or null: unset, empty, or in a program that runs with another user's rights.
const char* variable(const char* name) noexcept;

}  // namespace tw::blas
