// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Every row of the CPU ladder, by the file that defines it. ladder.cpp puts them in order.
#pragma once

#include "backend/contract.hpp"

namespace tw::cpu {

extern const Kernel r1_naive_f32, r1_naive_f64;

}  // namespace tw::cpu
