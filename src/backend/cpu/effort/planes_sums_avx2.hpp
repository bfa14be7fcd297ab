// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Adds to sums that stay in registers. In place: g++ 12 writes a sum to another register and copies it back, a tenth of
// a loop's instructions.
#pragma once

#include <immintrin.h>

#include "backend/cpu/effort/planes_tile.hpp"

namespace tw::cpu::sums {

TW_INSIDE void add_whole(__m256i& sum, __m256i more) { asm("vpaddd %1, %0, %0" : "+x"(sum) : "x"(more)); }
TW_INSIDE void add_words(__m256i& sum, __m256i more) { asm("vpaddw %1, %0, %0" : "+x"(sum) : "x"(more)); }

}  // namespace tw::cpu::sums
