// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "formats/planes.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/rounding.hpp"
#include "formats/body.hpp"
#include "formats/on_device.hpp"

namespace tw::effort {
namespace {

/// sum w c, as eight partial sums.
double dot(const float* w, const float* c) noexcept {
    float sums[8] = {};
    for (int n = 0; n < 32; n += 8)
        for (int lane = 0; lane < 8; ++lane) sums[lane] += w[n + lane] * c[n + lane];
    double sum = 0;
    for (const float part : sums) sum += static_cast<double>(part);
    return sum;
}

/// Encodes one block, and adds up what its codes keep.
void code_block(const float* w, std::int64_t real, float16& scale, std::uint8_t* codes, PlanesSums& sums) noexcept {
    float most = 0;
    for (int n = 0; n < 32; ++n) most = std::max(most, std::fabs(w[n]));
    scale = to_float16(most / 7.5f);
    const float d = widen(scale), sixteenths = d > 0 ? 16 / d : 0;
    for (int n = 0; n < 32; ++n)  // not negative, so truncating is the floor
        codes[n] = static_cast<std::uint8_t>(static_cast<int>(std::clamp(w[n] * sixteenths + 128, 0.f, 255.f)));
    if (real == 0) return;
    const double unit = static_cast<double>(d) / 16;
    constexpr int mask[3] = {0xc0, 0xf0, 0xff};
    constexpr float middle[3] = {96, 120, 127.5f};
    for (int p = 0; p < 3; ++p) {
        float read[32];
        for (int n = 0; n < 32; ++n) read[n] = n < real ? static_cast<float>(codes[n] & mask[p]) - middle[p] : 0.f;
        sums.product[p] += unit * dot(w, read);
        sums.read_square[p] += unit * unit * dot(read, read);
    }
    sums.square += dot(w, w);
    sums.scale_square += static_cast<double>(d) * static_cast<double>(d), ++sums.blocks;
}

}  // namespace

float PlanesSums::gain(int planes) const noexcept {
    const double power = read_square[planes - 1];
    return power > 0 ? static_cast<float>(product[planes - 1] / power) : 1.f;
}

double PlanesSums::left(int planes) const noexcept {
    if (planes == 0) return square;
    const double g = static_cast<double>(gain(planes));
    return std::max(0.0, square - 2 * g * product[planes - 1] + g * g * read_square[planes - 1]);
}

void encode_planes(const float* w, std::int64_t real, const PlanesTile& tile, std::int64_t input, std::byte* rows,
                   PlanesSums& sums) noexcept {
    const int width = tile.quarters;
    std::byte* scales = rows + tile.scales_at() + input * 8 * width;
    auto* a = reinterpret_cast<std::uint8_t*>(rows + tile.a_at() + input * 32 * width);
    auto* b = reinterpret_cast<std::uint8_t*>(rows + tile.b_at() + input * 32 * width);
    auto* c = reinterpret_cast<std::uint8_t*>(rows + tile.c_at() + input * 64 * width);
    for (int block = 0; block < 4 * width; ++block) {
        std::uint8_t codes[32];
        float16 scale;
        code_block(w + 32 * block, std::clamp<std::int64_t>(real - 32 * block, 0, 32), scale, codes, sums);
        std::memcpy(scales + 2 * block, &scale, 2);
        const int q = block / 4, j = block % 4;
        for (int n = 0; n < 32; ++n) {
            const int h = n / 16, t = n / 4 % 4, k = n % 4, at = 16 * q + 4 * t + j;
            const int two = 16 * width * h + at, four = 32 * width * h + 16 * width * (k & 1) + at;
            a[two] = static_cast<std::uint8_t>(a[two] | (codes[n] >> 6) << (2 * k));
            b[two] = static_cast<std::uint8_t>(b[two] | ((codes[n] >> 4) & 3) << (2 * k));
            if (tile.planes == 3) c[four] = static_cast<std::uint8_t>(c[four] | (codes[n] & 15) << (k < 2 ? 0 : 4));
        }
    }
}

namespace {

constexpr int planes_kept[] = {0, without_last_plane};

void encode(const EffortBody& body, const EncodedInput& one, Findings& found) {
    encode_planes(one.w, one.real, {body.inputs, PlanesTile::quarters_for(one.outputs_left), body.units()}, one.input,
                  one.rows, found.as<PlanesSums>());
}

InputSummary summary(const EffortBody&, const Findings& found) {
    const PlanesSums& sums = found.as<PlanesSums>();
    InputSummary summary{};
    for (int u = 0; u <= 3; ++u) summary.left[u] = sums.left(u);
    for (int u = 0; u < 3; ++u) summary.gains[u] = sums.gain(u + 1);
    summary.spread = static_cast<float>(std::sqrt(sums.scale_square / static_cast<double>(sums.blocks)));
    return summary;
}

Flaw flaw(const EffortBody& body) {
    const Tiling tiling = tiling_of(body);
    for (int expert = 0; expert < body.experts; ++expert)
        for (std::int64_t t = 0; t < tiling.tiles; ++t) {
            const std::int64_t base = expert * tiling.bytes + t * tiling.bytes_of_tile;
            const int quarters = PlanesTile::quarters_for(body.outputs - t * tiling.outputs_of_tile);
            for (std::int64_t s = 0; s < body.inputs * 4 * quarters; ++s) {
                float16 scale;
                std::memcpy(&scale, body.rows.data() + base + 2 * s, 2);
                if (scale.bits >= 0x7c00) return {base + 2 * s, "a scale that is finite and not negative"};
            }
        }
    return {};
}

/// The squared error of rounding v d to 8 bits (15 bits on the first two planes when fine, on all three when whole):
/// each block of a chunk has a step, and a rounding error is uniform over it.
double rounding(const EffortBody& body, const ChosenInputs& chosen) {
    const float* spreads = body.spreads_of(chosen.expert);
    const float* squares = body.left_of(chosen.expert);
    const auto outputs = static_cast<double>(body.outputs);
    const auto count = static_cast<std::int64_t>(chosen.entries.size());
    const double steps = chosen.is_whole && body.units() == 3 ? 127 * 128 : 127;
    double lost = 0;
    for (std::int64_t from = 0; from < count; from += PlanesTile::chunk) {
        const std::int64_t end = std::min<std::int64_t>(from + PlanesTile::chunk, count);
        double most = 0, codes = 0;
        for (std::int64_t e = from; e < end; ++e) {
            const EffortEntry& entry = chosen.entries[static_cast<std::size_t>(e)];
            const double spread = static_cast<double>(spreads[entry.input]);
            most = std::max(most, std::fabs(static_cast<double>(chosen.v[entry.input])) * spread);
            if (spread > 0)
                codes += chosen.is_fine && !chosen.is_whole
                             ? (entry.units > 2 ? outputs / 12 : 0)
                             : static_cast<double>(squares[entry.input]) / (spread * spread);
        }
        lost += most / steps * (most / steps) / 12 * codes;
    }
    return lost;
}

}  // namespace

constinit const Format planes_format = {
    .layout = EffortLayout::planes,
    .buckets = planes_kept,
    .may_truncate = false,
    .keeps_dense = false,
    .keeps_values = false,
    .has_gains = true,
    .units = [](int bucket) { return bucket == without_last_plane ? 2 : 3; },
    .outputs_of_tile = [](int) { return PlanesTile::outputs; },
    .width = [](const EffortBody&, std::int64_t left) { return PlanesTile::quarters_for(left); },
    .tile_bytes = [](const EffortBody& body,
                     int width) { return PlanesTile{body.inputs, width, body.units()}.bytes(); },
    .unit_bytes =
        [](const EffortBody& body, int unit) {
            constexpr std::int64_t of_quarter[] = {40, 32, 64};
            return (body.outputs + 127) / 128 * of_quarter[unit];
        },
    .encode = encode,
    .summary = summary,
    .flaw = flaw,
    .rounding = rounding,
    .device_outputs = [](const EffortBody&) -> std::int64_t { return on_device::Planes::outputs; },
    .device_tile_bytes =
        [](const EffortBody& body) { return on_device::Planes::bytes(on_device::Planes::padded(body.inputs)); },
    .device_inputs = on_device::Planes::padded,
    .arrange = arrange_planes,
};

}  // namespace tw::effort
