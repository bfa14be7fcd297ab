// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// A Status as a sentence: which argument, what is wrong with it, and what the arguments were.
#include <cstdio>

#include "scheme/scheme.hpp"
#include "tilewright/multiply.hpp"

namespace tw {
namespace {

const char* name_of(Argument argument) noexcept {
    switch (argument) {
        case Argument::a: return "A: ";
        case Argument::b: return "B: ";
        case Argument::c: return "C: ";
        case Argument::options: return "options: ";
        case Argument::scratch: return "scratch: ";
        case Argument::batch: return "batch: ";
        case Argument::none: break;
    }
    return "";
}

std::string describe(const char* name, const Matrix& m) {
    char text[200];
    std::snprintf(text, sizeof text, "%s is %lld x %lld %s with steps (%lld, %lld)%s", name,
                  static_cast<long long>(m.rows), static_cast<long long>(m.cols), tw::name_of(m.type),
                  static_cast<long long>(m.row_step), static_cast<long long>(m.col_step), m.data ? "" : ", null");
    return text;
}

std::string describe(const Options& options) {
    char accuracy[40];
    spell(options.accuracy, accuracy, sizeof accuracy);
    std::string text = std::string("accuracy ") + accuracy;
    if (options.slabs != 0) text += ", slabs " + std::to_string(options.slabs);
    if (!options.device.empty()) text += ", device '" + std::string(options.device) + "'";
    if (!options.kernel.empty()) text += ", kernel '" + std::string(options.kernel) + "'";
    return text;
}

}  // namespace

std::string explain(const Status& status, const Matrix& a, const Matrix& b, const Matrix& c, const Options& options) {
    if (status) return "ok";
    const std::string product =
        status.product < 0 ? "" : "product " + std::to_string(status.product) + " of the batch: ";
    std::string text = "multiply: " + product + name_of(status.argument) + status.text + "; " + describe("A", a) +
                       ", " + describe("B", b) + ", " + describe("C", c);
    if (status.argument == Argument::options) text += "; " + describe(options);
    return text;
}

}  // namespace tw
