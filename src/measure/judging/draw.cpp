// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include <cmath>
#include <cstdio>
#include <limits>

#include "measure/judging/case.hpp"
#include "reference/random.hpp"

namespace tw::judging {
namespace {

using reference::Random;

bool one_in(Random& random, int count) { return random.whole(1, count) == 1; }

template <class T, std::size_t count>
const T& one_of(Random& random, const T (&choices)[count]) {
    return choices[random.whole(0, static_cast<std::int64_t>(count) - 1)];
}

/// Mostly small, where edges of tiles are many; sometimes several tiles, and rarely long and thin.
void draw_shape(Random& random, Case& one) {
    const std::int64_t most = one_in(random, 12) ? 300 : one_in(random, 3) ? 90 : 24;
    for (std::int64_t* extent : {&one.m, &one.n, &one.k}) *extent = random.whole(one_in(random, 40) ? 0 : 1, most);
    if (!one_in(random, 25)) return;
    std::int64_t* const extents[] = {&one.m, &one.n, &one.k};
    std::int64_t* const is_long = one_of(random, extents);
    for (std::int64_t* extent : extents) *extent = extent == is_long ? random.whole(1000, 30000) : random.whole(1, 5);
}

Placement draw_placement(Random& random, bool is_c) {
    Placement placement;
    placement.columns = one_in(random, 2);
    if (one_in(random, 3)) placement.padding = random.whole(1, 20);
    if (one_in(random, 5)) placement.gap = random.whole(2, 4);
    if (one_in(random, 4)) placement.skew = random.whole(1, 40);
    placement.upside_down = one_in(random, 8), placement.right_to_left = one_in(random, 8);
    if (!is_c) placement.one_row = one_in(random, 16), placement.one_column = one_in(random, 16);
    placement.at_start = one_in(random, 2);
    return placement;
}

double draw_scalar(Random& random, double usual) {
    constexpr double odd[] = {0,
                              1,
                              -1,
                              -0.0,
                              2,
                              0.3,
                              1e-42,
                              1e30,
                              -7.5,
                              std::numeric_limits<double>::quiet_NaN(),
                              std::numeric_limits<double>::infinity()};
    return one_in(random, 2) ? usual : one_of(random, odd);
}

void draw_epilogue(Random& random, Case& one) {
    constexpr double scales[] = {0.5, -2, 0.1};
    constexpr Activation activations[] = {Activation::relu, Activation::gelu, Activation::silu};
    const bool is_real = !is_complex(one.in);  // a complex product has no bias and no activation
    one.bias = is_real && one_in(random, 2), one.residual = one_in(random, 3);
    if (one_in(random, 3)) one.scale = one_of(random, scales);
    // Where a partial sum may overflow an activation makes any number of an infinity, and nothing could be judged.
    const bool may_overflow = one.fill == reference::Fill::overflowing || one.fill == reference::Fill::huge ||
                              one.specials > 0 || !(std::fabs(one.alpha) <= 8) || !(std::fabs(one.beta) <= 8);
    if (is_real && !may_overflow && one_in(random, 2)) one.activation = one_of(random, activations);
}

/// What complex products have, and what they have not.
void make_complex(Random& random, Case& one) {
    constexpr double parts[] = {1, -1, 0.3, -2.5};
    one.conj_a = one_in(random, 3), one.conj_b = one_in(random, 3);
    if (one_in(random, 4)) one.alpha_imag = one_of(random, parts);
    if (one_in(random, 4)) one.beta_imag = one_of(random, parts);
    if (one.door == Door::packed_a || one.door == Door::packed_b) one.door = Door::call;
    one.verify = false;
}

}  // namespace

Case draw(std::uint64_t seed, std::int64_t largest) {
    constexpr Type types[] = {Type::f32, Type::f32, Type::f64, Type::f16, Type::bf16, Type::c64, Type::c128};
    constexpr const char* accuracies[] = {"fp64", "fp32", "fp32_elementwise", "tf32", "bf16", "fp16", "1e-3", "1e-6"};
    constexpr int threads[] = {-3, 0, 1, 2, 3, 4, 7};
    constexpr Door doors[] = {Door::call, Door::call, Door::plan, Door::packed_a, Door::packed_b, Door::batch};
    Random random(seed);
    Case one;
    one.seed = seed;
    one.door = one_of(random, doors);
    draw_shape(random, one);
    for (std::int64_t* extent : {&one.m, &one.n, &one.k})
        if (largest > 0 && *extent > largest) *extent = 1 + (*extent - 1) % largest;
    one.in = one.out = one_of(random, types);
    if ((one.in == Type::f16 || one.in == Type::bf16) && one_in(random, 2)) one.out = Type::f32;
    if (one.door == Door::batch) {
        one.products = random.whole(1, 5);
        one.shares_a = one_in(random, 3), one.shares_b = one_in(random, 3);
    }
    one.a = draw_placement(random, false), one.b = draw_placement(random, false), one.c = draw_placement(random, true);
    one.fill = one_of(random, reference::every_fill);
    if (one_in(random, 6)) one.specials = static_cast<int>(random.whole(1, 4));
    one.alpha = draw_scalar(random, 1), one.beta = draw_scalar(random, 0);
    if (std::isinf(one.alpha)) one.alpha = 1;  // of a sum near 0 it makes an infinity of either sign, or a NaN
    if (one_in(random, 2)) one.accuracy = one_of(random, accuracies);
    if (one_in(random, 4)) draw_epilogue(random, one);
    one.threads = one_of(random, threads);
    if (one_in(random, 4)) one.runner = one_in(random, 2) ? Runner::executor : Runner::odd_executor;
    one.odd_mode = one_in(random, 8);
    one.reproducible = one_in(random, 6);
    const bool is_packed = one.door == Door::packed_a || one.door == Door::packed_b;
    one.verify = !is_packed && one_in(random, 10);
    if (one_in(random, 6)) one.scratch = random.whole(0, 70);
    if (is_complex(one.in)) make_complex(random, one);
    else if (one_in(random, 8)) one.slabs = 1 << random.whole(0, 5);
    return one;
}

const char* name_of(Door door) noexcept {
    constexpr const char* names[] = {"call", "plan", "packed A", "packed B", "batch"};
    return names[static_cast<int>(door)];
}

namespace {

std::string spelled(const char* name, const Placement& placement) {
    if (placement == Placement{}) return "";
    std::string words = std::string(", ") + name + (placement.columns ? " by columns" : " by rows");
    if (placement.gap != 1) words += " step " + std::to_string(placement.gap);
    if (placement.padding) words += " +" + std::to_string(placement.padding);
    if (placement.skew) words += " skew " + std::to_string(placement.skew);
    if (placement.upside_down) words += " upside down";
    if (placement.right_to_left) words += " right to left";
    if (placement.one_row) words += " one row";
    if (placement.one_column) words += " one column";
    return words + (placement.at_start ? " behind a page" : "");
}

std::string spelled(double number, double imaginary = 0) {
    char text[64];
    std::snprintf(text, sizeof text, imaginary != 0 ? "%g%+gi" : "%g", number, imaginary);
    return text;
}

std::string spelled_options(const Case& one) {
    constexpr const char* activations[] = {"", ", relu", ", gelu", ", silu"};
    std::string words;
    if (one.alpha != 1 || one.alpha_imag != 0) words += ", alpha " + spelled(one.alpha, one.alpha_imag);
    if (one.beta != 0 || one.beta_imag != 0) words += ", beta " + spelled(one.beta, one.beta_imag);
    if (!one.accuracy.empty()) words += ", accuracy " + one.accuracy;
    if (one.scale != 1) words += ", scale " + spelled(one.scale);
    if (one.bias) words += ", bias";
    words += activations[static_cast<int>(one.activation)];
    if (one.residual) words += ", residual";
    if (one.slabs) words += ", slabs " + std::to_string(one.slabs);
    words += ", threads " + std::to_string(one.threads);
    if (one.runner == Runner::executor) words += ", an executor";
    if (one.runner == Runner::odd_executor) words += ", an executor in another mode";
    if (one.odd_mode) words += ", called in another mode";
    if (one.reproducible) words += ", reproducible";
    if (one.verify) words += one.verify_level() == Verify::correct ? ", correct" : ", verify";
    if (one.scratch >= 0) words += ", scratch at offset " + std::to_string(one.scratch);
    return words;
}

}  // namespace

std::string spelled(const Case& one) {
    std::string words = std::string(name_of(one.door)) + " " + tw::name_of(one.in);
    if (one.out != one.in) words += std::string(" into ") + tw::name_of(one.out);
    words += " " + std::to_string(one.m) + "x" + std::to_string(one.n) + "x" + std::to_string(one.k);
    if (one.door == Door::batch) words += " times " + std::to_string(one.products);
    if (one.shares_a) words += ", one A";
    if (one.shares_b) words += ", one B";
    if (one.conj_a) words += ", A conjugate";
    if (one.conj_b) words += ", B conjugate";
    words += std::string(", ") + reference::name_of(one.fill);
    if (one.specials) words += " and " + std::to_string(one.specials) + " special values";
    return words + spelled("A", one.a) + spelled("B", one.b) + spelled("C", one.c) + spelled_options(one);
}

}  // namespace tw::judging
