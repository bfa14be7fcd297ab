// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Kernels of the effort dial: each multiplies one tile of outputs by what was chosen of the inputs. The tiles' bytes
// are described in formats/. This is all that files with extra instructions share with the rest: plain data.
//
// Sums: dense, tiers and buckets add the terms of an output in the order of the inputs, one sum an output; a kernel
// set's tiers read to the end are bit-equal to its dense. Planes sum whole numbers, so every set gives the same bits:
//   A chunk is 128 entries. For each of the tile's 16 blocks: m = max |v d| over the chunk, step = m / 127,
//     q = (v d) (127 / m) to the nearest whole number (ties to even); all 0 when m < 2^-100.
//   For each output of the block, over the chunk's entries, with O = 192, 240, 255 for one, two, three planes:
//     S = sum of q (2 (64 a + 16 b + c) - O), what is not read being 0;  y += S (step / 32), in f32 as written, chunk
//     after chunk.
// Planes that are rounded finely are multiplied as whole codes F = 64 a + 16 b + c. A chunk is 64 entries then, and v d
// is rounded to 15 bits:  step = m / 16256, q = (v d) (16256 / m) to the nearest, S = sum of q (2 F - 255), y += S
//   (step / 32). So is all that reads everything: the sum is the same whether a vector comes alone or in a batch.
//   What is not read of an entry is the middle of what it could be: with b = 2, c = 0 or with c = 8, q (2 F - 256).
// In a matrix without C everything is read with c = 8, S the sum of q (2 F - 256), and v d is rounded to 8 bits: 127 in
// the place of 16256.
#pragma once

#include <cstdint>

#include "formats/entry.hpp"
#include "tilewright/types.hpp"

namespace tw::cpu {

/// One tile of outputs and what is read of it. Entries are in the order of their inputs.
struct EffortTile {
    const std::byte* rows;  ///< the tile's first byte
    std::int64_t inputs;
    int width;     ///< buckets (also of tiers), or quarters of planes
    int bucket;    ///< outputs of a bucket
    bool masking;  ///< buckets: the position is masked off
    Type type;     ///< of tiers' values
    const EffortEntry* entries;
    std::int64_t count;
    float* y;  ///< written: every output of the tile, padding included; at most 1024
    const std::byte* next_rows =
        nullptr;  ///< first byte of an equally wide tile that this thread may do next; may be null
};

inline constexpr int most_outputs_of_tile = 1024;

/// One tile of planes multiplied as whole codes: every input is read to the end, for several vectors; or, with gaps,
/// the entries of one vector are read as far as they say.
struct EffortWholeTile {
    const std::byte* rows;
    std::int64_t inputs;
    int width;   ///< quarters
    int planes;  ///< that there are, 3 or 2
    bool has_gaps;
    const EffortEntry* entries;   ///< vector r's begin at entries + r * inputs, in the order of their inputs
    std::int64_t count;           ///< of a vector
    int vectors;                  ///< at most most_whole_vectors
    float* y;                     ///< vector r's outputs begin at y + 512 r; padding is written, too
    bool saves_products = false;  ///< by more sums: where a core has more units for those; the same bits
};
inline constexpr int most_whole_vectors = 16;

namespace planes {
inline constexpr int chunk = 128;
inline constexpr int whole_chunk = 64, whole_most = 127 * 128, whole_most_of_two = 127;
inline constexpr float least = 0x1p-100f;  // of m
}  // namespace planes

struct EffortDenseTile {
    const std::byte* rows;
    std::int64_t inputs;
    int width;  ///< outputs, a multiple of 16, at most 256
    Type type;
    const float* v;  ///< vector r begins at v + r * v_step; vectors are contiguous
    std::int64_t v_step;
    int vectors;
    float* y;  ///< vector r's outputs begin at y + 256 r
};

/// Vectors that a dense kernel takes at once.
inline constexpr int most_dense_vectors = 8;

void effort_dense_portable(const EffortDenseTile&);
void effort_buckets_portable(const EffortTile&);
void effort_tiers_portable(const EffortTile&);
void effort_planes_portable(const EffortTile&);
void effort_planes_whole_portable(const EffortWholeTile&);
void effort_dense_avx2(const EffortDenseTile&);
void effort_buckets_avx2(const EffortTile&);
void effort_tiers_avx2(const EffortTile&);
void effort_planes_avx2(const EffortTile&);
void effort_planes_whole_avx2(const EffortWholeTile&);
void effort_planes_alone_avx2(const EffortWholeTile&);  ///< of one vector
void effort_planes_whole_neon(const EffortWholeTile&);
void effort_dense_avx512(const EffortDenseTile&);
void effort_buckets_avx512(const EffortTile&);
void effort_tiers_avx512(const EffortTile&);
void effort_planes_avx512(const EffortTile&);
void effort_planes_whole_avx512(const EffortWholeTile&);

}  // namespace tw::cpu
