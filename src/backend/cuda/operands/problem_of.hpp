// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The problem of a call that has come: what prices and scratch are reckoned by.
#pragma once

#include "backend/contract.hpp"

namespace tw::cuda {

inline Problem problem_of(const Call& call) {
    return {.m = call.m(),
            .n = call.n(),
            .k = call.k(),
            .in = call.a.type,
            .out = call.c.type,
            .place = Place::cuda,
            .a = form_of(call.a),
            .b = form_of(call.b),
            .c = form_of(call.c)};
}

}  // namespace tw::cuda
