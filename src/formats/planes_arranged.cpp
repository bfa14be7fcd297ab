// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Writes a tile of planes in the layout that a GPU's kernels read (on_device.hpp).
#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/rounding.hpp"
#include "formats/body.hpp"
#include "formats/on_device.hpp"
#include "formats/planes.hpp"

namespace tw::effort {
namespace {

using on_device::Planes;

static_assert(Planes::outputs == Planes::quarters * PlanesTile::outputs_of_quarter &&
              Planes::chunk == PlanesTile::chunk && Planes::bytes_of_row_a == 32 * Planes::quarters &&
              Planes::bytes_of_row_c == 64 * Planes::quarters && Planes::bytes_of_steps >= 4 * Planes::blocks);

/// Divides the scales of a block of outputs in a chunk by their step, a power of 2, so that they are at most 1.
void level_scales(const std::byte* from, std::int64_t from_step, std::int64_t count, std::byte* front,
                  std::int64_t block) noexcept {
    const auto scale_of = [&](std::int64_t i) {
        float16 scale;
        std::memcpy(&scale, from + i * from_step, sizeof scale);
        return widen(scale);
    };
    float most = 0;
    for (std::int64_t i = 0; i < count; ++i) most = std::max(most, scale_of(i));
    const int exponent = most > 0 && std::isfinite(most) ? std::ilogb(most) + 1 : 0;
    const float step = std::ldexp(1.f, exponent);
    std::memcpy(front + Planes::bytes_of_a + 4 * block, &step, sizeof step);
    std::byte* const levels = front + Planes::bytes_of_a + Planes::bytes_of_steps;
    for (std::int64_t i = 0; i < count; ++i) {
        const float16 level = to_float16(std::ldexp(scale_of(i), -exponent));
        std::memcpy(levels + Planes::bytes_of_levels * i + 2 * block, &level, sizeof level);
    }
}

}  // namespace

/// Two quarters of a tile become a tile: the words of a row go from (h, odd, q, t) to (h, t, odd, q).
void arrange_planes(const EffortBody& body, const std::byte* from, std::int64_t tile, std::int64_t first_output,
                    std::byte* to) {
    constexpr std::int64_t chunk = Planes::chunk;
    const std::int64_t at = tile * PlanesTile::outputs, padded = Planes::padded(body.inputs);
    const int first = static_cast<int>((first_output - at) / PlanesTile::outputs_of_quarter);
    const PlanesTile own{body.inputs, PlanesTile::quarters_for(body.outputs - at)};
    const int count = std::min(Planes::quarters, own.quarters - first);
    const auto turn = [&](std::byte* row, const std::byte* from_row, int halves, std::int64_t swapped) {
        for (int h = 0; h < 2; ++h)
            for (int odd = 0; odd < halves; ++odd)
                for (int q = 0; q < count; ++q)
                    for (int t = 0; t < 4; ++t)
                        std::memcpy(row + ((4 * (((4 * h + t) * halves + odd) * Planes::quarters + q)) ^ swapped),
                                    from_row + 4 * (((h * halves + odd) * own.quarters + first + q) * 4 + t), 4);
    };
    for (std::int64_t i = 0; i < own.inputs; ++i) {
        std::byte* a = to + i / chunk * Planes::bytes_of_front + Planes::bytes_of_row_a * (i % chunk);
        turn(a, from + own.a_at() + 32 * own.quarters * i, 1, 16 * Planes::place_of_piece(static_cast<int>(i), 0));
        turn(to + Planes::b_at(padded) + Planes::bytes_of_row_b * i, from + own.b_at() + 32 * own.quarters * i, 1, 0);
        turn(to + Planes::c_at(padded) + Planes::bytes_of_row_c * i, from + own.c_at() + 64 * own.quarters * i, 2, 0);
    }
    for (std::int64_t i = 0; i < own.inputs; i += chunk)
        for (std::int64_t block = 0; block < 4 * count; ++block)
            level_scales(from + 8 * own.quarters * i + 2 * (4 * first + block), 8 * own.quarters,
                         std::min(chunk, own.inputs - i), to + i / chunk * Planes::bytes_of_front, block);
}

}  // namespace tw::effort
