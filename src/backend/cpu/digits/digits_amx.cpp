// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Products of digits on the tiles of AMX.
#include "backend/cpu/digits/digit_lanes_avx512.hpp"
#include "backend/cpu/digits/digit_panels.hpp"
#include "backend/cpu/digits/on_tiles.hpp"
#include "backend/cpu/unit/tiles_amx.hpp"

namespace tw::cpu {

constinit const DigitUnit digits_amx =
    DigitPanels<DigitsOnTiles<AmxTiles>, Avx512DigitLanes>::digit_unit(AmxTiles::configure, AmxTiles::release);

}  // namespace tw::cpu
