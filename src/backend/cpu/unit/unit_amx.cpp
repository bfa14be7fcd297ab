// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The matrix unit of Sapphire Rapids and later.
#include "backend/cpu/unit/bf16_panels.hpp"
#include "backend/cpu/unit/lanes_avx512.hpp"
#include "backend/cpu/unit/tiles_amx.hpp"

namespace tw::cpu {

constinit const MatrixUnit unit_amx = Bf16Panels<AmxTiles, Avx512Lanes>::matrix_unit();

}  // namespace tw::cpu
