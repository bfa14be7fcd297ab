// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "backend/metal/backend.hpp"

namespace tw::metal {
namespace {

constexpr Backend row{
    .name = "metal",
    .place = Place::metal,
    .ladder = {},
    .feature_names = {},
    .features = [] { return Features{0}; },
    .devices = [] { return 0; },
    .absence =
        [] {
            return "this build has no Metal backend: it is built on macOS; --device metal-check runs its kernels "
                   "anywhere";
        },
    .select = nullptr,
    .owns = nullptr,
    .alloc = nullptr,
    .free = nullptr,
    .scratch = nullptr,
    .copy = nullptr,
    .finish = nullptr,
    .wait = nullptr,
};

}  // namespace

const Backend& backend() noexcept { return row; }
bool owns(const void*) noexcept { return false; }
const char* refusal_of(const char*) { return ""; }

}  // namespace tw::metal
