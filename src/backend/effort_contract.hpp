// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// What a backend brings for the effort dial: kernels as rows, each for one layout or for the dense copy that may be
// kept beside any layout. plan chooses a kernel, carry brings its operands, src/effort chooses what is read and
// reports.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "formats/entry.hpp"
#include "tilewright/effort_layout.hpp"
#include "tilewright/executor.hpp"
#include "tilewright/status.hpp"
#include "tilewright/types.hpp"

namespace tw {

struct EffortBody;

/// What was chosen for one vector.
struct EffortChosen {
    std::uint32_t entries;
    std::uint32_t worth;  ///< the cutoff, as a float's bits
    std::uint32_t fine;   ///< 1: kernels that round v d to 8 bits add its low part, too; by a kernel that puts codes
                          ///< together 2: everything is read, 3: as far as entries say
    std::uint32_t scale;  ///< a power of 2, as a float's bits, that brings the largest |v| to 1..2
    double factor;        ///< y is the sums times this
};

/// A matrix in a device's memory. All tiles are whole: the last one is padded with zeros.
struct EffortOnDevice {
    EffortLayout layout = EffortLayout::planes;
    Type type = Type::f32;  ///< of tiers' values and of the dense copy
    int outputs = 0, inputs = 0;
    int inputs_apart = 0;  ///< numbers from one unit's gains to the next one's, and from one expert's importance to
                           ///< the next one's; for planes a multiple of 128
    int units = 0, bucket = 0, experts = 0;
    bool masking = false;  ///< buckets: mask off the position before reading the value
    int exponent = 0, exponent_of_rows = 0;
    int outputs_of_tile = 0, tiles = 0;
    std::int64_t tile_bytes = 0;     ///< of a tile of rows; an expert has `tiles` of them
    int dense_tiles = 0;             ///< of 256 outputs each: inputs x 256 values
    std::uint32_t weights[32] = {};  ///< of each unit: its bytes over a common divisor
    std::uint32_t falls[32] =
        {};  ///< of each unit: its worth is the bits of |v| times the importance, less so many steps of 2^16
    float most_importance = 0;  ///< over all inputs and experts
    const std::byte *rows = nullptr, *dense = nullptr;
    const float *importance = nullptr, *gains = nullptr;
};

/// A matrix in the memory where a kernel reads it: laid out as in formats/on_device.hpp for kernels with `arranged`, as
/// it was built for others. Pointers to arrays that the layout lacks are null.
struct EffortPlaced : EffortOnDevice {
    const EffortBody* body = nullptr;  ///< on the host
    const float* left = nullptr;
};

/// What was chosen for each product's vector; a kernel that chooses writes it here.
struct EffortNotes {
    EffortChosen* chosen = nullptr;  ///< [products]
    EffortEntry* entries = nullptr;  ///< [products][inputs]; the first chosen[p].entries of product p are set
};

/// Products to do together: product p uses one expert, and goes from v + p v_step to y + p y_step.
struct EffortCall {
    const EffortPlaced& matrix;
    int products = 1;
    std::span<const int> experts{};      ///< one for each product; empty: the first expert for all
    const int* experts_there = nullptr;  ///< in their place, in the kernel's memory, unknown to the host
    const float* v = nullptr;
    std::int64_t v_step = 0;
    float* y = nullptr;
    std::int64_t y_step = 0;
    EffortNotes notes{};
    bool is_chosen = false;        ///< the notes are set; if not, the kernel chooses by the next three:
    std::uint32_t reached = 0;     ///< rows at the cutoff or above it weigh at least this,
    std::uint32_t affordable = 0;  ///< those that are read weigh at most this,
    bool everything = false;       ///< or all are read, whatever they are worth
    std::span<std::byte> scratch{};
    int threads = 1;
    const Executor* executor = nullptr;
    void* stream = nullptr;

    int expert_of(int p) const noexcept { return experts.empty() ? 0 : experts[static_cast<std::size_t>(p)]; }
};

/// What the cost of a call depends on.
struct EffortProblem {
    EffortLayout layout = EffortLayout::planes;
    Type type = Type::f32;
    std::int64_t outputs = 0, inputs = 0;
    int products = 1;
    bool of_one_expert = true;     ///< all products use the same expert
    std::int64_t bytes = 0;        ///< of the layout that a product reads
    std::int64_t dense_bytes = 0;  ///< of an expert's dense copy
};

struct EffortKernel {
    const char* name;     ///< "effort_planes_avx512": unique in its backend
    const char* kernels;  ///< "avx512", "cuda": as in EffortOptions::kernels and EffortReport::kernels
    EffortLayout layout = EffortLayout::planes;     ///< the layout that it reads
    bool is_dense = false;                          ///< it reads the dense copy instead, beside any layout
    std::uint64_t needs = 0;                        ///< Features of its backend
    bool arranged = false;                          ///< it reads the matrix as laid out in formats/on_device.hpp
    bool chooses = false;                           ///< it can choose what is read; else the notes must be set
    bool takes_every_input = false;                 ///< notes must have an entry for each input, in order
    bool puts_together = false;                     ///< planes: what is rounded finely is multiplied as whole codes
    int most_products = 1;                          ///< in a call
    bool (*takes)(const EffortProblem&) = nullptr;  ///< null: any
    double (*nanoseconds)(const EffortProblem&) = nullptr;                      ///< of all products
    std::size_t (*scratch_bytes)(const EffortPlaced&, int products) = nullptr;  ///< null: none
    /// The notes and the operands are in the memory of the kernel's backend.
    Status (*run)(const EffortCall&) = nullptr;
};

}  // namespace tw
