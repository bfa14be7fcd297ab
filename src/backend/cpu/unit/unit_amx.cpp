// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The matrix unit of Sapphire Rapids and later.
#include "backend/cpu/unit/tiles_amx.hpp"

#include "backend/cpu/unit/lanes_avx512.hpp"

#include "backend/cpu/unit/bf16_panels.hpp"

namespace tw::cpu {

constinit const MatrixUnit unit_amx = matrix_unit();

}  // namespace tw::cpu
