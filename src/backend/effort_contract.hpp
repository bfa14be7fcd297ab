// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// What a device with memory of its own brings for the effort dial: src/effort lays a matrix out in that memory once,
// and asks for products, of which each is a choice of what is read and a multiplication.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "formats/entry.hpp"
#include "tilewright/effort.hpp"

namespace tw {

/// What was chosen of one vector.
struct EffortChosenOnDevice {
    std::uint32_t entries;
    std::uint32_t worth;  ///< the bits of the cutoff
    std::uint32_t fine;   ///< planes: 1 when the low part of v d counts too
    std::uint32_t scale;  ///< the bits of the power of 2 that brings the largest |v| to 1..2
    double factor;        ///< what the sums are times, to be y
};

/// A matrix in a device's memory. Tiles are all whole: the last one is filled up with zeros.
struct EffortOnDevice {
    EffortLayout layout = EffortLayout::planes;
    Type type = Type::f32;  ///< of tiers' values and of the dense copy
    int outputs = 0, inputs = 0;
    int inputs_apart = 0;  ///< from one unit's gains to the next one's, from one expert's importance to the next one's:
                           ///< of planes a multiple of 128
    int units = 0, bucket = 0, experts = 0;
    bool masking = false;  ///< buckets: the position is masked off
    int exponent = 0, exponent_of_rows = 0;
    int outputs_of_tile = 0, tiles = 0;
    std::int64_t tile_bytes = 0;     ///< of rows; an expert has `tiles` of them
    int dense_tiles = 0;             ///< of 256 outputs: inputs x 256 values each
    std::uint32_t weights[32] = {};  ///< of units: their bytes over a common divisor
    std::uint32_t falls[32] =
        {};  ///< of units: a row is worth so many steps of 2^16 less than the bits of |v| times the importance
    float most_importance = 0;  ///< of all inputs and experts
    const std::byte *rows = nullptr, *dense = nullptr;
    const float *importance = nullptr, *gains = nullptr;
};

/// Products to be enqueued: number p is of expert experts[p], from v + p v_step to y + p y_step, all in the device's
/// memory.
struct EffortOrder {
    std::span<const int> experts{};
    const float* v = nullptr;
    std::int64_t v_step = 0;
    float* y = nullptr;
    std::int64_t y_step = 0;
    std::uint32_t reached = 0;     ///< rows at the cutoff or above it weigh at least this much
    std::uint32_t affordable = 0;  ///< and those that are taken at most this
    bool everything = false;       ///< all is taken, whatever it is worth
    bool is_chosen = false;        ///< entries and chosen are there already
    bool is_dense = false;         ///< by the dense copy
    void* stream = nullptr;
};

/// Where a product's notes lie in the scratch.
struct EffortNotes {
    EffortChosenOnDevice* chosen;  ///< [products]
    EffortEntry* entries;          ///< [products][inputs], of which as many are there as chosen says
};

struct EffortDevice {
    int most_products;  ///< of one order
    std::size_t (*scratch_bytes)(const EffortOnDevice&, int products);
    EffortNotes (*notes_in)(std::span<std::byte> scratch, const EffortOnDevice&, int products);
    /// At most two launches; nothing is waited for.
    Status (*run)(const EffortOnDevice&, const EffortOrder&, std::span<std::byte> scratch);
};

}  // namespace tw
