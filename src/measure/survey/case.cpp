// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "measure/survey/case.hpp"

#include <fmt/format.h>

namespace tw::measure {
namespace {

OperandInMemory laid(std::int64_t rows, std::int64_t cols, LineLayout lay, std::int64_t products) {
    OperandInMemory made{.rows = rows, .cols = cols, .lay = lay};
    if (made.lay.pitch == 0) made.lay.pitch = made.width();
    if (made.lay.step == 0) made.lay.step = made.lines() * made.lay.pitch;
    made.elements =
        made.lay.offset + (products - 1) * made.lay.step + (made.lines() - 1) * made.lay.pitch + made.width();
    return made;
}

}  // namespace

double Case::operations() const {
    return (is_complex(kind->type) ? 8.0 : 2.0) * static_cast<double>(m) * static_cast<double>(n) *
           static_cast<double>(k) * static_cast<double>(products);
}

std::string Case::text() const {
    std::string text = fmt::format("{}x{}x{} {}{}", m, n, k, a.by_columns ? 'T' : 'N', b.by_columns ? 'T' : 'N');
    if (is_batch()) text += fmt::format(" x{}{}", products, by_pointers ? " pointers" : "");
    if (c.by_columns) text += " C^T";
    if (beta != 0) text += fmt::format(" beta {}", beta);
    const CaseInMemory all = lay_out(*this);
    const auto beyond = [](const OperandInMemory& one) { return one.lay.pitch - one.width(); };
    if (beyond(all.a) || beyond(all.b) || beyond(all.c))
        text += fmt::format(" pitch +{} +{} +{}", beyond(all.a), beyond(all.b), beyond(all.c));
    if (a.offset || b.offset || c.offset) text += fmt::format(" at {} {} {}", a.offset, b.offset, c.offset);
    return text;
}

double CaseInMemory::bytes() const {
    return static_cast<double>(a.elements + b.elements + c.elements) * static_cast<double>(size_of(type));
}

CaseInMemory lay_out(const Case& what) {
    return {.a = laid(what.m, what.k, what.a, what.products),
            .b = laid(what.k, what.n, what.b, what.products),
            .c = laid(what.m, what.n, what.c, what.products),
            .type = what.kind->type};
}

}  // namespace tw::measure
