// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The same kernels on tiles that are emulated: for machines without the unit, and for the judge.
#include "backend/cpu/unit/bf16_panels.hpp"
#include "backend/cpu/unit/lanes_portable.hpp"
#include "backend/cpu/unit/tiles_emulated.hpp"

namespace tw::cpu {

constinit const MatrixUnit unit_emulated = Bf16Panels<EmulatedTiles, PortableLanes>::matrix_unit();

}  // namespace tw::cpu
