// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The rungs that have a form for bfloat, compiled together and apart from the others: the type needs MSL 3.1.
#define TW_BFLOAT
#include "r3_tiled.metal"
#include "r8_matrix_unit.metal"
#include "r9_plain_loads.metal"
