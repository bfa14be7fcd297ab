// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Planes as whole codes, on any processor: kernels.hpp says it in formulas.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <span>

#include "backend/cpu/effort/kernels.hpp"
#include "base/rounding.hpp"
#include "formats/planes.hpp"

namespace tw::cpu {
namespace {

using effort::PlanesTile;
using planes::whole_chunk;

/// Twice the code of an entry and output of a tile, 64 a + 16 b + c, less its middle.
int code_of(const EffortWholeTile& tile, const EffortEntry& entry, int output) noexcept {
    const std::int64_t input = entry.input;
    const PlanesTile at{tile.inputs, tile.width};
    const std::int64_t width = tile.width;
    const int block = output / 32, n = output % 32, h = n / 16, t = n / 4 % 4, k = n % 4;
    const std::int64_t place = 16 * (block / 4) + 4 * t + block % 4, two = 16 * width * h + place;
    const std::int64_t four = 32 * width * h + 16 * width * (k & 1) + place;
    const auto bits = [&](std::int64_t byte, int shift, int mask) {
        return (std::to_integer<int>(tile.rows[byte]) >> shift) & mask;
    };
    int code = 128 * bits(at.a_at() + input * 32 * width + two, 2 * k, 3) - 192;
    if (entry.units > 1) code += 32 * bits(at.b_at() + input * 32 * width + two, 2 * k, 3) - 48;
    if (entry.units > 2) code += 2 * bits(at.c_at() + input * 64 * width + four, k < 2 ? 0 : 4, 15) - 15;
    return code;
}

/// What v d of a chunk became for one block: whole numbers and their step; and the sum of one output.
struct Rounded {
    std::int32_t q[whole_chunk];
    float step;
    std::int32_t sum = 0;
};

Rounded rounded(const EffortWholeTile& tile, const EffortEntry* entries, int count, int block) noexcept {
    float product[whole_chunk], most = 0;
    for (int e = 0; e < count; ++e) {
        float16 scale;
        std::memcpy(&scale, tile.rows + std::int64_t{entries[e].input} * 8 * tile.width + 2 * block, sizeof scale);
        product[e] = entries[e].v * widen(scale);
        most = std::max(most, std::fabs(product[e]));
    }
    const auto all = static_cast<float>(tile.planes == 2 ? planes::whole_most_of_two : planes::whole_most);
    const float inverse = most >= planes::least ? all / most : 0;
    Rounded to{{}, most / all};
    for (int e = 0; e < count; ++e) to.q[e] = static_cast<std::int32_t>(std::nearbyint(product[e] * inverse));
    return to;
}

}  // namespace

void effort_planes_whole_portable(const EffortWholeTile& tile) {
    for (int r = 0; r < tile.vectors; ++r) std::fill_n(tile.y + 512 * r, 128 * tile.width, 0.f);
    for (std::int64_t from = 0; from < tile.count; from += whole_chunk) {
        const int count = static_cast<int>(std::min<std::int64_t>(whole_chunk, tile.count - from));
        for (int block = 0; block < 4 * tile.width; ++block) {
            Rounded rows[most_whole_vectors];
            const std::span<Rounded> vectors(rows, static_cast<std::size_t>(tile.vectors));
            const EffortEntry* entries = tile.entries + from;
            for (Rounded& v : vectors) v = rounded(tile, entries, count, block), entries += tile.inputs;
            for (int o = 32 * block; o < 32 * (block + 1); ++o) {
                for (Rounded& v : vectors) v.sum = 0;
                for (int e = 0; e < count; ++e) {
                    const int twice = code_of(tile, tile.entries[from + e], o);
                    for (Rounded& v : vectors) v.sum += v.q[e] * twice;
                }
                float* y = tile.y + o;
                for (const Rounded& v : vectors) *y += static_cast<float>(v.sum) * (v.step * (1.f / 32)), y += 512;
            }
        }
    }
}

}  // namespace tw::cpu
