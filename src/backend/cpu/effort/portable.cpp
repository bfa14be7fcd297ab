// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The effort dial on any processor: each layout read as its description says. What the other sets are checked against.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "backend/cpu/effort/kernels.hpp"
#include "base/rounding.hpp"
#include "formats/planes.hpp"

namespace tw::cpu {
namespace {

static_assert(planes::chunk == tw::effort::PlanesTile::chunk);

template <class T>
T at(const std::byte* from, std::int64_t index) noexcept {
    T value;
    std::memcpy(&value, from + index * static_cast<std::int64_t>(sizeof(T)), sizeof(T));
    return value;
}

float value_at(const std::byte* from, std::int64_t index, Type type) noexcept {
    if (type == Type::f32) return at<float>(from, index);
    if (type == Type::bf16) return widen(at<bfloat16>(from, index));
    return widen(at<float16>(from, index));
}

void dense(const EffortDenseTile& tile) {
    for (int r = 0; r < tile.vectors; ++r) std::fill_n(tile.y + 256 * r, tile.width, 0.f);
    for (std::int64_t i = 0; i < tile.inputs; ++i) {
        float row[256];
        for (int o = 0; o < tile.width; ++o) row[o] = value_at(tile.rows, i * tile.width + o, tile.type);
        for (int r = 0; r < tile.vectors; ++r) {
            const float v = tile.v[r * tile.v_step + i];
            for (int o = 0; o < tile.width; ++o) tile.y[256 * r + o] += v * row[o];
        }
    }
}

void buckets(const EffortTile& tile) {
    const unsigned low = static_cast<unsigned>(tile.bucket) - 1;
    const std::uint16_t kept = static_cast<std::uint16_t>(tile.masking ? ~low : ~0u);
    std::fill_n(tile.y, tile.width * tile.bucket, 0.f);
    for (const EffortEntry* e = tile.entries; e < tile.entries + tile.count; ++e)
        for (unsigned rank = 0; rank < e->units; ++rank) {
            const std::byte* unit = tile.rows + (e->input * std::int64_t{tile.bucket} + rank) * 2 * tile.width;
            for (int b = 0; b < tile.width; ++b) {
                const auto word = at<std::uint16_t>(unit, b);
                tile.y[b * tile.bucket + static_cast<int>(word & low)] +=
                    e->v * widen(float16{static_cast<std::uint16_t>(word & kept)});
            }
        }
}

void tiers(const EffortTile& tile) {
    const int value_bytes = static_cast<int>(size_of(tile.type)), unit_bytes = (2 + 4 * value_bytes) * tile.width;
    std::fill_n(tile.y, 16 * tile.width, 0.f);
    for (const EffortEntry* e = tile.entries; e < tile.entries + tile.count; ++e)
        for (unsigned tier = 0; tier < e->units; ++tier) {
            const std::byte* unit = tile.rows + (e->input * std::int64_t{4} + tier) * unit_bytes;
            const std::byte* values = unit + 2 * tile.width;
            for (int b = 0; b < tile.width; ++b) {
                unsigned mask = at<std::uint16_t>(unit, b);
                for (int r = 0; r < 4 && mask != 0; ++r, mask &= mask - 1)
                    tile.y[16 * b + std::countr_zero(mask)] += e->v * value_at(values, 4 * b + r, tile.type);
            }
        }
}

/// What v d of a chunk became: whole numbers, and the step that they count.
struct Rounded {
    std::int8_t q[planes::chunk][16];
    float step[16];
};

void round_chunk(const EffortTile& tile, const EffortEntry* chunk, int count, Rounded& to) noexcept {
    for (int block = 0; block < 4 * tile.width; ++block) {
        float product[planes::chunk], most = 0;
        for (int e = 0; e < count; ++e) {
            product[e] =
                chunk[e].v * widen(at<float16>(tile.rows, std::int64_t{chunk[e].input} * 4 * tile.width + block));
            most = std::max(most, std::fabs(product[e]));
        }
        const float inverse = most >= planes::least ? 127 / most : 0;
        to.step[block] = most / 127;
        for (int e = 0; e < count; ++e) to.q[e][block] = static_cast<std::int8_t>(std::nearbyint(product[e] * inverse));
    }
}

void planes_of(const EffortTile& tile) {
    const std::int64_t width = tile.width, rounded_up = 63;
    const std::byte* a = tile.rows + (tile.inputs * 8 * width + rounded_up) / 64 * 64;
    const std::byte* b = a + (tile.inputs * 32 * width + rounded_up) / 64 * 64;
    const std::byte* c = b + (tile.inputs * 32 * width + rounded_up) / 64 * 64;
    std::fill_n(tile.y, 128 * tile.width, 0.f);
    for (std::int64_t from = 0; from < tile.count; from += planes::chunk) {
        const int count = static_cast<int>(std::min<std::int64_t>(planes::chunk, tile.count - from));
        const EffortEntry* chunk = tile.entries + from;
        Rounded rounded;
        round_chunk(tile, chunk, count, rounded);
        for (int o = 0; o < 128 * tile.width; ++o) {
            const int block = o / 32, q = block / 4, j = block % 4, n = o % 32, h = n / 16, t = n / 4 % 4, k = n % 4;
            const std::int64_t place = 16 * q + 4 * t + j, two = 16 * width * h + place;
            const std::int64_t four = 32 * width * h + 16 * width * (k & 1) + place;
            int sum = 0;
            for (int e = 0; e < count; ++e) {
                const std::int64_t input = chunk[e].input;
                const auto bits = [&](const std::byte* plane, std::int64_t byte, int shift, int mask) {
                    return (std::to_integer<int>(plane[byte]) >> shift) & mask;
                };
                int code = 128 * bits(a, input * 32 * width + two, 2 * k, 3) - 192;
                if (chunk[e].units > 1) code += 32 * bits(b, input * 32 * width + two, 2 * k, 3) - 48;
                if (chunk[e].units > 2) code += 2 * bits(c, input * 64 * width + four, k < 2 ? 0 : 4, 15) - 15;
                sum += rounded.q[e][block] * code;
            }
            tile.y[o] += static_cast<float>(sum) * (rounded.step[block] * (1.f / 32));
        }
    }
}

}  // namespace

void effort_dense_portable(const EffortDenseTile& tile) { dense(tile); }
void effort_buckets_portable(const EffortTile& tile) { buckets(tile); }
void effort_tiers_portable(const EffortTile& tile) { tiers(tile); }
void effort_planes_portable(const EffortTile& tile) { planes_of(tile); }

}  // namespace tw::cpu
