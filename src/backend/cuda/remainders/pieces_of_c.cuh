// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// How C's remainders come to the kernels that restore it: a piece is a Word a thread of each plane.
#pragma once

#include <algorithm>

#include "backend/cuda/device/device.hpp"
#include "backend/cuda/device/launch.hpp"
#include "backend/cuda/remainders/remainders.cuh"
#include "backend/cuda/remainders/take_pieces.cuh"

namespace tw::cuda {

template <class Word, int most_planes>
struct PiecesOfC {
    static constexpr int threads = 256, blocks = 3, bytes = sizeof(Word) * threads;
    static constexpr int of_tile = RemaindersOutput::tile_bytes / bytes, stage_bytes = most_planes * bytes;

    static Launch how(const RemaindersOutput& out) {
        const std::int64_t pieces = std::int64_t{out.down} * out.across * of_tile, fit = blocks * multiprocessors();
        return {.blocks = static_cast<unsigned>(std::min(pieces, fit)),
                .threads = threads,
                .shared = 2 * stage_bytes,
                .overlaps = true};
    }

    /// use(piece, words): this thread's of the first plane, those of the next are `threads` words on.
    template <class Use>
    __device__ static void take(const RemaindersCall& call, int planes, const Use& use) {
        extern __shared__ __align__(16) char memory[];
        const int tiles = call.out.down * call.out.across;
        const std::int64_t plane = std::int64_t{tiles} * RemaindersOutput::tile_bytes;
        take_pieces(
            tiles * of_tile, &call.found->restored,
            [&](int piece, int stage) {
                constexpr int copies = bytes / 16;
                const std::uint32_t to = ptx::shared_address(memory) + stage * stage_bytes;
                const std::uint8_t* const from = call.out.bytes + std::int64_t{piece} * bytes;
                for (int i = static_cast<int>(threadIdx.x); i < planes * copies; i += threads)
                    ptx::copy_16(to + 16 * i, from + i / copies * plane + 16 * (i % copies), 16);
                ptx::commit_copies();
            },
            [&](int piece, int stage) {
                use(piece, reinterpret_cast<const Word*>(memory + stage * stage_bytes) + threadIdx.x);
            });
    }
};

}  // namespace tw::cuda
