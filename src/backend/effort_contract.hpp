// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// What a backend brings for the effort dial: rows of kernels, each for one layout, or for the dense copy that may be
// kept beside any. plan chooses a row, carry brings operands to it, src/effort says what is read and what came of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "formats/entry.hpp"
#include "tilewright/effort.hpp"

namespace tw {

struct EffortBody;

/// What was chosen of one vector.
struct EffortChosen {
    std::uint32_t entries;
    std::uint32_t worth;  ///< the bits of the cutoff
    std::uint32_t fine;   ///< 1: kernels that round v d to 8 bits add its low part, too
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

/// A matrix where a kernel reads it: for rows with `arranged` as formats/on_device.hpp says, for others its arrays as
/// they were built. Null pointers for what there is none of.
struct EffortPlaced : EffortOnDevice {
    const EffortBody* body = nullptr;  ///< on the host
    const float* left = nullptr;
};

/// What was chosen of each product's vector, or where a kernel that chooses is to write it.
struct EffortNotes {
    EffortChosen* chosen = nullptr;  ///< [products]
    EffortEntry* entries = nullptr;  ///< [products][inputs], of which as many are there as chosen says
};

/// Products to be made together: number p is of one expert, from v + p v_step to y + p y_step.
struct EffortCall {
    const EffortPlaced& matrix;
    int products = 1;
    std::span<const int> experts{};  ///< empty: the first does all
    const float* v = nullptr;
    std::int64_t v_step = 0;
    float* y = nullptr;
    std::int64_t y_step = 0;
    EffortNotes notes{};
    bool is_chosen = false;        ///< the notes are there already
    std::uint32_t reached = 0;     ///< else: rows at the cutoff or above it weigh at least this much,
    std::uint32_t affordable = 0;  ///< and those that are taken at most this,
    bool everything = false;       ///< or all is taken, whatever it is worth
    std::span<std::byte> scratch{};
    int threads = 1;
    const Executor* executor = nullptr;
    void* stream = nullptr;

    int expert_of(int p) const noexcept { return experts.empty() ? 0 : experts[static_cast<std::size_t>(p)]; }
};

/// What the cost of products depends on.
struct EffortProblem {
    EffortLayout layout = EffortLayout::planes;
    Type type = Type::f32;
    std::int64_t outputs = 0, inputs = 0;
    int products = 1;
    bool of_one_expert = true;     ///< all of them
    std::int64_t bytes = 0;        ///< of the layout, that a product reads
    std::int64_t dense_bytes = 0;  ///< of an expert's dense copy
};

struct EffortKernel {
    const char* name;     ///< "cpu.planes.avx512": unique
    const char* kernels;  ///< "avx512", "cuda": what EffortOptions::kernels asks for and EffortReport tells
    EffortLayout layout = EffortLayout::planes;     ///< that it reads
    bool is_dense = false;                          ///< it reads the dense copy instead, of any layout
    std::uint64_t needs = 0;                        ///< Features of its backend
    bool arranged = false;                          ///< the matrix lies as formats/on_device.hpp says
    bool chooses = false;                           ///< what is read, where it is not told; else the notes always tell
    bool takes_every_input = false;                 ///< notes that tell have an entry for each input, in order
    int most_products = 1;                          ///< of a call
    bool (*takes)(const EffortProblem&) = nullptr;  ///< null: any
    double (*nanoseconds)(const EffortProblem&) = nullptr;                      ///< of all products
    std::size_t (*scratch_bytes)(const EffortPlaced&, int products) = nullptr;  ///< null: none
    /// The notes and the operands are in the memory of the kernel's backend.
    Status (*run)(const EffortCall&) = nullptr;
};

}  // namespace tw
