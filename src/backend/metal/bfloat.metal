// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The rungs for bfloat, compiled separately from the others, because the type needs MSL 3.1.
#define TW_BFLOAT
#include "r3_tiled.metal"
#include "r8_matrix_unit.metal"
#include "r9_plain_loads.metal"
