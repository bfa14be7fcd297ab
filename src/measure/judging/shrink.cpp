// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "measure/judging/shrink.hpp"

#include <vector>

namespace tw::judging {
namespace {

/// Cases that are plainer by one step, the largest steps first.
std::vector<Case> plainer(const Case& one) {
    std::vector<Case> all;
    const auto add = [&](auto change) {
        Case next = one;
        change(next);
        if (spelled(next) != spelled(one)) all.push_back(next);  // a NaN is not even itself
    };
    const Case plain;
    add([&](Case& c) { c.door = Door::call, c.products = 1, c.shares_a = c.shares_b = false; });
    add([](Case& c) { c.products = c.products / 2 + c.products % 2; });
    for (std::int64_t Case::* extent : {&Case::m, &Case::n, &Case::k}) {
        add([&](Case& c) { c.*extent = 1; });
        add([&](Case& c) { c.*extent = (c.*extent + 1) / 2; });
        add([&](Case& c) { c.*extent -= c.*extent > 1; });
    }
    for (Placement Case::* placement : {&Case::a, &Case::b, &Case::c}) {
        add([&](Case& c) { c.*placement = {}; });
        for (bool Placement::* flag : {&Placement::columns, &Placement::upside_down, &Placement::right_to_left,
                                       &Placement::one_row, &Placement::one_column, &Placement::at_start})
            add([&](Case& c) { (c.*placement).*flag = false; });
        add([&](Case& c) { (c.*placement).gap = 1; });
        add([&](Case& c) { (c.*placement).padding /= 2; });
        add([&](Case& c) { (c.*placement).skew /= 2; });
    }
    add([](Case& c) { c.specials = 0; });
    add([&](Case& c) { c.fill = plain.fill; });
    add([](Case& c) { c.alpha = 1; });
    add([](Case& c) { c.beta = 0; });
    add([](Case& c) { c.alpha_imag = 0; });
    add([](Case& c) { c.beta_imag = 0; });
    add([](Case& c) { c.slabs = 0; });
    add([](Case& c) { c.accuracy.clear(); });
    add([](Case& c) { c.scale = 1; });
    add([](Case& c) { c.activation = Activation::none; });
    for (bool Case::* flag : {&Case::bias, &Case::residual, &Case::odd_mode, &Case::reproducible, &Case::verify,
                              &Case::shares_a, &Case::shares_b, &Case::conj_a, &Case::conj_b})
        add([&](Case& c) { c.*flag = false; });
    add([](Case& c) { c.runner = Runner::pool; });
    add([](Case& c) { c.threads = 1; });
    add([](Case& c) { c.scratch = -1; });
    add([](Case& c) { c.in = c.out = Type::f32, c.alpha_imag = c.beta_imag = 0; });
    return all;
}

}  // namespace

Case shrink(Case one, const std::function<bool(const Case&)>& fails, int most) {
    for (bool found = true; found;) {
        found = false;
        for (const Case& next : plainer(one)) {
            if (most-- <= 0) return one;
            if (!fails(next)) continue;
            one = next, found = true;
            break;
        }
    }
    return one;
}

}  // namespace tw::judging
