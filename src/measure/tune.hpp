// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Tuning: for each problem, every kernel that keeps the promise and the bits, with each of its tiles and numbers of threads.
#pragma once

#include <functional>
#include <vector>

#include "measure/rounds.hpp"
#include "measure/shapes.hpp"
#include "plan/store.hpp"

namespace tw::measure {

struct Tuning {
    const Backend* backend = nullptr;
    Task task{};
    std::vector<Shape> shapes{};
    double seconds = 60;  ///< for all shapes together
};

struct TunedShape {
    Shape shape;
    std::string by_rules{}, best{};  ///< the kernel that the rules take, and the winner with its tile and threads
    double rules_gflops = 0, best_gflops = 0;
    bool is_better = false;          ///< beyond noise: worth a record
    Tuned record{};
    double gain() const { return rules_gflops > 0 ? best_gflops / rules_gflops : 1; }
};

std::vector<TunedShape> tune(const Tuning& asked, const Watch& watch, const std::function<void(const TunedShape&)>& done);

}  // namespace tw::measure
