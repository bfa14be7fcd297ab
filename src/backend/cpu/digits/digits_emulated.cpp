// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Products of digits on emulated tiles.
#include "backend/cpu/digits/digit_lanes_portable.hpp"
#include "backend/cpu/digits/digit_panels.hpp"
#include "backend/cpu/digits/on_tiles.hpp"
#include "backend/cpu/unit/tiles_emulated.hpp"

namespace tw::cpu {

constinit const DigitUnit digits_emulated = DigitPanels<DigitsOnTiles<EmulatedTiles>, PortableDigitLanes>::digit_unit(
    EmulatedTiles::configure, EmulatedTiles::release);

}  // namespace tw::cpu
