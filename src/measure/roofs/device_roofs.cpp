// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "measure/roofs/device_roofs.hpp"

#include <fmt/format.h>

namespace tw::measure {
namespace {

const Roof* find(const Backend& backend, bool is_matrix_unit, std::string_view type) {
    for (const Roof& roof : backend.roofs)
        if ((roof.needs != 0) == is_matrix_unit && type == roof.type) return &roof;
    return nullptr;
}

/// What the matrix unit multiplies for this kernel.
std::string_view narrow_type(const Kernel& kernel) {
    const bool is_split = kernel.scheme->parts > 1 || kernel.scheme->split_loss > 0;
    const Type type = is_split ? kernel.scheme->narrow : kernel.in;
    return type == Type::f32 ? "tf32" : name_of(type);
}

}  // namespace

const Roof* roof_of(const Backend& backend, const Kernel& kernel) {
    const bool may_use_unit = kernel.rung >= Rung::matrix_unit;
    const Roof* const unit = may_use_unit ? find(backend, true, narrow_type(kernel)) : nullptr;
    return unit ? unit : fma_roof(backend, name_of(part_of(kernel.sum)));
}

const Roof* fma_roof(const Backend& backend, std::string_view type) { return find(backend, false, type); }
const Roof* memory_roof(const Backend& backend) { return find(backend, false, "bytes"); }

double formula_of(const Roof& roof) { return roof.theoretical ? roof.theoretical() : 0; }
double loop_of(const Roof& roof, double seconds) { return roof.measure ? roof.measure(seconds) : 0; }

double rate_of(const Roof& roof, double seconds) {
    const double measured = loop_of(roof, seconds);
    return measured > 0 ? measured : formula_of(roof);
}

std::string name_of(const Roof& roof) {
    return std::string(roof.unit) + " " + roof.type + (roof.measure ? "" : std::string(by_formula));
}

std::string in_a_table(double rate) { return rate > 0 ? fmt::format("{:.1f}", rate) : "-"; }

}  // namespace tw::measure
