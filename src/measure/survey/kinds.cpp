// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "measure/survey/kinds.hpp"

namespace tw::measure {
namespace {

constexpr Kind kinds[] = {
    {"bf16", Type::bf16, fp32, 30, true, 1e13},
    {"f16", Type::f16, fp32, 15, true, 1e13},
    {"f32", Type::f32, fp32, 30, true, 2.5e12},
    {"tf32", Type::f32, tf32, 13, true, 5e12},
    {"fp32_elementwise", Type::f32, fp32_elementwise, 12, true, 2.5e12},
    {"f64", Type::f64, fp64, 10, false, 5e11},
    {"c64", Type::c64, fp32, 10, false, 2e12},
    {"c128", Type::c128, fp64, 10, false, 2e12},
};

}  // namespace

std::span<const Kind> every_kind() noexcept { return kinds; }

const Kind* find_kind(std::string_view name) noexcept {
    for (const Kind& kind : kinds)
        if (name == kind.name) return &kind;
    return nullptr;
}

}  // namespace tw::measure
