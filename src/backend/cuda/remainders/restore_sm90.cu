// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// C of doubles out of the remainders.
#include "backend/cuda/ptx/team.cuh"
#include "backend/cuda/remainders/fraction.cuh"
#include "backend/cuda/remainders/pieces_of_c.cuh"
#include "backend/cuda/tiles/pair_of_c.cuh"

namespace tw::cuda {
namespace {

using Pieces = PiecesOfC<uint2, remainders::of_f64.most()>;

__constant__ constexpr auto of_counts = remainders::pairs_of_counts(remainders::of_f64);

/// A piece is 2 KB of each plane: 8 threads of a warp's 32 runs each; a thread has two rows of 2 x 2 neighbours.
__device__ void restore_piece(const RemaindersCall& call, const Product<double>& p, bool c_in_pairs, int piece,
                              const uint2* bytes, int above) {
    constexpr int most = remainders::of_f64.most();
    const int count = remainders::of_f64.least + above, tile = piece / Pieces::of_tile;
    const int thread = static_cast<int>(threadIdx.x), lane = thread % 32;
    const int warp = piece % Pieces::of_tile / 2, run = piece % 2 * 8 + thread / 32;
    const int tile_row = tile / call.out.across, tile_col = tile % call.out.across;
    if (call.found->any_native && call.out.native[tile_row * 2 * call.out.across + 2 * tile_col + run / 8]) return;
    const remainders::PairsOfCount& of = of_counts[above];
    const int row = tile_row * RemaindersOutput::rows + warp * 16 + lane / 4,
              col = tile_col * RemaindersOutput::columns + run * 16 + lane % 4 * 2;
    const int last_row = static_cast<int>(p.c.rows()) - 1, last_col = static_cast<int>(p.c.cols()) - 1;
#pragma unroll
    for (int group = 0; group < 2; ++group) {
        Fraction fractions[4];
#pragma unroll
        for (int i = 0; i < most / 2; ++i) {
            if (2 * i >= count) break;
            const uint2 of_t = bytes[2 * i * Pieces::threads],
                        of_u = 2 * i + 1 < count ? bytes[(2 * i + 1) * Pieces::threads] : uint2{};
            const unsigned t = group ? of_t.y : of_t.x, u = group ? of_u.y : of_u.x;
            const remainders::Pair& pair = of.pairs[i];
            const unsigned weights = static_cast<unsigned>(pair.left | pair.right << 16);
#pragma unroll
            for (int j = 0; j < 4; ++j) {
                const unsigned both = __byte_perm(t, u, j / 2 ? 0x7362 : 0x5140);
                fractions[j].add(whole(j % 2 ? __dp2a_hi(weights, both, 0u) : __dp2a_lo(weights, both, 0u)), pair);
            }
        }
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            const int i = row + 8 * half, j = col + 8 * group;
            const int lift = -call.a.scaled[min(i, last_row)].exponents[above];
            double values[2];
#pragma unroll
            for (int x = 0; x < 2; ++x) {
                const int exponent = lift - call.b.scaled[min(j + x, last_col)].exponents[above];
                values[x] = p.alpha *
                            (fractions[2 * half + x].times(of.product) * __hiloint2double((exponent + 1023) << 20, 0));
            }
            const Pair pair(p, c_in_pairs, i, j);
            if (p.beta != 0) pair.add(values, p.beta, p.c.layout.col_step);
            pair.store(values, p.c.layout.col_step);
        }
    }
}

__global__ void __launch_bounds__(Pieces::threads, Pieces::blocks)
    restore_pieces(RemaindersCall call, Product<double> p, bool c_in_pairs) {
    ptx::let_next_kernel_begin();
    ptx::wait_for_kernel_before();
    const int above = call.found->above;
    Pieces::take(call, remainders::of_f64.least + above,
                 [&](int piece, const uint2* bytes) { restore_piece(call, p, c_in_pairs, piece, bytes, above); });
}

}  // namespace

Status restore(const RemaindersCall& call, const Product<double>& product, void* stream) noexcept {
    const Layout& c = product.c.layout;
    const bool in_pairs =
        c.col_step == 1 && c.row_step % 2 == 0 && reinterpret_cast<std::uintptr_t>(product.c.data) % 16 == 0;
    return launch(restore_pieces, Pieces::how(call.out), stream, call, product, in_pairs);
}

}  // namespace tw::cuda
