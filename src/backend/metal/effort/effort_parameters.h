// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The parameters of the effort dial's kernels and the data that they exchange, shared by the host and the shaders.
#ifndef TW_METAL_EFFORT_PARAMETERS
#define TW_METAL_EFFORT_PARAMETERS

#ifndef __METAL_VERSION__
#include <cstdint>

#include "formats/entry.hpp"
#define TW_CONSTANT inline
namespace tw::metal {
using uint = std::uint32_t;
using tw::EffortEntry;
#else
#include <metal_stdlib>
using namespace metal;
#define TW_CONSTANT constant
#endif

TW_CONSTANT constexpr uint CHUNK = 128;  // entries that a threadgroup takes

#ifdef __METAL_VERSION__
/// formats/entry.hpp
struct EffortEntry {
    uint input, units;
    float v;
};
#endif

/// What to choose. Weights of units are their bytes over a common divisor, so that 32 bits hold every sum.
struct EffortChoice {
    uint inputs, units;
    uint reached;       // the rows at the cutoff or above it weigh at least this much
    uint affordable;    // and those that are read at most this
    uint everything;    // 1: all are read, whatever they are worth
    uint has_gains;     // 1: planes
    float scale;        // of v, a power of 2
    float entry_scale;  // of the entries' v
    uint weights[33];   // of the first 0, 1, 2 .. units of an input
    uint falls[32];     // of units, in steps of 2^16 of a float's bits
};

/// What was chosen.
struct EffortChosen {
    uint entries;
    uint worth;  // the bits of the cutoff
    uint fine;   // 1: planes add the low part of v d
    uint unused;
};

/// Tiles of outputs times chunks of entries.
struct EffortProduct {
    uint inputs, outputs;
    uint outputs_of_tile, padded_outputs;  // all tiles have as many sums
    uint width, last_width;                // of a whole tile and of the last: buckets, or quarters of planes
    uint bucket;                           // outputs of a bucket
    uint kept;                             // buckets: the bits of a word that are its value
    uint value_type;                       // tiers: 0 f32, 1 f16, 2 bf16
    uint unused;
    uint tile_bytes_low, tile_bytes_high;  // from one tile to the next
};

#ifndef __METAL_VERSION__
static_assert(sizeof(EffortEntry) == 12 && sizeof(EffortChoice) == 292 && sizeof(EffortChosen) == 16 &&
              sizeof(EffortProduct) == 48);
}  // namespace tw::metal
#else

/// The first byte of a tile.
inline device const uchar* tile_of(device const uchar* rows, constant EffortProduct& p, uint tile) {
    return rows + ulong(tile) * (ulong(p.tile_bytes_low) | ulong(p.tile_bytes_high) << 32);
}

#endif
#endif
