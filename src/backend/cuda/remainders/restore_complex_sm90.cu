// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Complex C out of the remainders of its two faces: for each modulus those of its parts, and from there on as C of
// doubles, twice. alpha and beta are multiplied in doubles, and each part is rounded to C's type once.
#include "backend/cuda/device/launch.hpp"
#include "backend/cuda/operands/complex.cuh"
#include "backend/cuda/ptx/team.cuh"
#include "backend/cuda/remainders/fraction.cuh"
#include "backend/cuda/remainders/remainders.cuh"

namespace tw::cuda {
namespace {

constexpr int threads = 256, blocks_of_tile = RemaindersOutput::tile_bytes / 4 / threads;

__constant__ constexpr auto counts_of_c128 = remainders::pairs_of_counts(remainders::of_c128);
__constant__ constexpr auto counts_of_c64 = remainders::pairs_of_counts(remainders::of_c64);
/// Of both types: their moduli are the same.
__constant__ constexpr auto parts_of_faces = remainders::parts_of(remainders::of_c128);

struct ComplexProduct {
    void* c;
    Layout layout;
    Complex<double> alpha, beta;
    bool at_sizes;
};

struct PartsOfC {
    unsigned real, imaginary;
};
/// From u and v in [0, p).
__device__ PartsOfC parts_of_c(unsigned u, unsigned v, const remainders::OfParts& by) {
    return {min(u + v, u + v - by.p), __umulhi((u - v) * by.multiplier + by.half, by.p)};
}

/// alpha * value + beta * C.
template <class E>
__device__ void store(const ComplexProduct& p, std::int64_t row, std::int64_t col, Complex<double> value) {
    if (row >= p.layout.rows || col >= p.layout.cols) return;
    E* const to = static_cast<E*>(p.c) + p.layout(row, col);
    Complex<double> sum = scaled(p.alpha, value);
    if (p.beta.re != 0 || p.beta.im != 0) sum = plus_scaled(sum, p.beta, Complex<double>{to->part[0], to->part[1]});
    const E made{static_cast<typename E::Part>(sum.re), static_cast<typename E::Part>(sum.im)};
    if (!p.at_sizes) *to = made;
    else if constexpr (sizeof(E) == 16) *reinterpret_cast<double2*>(to) = make_double2(made.part[0], made.part[1]);
    else *reinterpret_cast<float2*>(to) = make_float2(made.part[0], made.part[1]);
}

/// A thread has four bytes of each plane: two neighbours in each of two rows.
template <class E>
__global__ void __launch_bounds__(threads, 2) restore_tiles(RemaindersCall call, ComplexProduct p) {
    constexpr int most = set_of<E>.most();
    ptx::let_next_kernel_begin();
    ptx::wait_for_kernel_before();
    const int above = call.found->above, count = set_of<E>.least + above;
    const int tile = static_cast<int>(blockIdx.x) / blocks_of_tile,
              word = static_cast<int>(blockIdx.x) % blocks_of_tile * threads + static_cast<int>(threadIdx.x);
    const int group = word % 2, lane = word / 2 % 32, run = word / 64 % 16, warp = word / 1024;
    const int tile_row = tile / call.out.across, tile_col = tile % call.out.across;
    if (call.found->any_native && call.out.native[tile_row * 2 * call.out.across + 2 * tile_col + run / 8]) return;
    const std::int64_t plane = std::int64_t{call.out.down} * call.out.across * RemaindersOutput::tile_bytes;
    const std::uint8_t* from = call.out.bytes + std::int64_t{tile} * RemaindersOutput::tile_bytes + 4 * word;
    unsigned faces[most][2];
#pragma unroll
    for (int i = 0; i < most; ++i)
#pragma unroll
        for (int face = 0; face < 2; ++face)
            faces[i][face] = i < count ? __ldcs(reinterpret_cast<const unsigned*>(from + (2 * i + face) * plane)) : 0;

    const remainders::PairsOfCount& of = sizeof(E) == 16 ? counts_of_c128[above] : counts_of_c64[above];
    const int row = tile_row * RemaindersOutput::rows + warp * 16 + lane / 4,
              col = tile_col * RemaindersOutput::columns + run * 16 + group * 8 + lane % 4 * 2;
    const int last_row = static_cast<int>(p.layout.rows) - 1, last_col = static_cast<int>(p.layout.cols) - 1;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
        Fraction fractions[2][2];
#pragma unroll
        for (int i = 0; i < most; i += 2) {
            if (i >= count) break;
            constexpr unsigned none[2] = {};
            const unsigned *const one = faces[i], *const next = i + 1 < most ? faces[i + 1] : none;
            const remainders::OfParts &by = parts_of_faces[i], &by_next = parts_of_faces[i + 1 < most ? i + 1 : i];
#pragma unroll
            for (int x = 0; x < 2; ++x) {
                const int shift = 8 * (2 * half + x);
                const PartsOfC t = parts_of_c(one[0] >> shift & 255, one[1] >> shift & 255, by);
                const PartsOfC u = parts_of_c(next[0] >> shift & 255, next[1] >> shift & 255, by_next);
                fractions[x][0].add(t.real, u.real, of.pairs[i / 2]);
                fractions[x][1].add(t.imaginary, u.imaginary, of.pairs[i / 2]);
            }
        }
        const int i = row + 8 * half, lift = -call.a.scaled[min(i, last_row)].exponents[above];
#pragma unroll
        for (int x = 0; x < 2; ++x) {
            const int exponent = lift - call.b.scaled[min(col + x, last_col)].exponents[above];
            const double scale = __hiloint2double((exponent + 1023) << 20, 0);
            store<E>(p, i, col + x,
                     {fractions[x][0].times(of.product) * scale, fractions[x][1].times(of.product) * scale});
        }
    }
}

}  // namespace

template <class E>
Status restore_complex(const RemaindersCall& call, const Call& product, void* stream) noexcept {
    const Matrix& c = product.c;
    const auto part = [](double x) { return static_cast<double>(static_cast<typename E::Part>(x)); };
    const ComplexProduct p{c.data,
                           {c.rows, c.cols, c.row_step, c.col_step, 0},
                           {part(product.alpha), part(product.alpha_imag)},
                           {part(product.beta), part(product.beta_imag)},
                           reinterpret_cast<std::uintptr_t>(c.data) % sizeof(E) == 0};
    const std::int64_t tiles = std::int64_t{call.out.down} * call.out.across;
    return launch(restore_tiles<E>,
                  {.blocks = static_cast<unsigned>(tiles * blocks_of_tile), .threads = threads, .overlaps = true},
                  stream, call, p);
}

template Status restore_complex<ElementC128>(const RemaindersCall&, const Call&, void*) noexcept;
template Status restore_complex<ElementC64>(const RemaindersCall&, const Call&, void*) noexcept;

}  // namespace tw::cuda
