// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Many products of few rows in one launch, the grid's second dimension: where TMA finds the weights and the few rows of
// each, and where its C lies.
#pragma once

#include <algorithm>

#include "backend/cuda/device/launch.hpp"
#include "backend/cuda/epilogue/output_of.cuh"
#include "backend/cuda/operands/aligned.hpp"
#include "backend/cuda/operands/batched.hpp"

namespace tw::cuda {

/// One product's matrices in maps of many. `many`: else the maps have one, and no coordinate for it.
struct FewRowsPlace {
    bool many;
    int weights, tokens, c;
};

/// turned: the few rows are B's columns.
struct FewRowsBatch {
    Depths depths;
    bool turned;

    __device__ FewRowsPlace of_block() const {
        if (depths.size == 1) return {false, 0, 0, 0};
        const Deep at = depths.of(static_cast<int>(blockIdx.y));
        return {true, turned ? at.a : at.b, turned ? at.b : at.a, at.c};
    }
};

/// A call's operands for TMA, with the few rows as A.
struct FewRowsCall {
    Call call;
    bool turned;
    Depth a, b, c;  ///< of the call as it was given
    bool fits;      ///< TMA can count the products of the batch

    explicit FewRowsCall(const Call& given, std::int64_t most_rows) : call(given), turned(given.m() > most_rows) {
        fits = depth_of(a_of(given), a) && depth_of(b_of(given), b) && depth_of(c_of(given), c);
        call.a.data = a.first, call.b.data = b.first, call.c.data = c.first;
        if (turned) call = across(call);
    }
    const Depth& of_weights() const { return turned ? a : b; }
    const Depth& of_tokens() const { return turned ? b : a; }
    bool has_many() const { return products_of(call) > 1; }

    /// Coordinates of a batch by pointers are written into the call's scratch.
    Status place(FewRowsBatch& batch) const {
        batch = {{nullptr, static_cast<int>(products_of(call)), a.extent > 1, b.extent > 1, c.extent > 1}, turned};
        return place_depths(call, a, b, c, batch.depths);
    }
    /// Blocks that take tiles of weights by turns, as many as fit on the device, for each product of the batch. They
    /// begin while the kernel in front ends.
    Launch launch_over(std::int64_t tiles, int fit, int threads, std::size_t shared) const {
        return {.blocks = static_cast<unsigned>(std::min<std::int64_t>(tiles, fit)),
                .threads = static_cast<unsigned>(threads),
                .shared = shared,
                .products = static_cast<unsigned>(products_of(call)),
                .overlaps = true};
    }
    Output output() const {
        Output one = output_of(call);
        one.depth_bytes = c.bytes;
        if (call.batch)
            one.residual_bytes = call.batch->residual_step * static_cast<std::int64_t>(size_of(call.c.type));
        return one;
    }
};

}  // namespace tw::cuda
