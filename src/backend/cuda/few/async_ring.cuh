// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The ring of few_rows_async: pieces of k of 16 (32) rows of weights and of the few rows, as TMA fills it and two teams
// of warps empty it.
#pragma once

#include <cuda.h>

#include "backend/cuda/few/batch.cuh"
#include "backend/cuda/ptx/bulk_copy.cuh"
#include "backend/cuda/ptx/mbarrier.cuh"
#include "backend/cuda/tiles/few_rows.cuh"
#include "backend/cuda/tiles/pipeline.cuh"

namespace tw::cuda::async_ring {

inline constexpr int teams = 2, warps_of_team = 8, warps = teams * warps_of_team, threads = 32 * (warps + 1);
inline constexpr int BN = 16;         // rows of weights of one box
inline constexpr int prefetched = 6;  // pieces
inline constexpr int sums_at = 128;   // behind the barriers

/// groups: times 8 rows of A. boxes: of weights, in a stage, which share what is read of A.
template <int groups_, int boxes_, int PIECE_, int STAGES_>
struct Ring {
    static constexpr int groups = groups_, boxes = boxes_, PIECE = PIECE_, STAGES = STAGES_;
    static constexpr int vectors = PIECE / (64 * warps_of_team);  // of 16 bytes of each row, to a lane
    static constexpr int results = groups * 8 * BN, ring = sums_at + warps * results * 4;
    static_assert(STAGES % teams == 0,
                  "a stage's team never changes: one that comes twice could pass by a copy on its way");
    static_assert(16 * STAGES <= sums_at);

    int tokens;
    __host__ __device__ int stage_bytes() const { return (boxes * BN + tokens) * PIECE; }
    __host__ __device__ int shared() const { return ring + STAGES * stage_bytes(); }
    __device__ static std::uint32_t full(std::uint32_t base, int stage) { return base + 8 * stage; }
    __device__ static std::uint32_t empty(std::uint32_t base, int stage) { return base + 8 * (STAGES + stage); }
};
using Few = Ring<1, 1, 1024, 6>;
using More = Ring<2, 2, 512, 8>;

/// A block's share of the boxes, and how k is cut.
struct Share {
    int first, end, pieces;

    template <class T>
    __device__ Share(const FewRows<T>& p, int piece_bytes) {
        const std::int64_t boxes = (p.weights.rows() + BN - 1) / BN, blocks = gridDim.x;
        first = static_cast<int>(boxes * blockIdx.x / blocks),
        end = static_cast<int>(boxes * (blockIdx.x + 1) / blocks);
        pieces = static_cast<int>((p.weights.cols() * std::int64_t{sizeof(T)} + piece_bytes - 1) / piece_bytes);
    }
};

/// All that the producer does.
template <class R>
__device__ void fetch(const R& ring, const CUtensorMap& weights, const CUtensorMap& tokens, const FewRowsPlace& place,
                      std::uint32_t base, const Share& share) {
    constexpr int words = R::PIECE / 4;
    const std::uint64_t once = ptx::leaves_l2_first();
    Turn<R::STAGES> turn;
    for (int box = share.first; box < share.end; box += R::boxes) {
        const int count = min(R::boxes, share.end - box), bytes = (count * BN + ring.tokens) * R::PIECE;
        for (int piece = 0; piece < share.pieces; ++piece, turn.next()) {
            const std::uint32_t to = base + R::ring + turn.stage * ring.stage_bytes(), full = R::full(base, turn.stage);
            ptx::wait_barrier(R::empty(base, turn.stage), turn.parity ^ 1);
            ptx::expect_bytes(full, bytes);
            const std::uint32_t to_tokens = to + R::boxes * BN * R::PIECE;
            if (place.many) {
                for (int b = 0; b < count; ++b)
                    ptx::load_box(to + b * BN * R::PIECE, weights, full, piece * words, (box + b) * BN, place.weights);
                ptx::load_box(to_tokens, tokens, full, piece * words, 0, place.tokens);
                continue;
            }
            for (int b = 0; b < count; ++b)
                ptx::load_box(to + b * BN * R::PIECE, weights, full, piece * words, (box + b) * BN, once);
            ptx::load_box(to_tokens, tokens, full, piece * words, 0);
        }
    }
}

}  // namespace tw::cuda::async_ring
