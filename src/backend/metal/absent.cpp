// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "backend/metal/backend.hpp"

namespace tw::metal {
namespace {

constexpr Status no_backend{Code::no_device, Argument::options, "this build has no Metal backend"};

constexpr Backend row{
    .name = "metal",
    .place = Place::metal,
    .ladder = {},
    .feature_names = {},
    .features = [] { return Features{0}; },
    .devices = [] { return 0; },
    .absence =
        [] {
            return "this build has no Metal backend: it is built on macOS; the device metal-check executes its "
                   "kernels on a CPU";
        },
};

}  // namespace

const Backend& backend() noexcept { return row; }
bool owns(const void*) noexcept { return false; }
bool may_own() noexcept { return false; }
Status launch(std::span<const Dispatch>) { return no_backend; }
double last_gpu_seconds() { return 0; }
std::string device_name() { return {}; }
std::vector<FamilyState> family_states() { return {}; }
Status multiply_by_mps(const Matrix&, const Matrix&, const Matrix&) { return no_backend; }
const char* why_no_mps() { return "it is part of macOS"; }

}  // namespace tw::metal
