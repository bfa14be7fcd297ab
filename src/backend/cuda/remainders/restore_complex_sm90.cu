// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Complex C out of the remainders of its two faces: for two moduli at once those of its parts, and from there on as C
// of doubles, twice. alpha and beta are multiplied in doubles, and each part is rounded to C's type once.
#include "backend/cuda/operands/complex.cuh"
#include "backend/cuda/ptx/integer.cuh"
#include "backend/cuda/ptx/team.cuh"
#include "backend/cuda/remainders/fraction.cuh"
#include "backend/cuda/remainders/pieces_of_c.cuh"

namespace tw::cuda {
namespace {

template <class E>
using Pieces = PiecesOfC<unsigned, 2 * set_of<E>.most()>;

__constant__ constexpr auto counts_of_c128 = remainders::pairs_of_counts(remainders::of_c128);
__constant__ constexpr auto counts_of_c64 = remainders::pairs_of_counts(remainders::of_c64);
__constant__ constexpr auto parts_of_c128 = remainders::parts_of(remainders::of_c128);
__constant__ constexpr auto parts_of_c64 = remainders::parts_of(remainders::of_c64);
__constant__ constexpr auto whole_of_c64 = remainders::whole_of(remainders::of_c64, remainders::of_c64.least);

struct ComplexProduct {
    void* c;
    Layout layout;
    Complex<double> alpha, beta;
    bool at_sizes, in_pairs;  ///< elements, and two neighbours, lie at multiples of their size
};

/// The sum of bytes by their weights, less a multiple of pq.
__device__ int balanced(int sum, const remainders::OfParts& by) {
    const unsigned quotient = __float_as_uint(__fmaf_rn(static_cast<float>(sum), by.inverse, 0x1.8p23f));
    return static_cast<int>(static_cast<unsigned>(sum) - static_cast<unsigned>(by.both) * quotient - by.rest);
}
/// What the faces of two moduli add to a part of C, x of x / pq.
struct PartsOfC {
    int real, imaginary;
    __device__ PartsOfC(unsigned faces, const remainders::OfParts& by)
        : real(static_cast<int>(__dp4a(faces, by.real, 0u))),
          imaginary(balanced(ptx::dot(faces, by.low, ptx::dot(faces, by.high, 0) * 256), by)) {}
};
/// x + 2^52 + 2^31, less that.
__device__ double exactly(int x) {
    return __dadd_rn(__hiloint2double(0x43300000, static_cast<int>(static_cast<unsigned>(x) ^ 0x80000000u)),
                     -(0x1p52 + 0x1p31));
}

/// C' where it fits into 64 bits, and otherwise.
struct WholeSum {
    long long sum = 0;
    __device__ void add(int x, const remainders::Halves& share) {
        sum += static_cast<long long>(x) * share.low + (static_cast<long long>(x * share.high) << 32);
    }
    __device__ double value(const remainders::WholeOfCount& of) const {
        const auto high = static_cast<float>(static_cast<int>(sum >> 32));
        const int quotient = __float_as_int(__fmaf_rn(high, of.inverse, 0x1.8p23f)) - 0x4b400000;
        WholeSum rest{sum};
        rest.add(-quotient, of.product);
        const auto bits = static_cast<unsigned long long>(rest.sum);
        const double upper =
            __hiloint2double(0x45300000, static_cast<int>(static_cast<unsigned>(bits >> 32) ^ 0x80000000u));
        return __dadd_rn(__dadd_rn(upper, -(0x1p84 + 0x1p63 + 0x1p52)),
                         __hiloint2double(0x43300000, static_cast<int>(bits)));
    }
};

/// alpha * value + beta * C, of two neighbours.
template <class E>
__device__ void store(const ComplexProduct& p, std::int64_t row, std::int64_t col, const Complex<double> (&values)[2]) {
    if (row >= p.layout.rows) return;
    E* const first = static_cast<E*>(p.c) + p.layout(row, col);
    const bool has[2] = {col < p.layout.cols, col + 1 < p.layout.cols};
    alignas(16) E made[2];
#pragma unroll
    for (int x = 0; x < 2; ++x) {
        Complex<double> sum = scaled(p.alpha, values[x]);
        if (p.beta.re != 0 || p.beta.im != 0) {
            const E old = has[x] ? first[x * p.layout.col_step] : E{};
            sum = plus_scaled(sum, p.beta, Complex<double>{old.part[0], old.part[1]});
        }
        made[x] = {static_cast<typename E::Part>(sum.re), static_cast<typename E::Part>(sum.im)};
    }
    if constexpr (sizeof(E) == 8) {
        if (p.in_pairs && has[1]) {
            *reinterpret_cast<float4*>(first) = reinterpret_cast<const float4&>(made);
            return;
        }
    }
#pragma unroll
    for (int x = 0; x < 2; ++x) {
        if (!has[x]) continue;
        E* const to = first + x * p.layout.col_step;
        if (!p.at_sizes) *to = made[x];
        else if constexpr (sizeof(E) == 16) *reinterpret_cast<double2*>(to) = reinterpret_cast<const double2&>(made[x]);
        else *reinterpret_cast<float2*>(to) = reinterpret_cast<const float2&>(made[x]);
    }
}

/// A piece is 1 KB of each plane: a thread has four bytes, two neighbours in each of two rows.
template <class E>
__device__ void restore_piece(const RemaindersCall& call, const ComplexProduct& p, int piece, const unsigned* faces,
                              int above) {
    constexpr int most = set_of<E>.most(), threads = Pieces<E>::threads, of_tile = Pieces<E>::of_tile;
    const int count = set_of<E>.least + above, tile = piece / of_tile,
              word = piece % of_tile * threads + static_cast<int>(threadIdx.x);
    const int group = word % 2, lane = word / 2 % 32, run = word / 64 % 16, warp = word / 1024;
    const int tile_row = tile / call.out.across, tile_col = tile % call.out.across;
    if (call.found->any_native && call.out.native[tile_row * 2 * call.out.across + 2 * tile_col + run / 8]) return;
    const remainders::PairsOfCount& of = sizeof(E) == 16 ? counts_of_c128[above] : counts_of_c64[above];
    const remainders::PartsOfCount& parts = sizeof(E) == 16 ? parts_of_c128[above] : parts_of_c64[above];
    const auto each_pair = [&](int half, int count, const auto& add) {
#pragma unroll
        for (int i = 0; i < most; i += 2) {
            if (i >= count) break;
            const auto both = [&](int i) {
                const unsigned* const plus = faces + 2 * i * threads;
                return i < count ? __byte_perm(plus[0], plus[threads], half ? 0x7362 : 0x5140) : 0;
            };
            const unsigned first = both(i), second = both(i + 1);
#pragma unroll
            for (int x = 0; x < 2; ++x)
                add(x, i / 2, PartsOfC(__byte_perm(first, second, x ? 0x7632 : 0x5410), parts[i / 2]));
        }
    };
    const int row = tile_row * RemaindersOutput::rows + warp * 16 + lane / 4,
              col = tile_col * RemaindersOutput::columns + run * 16 + group * 8 + lane % 4 * 2;
    const int last_row = static_cast<int>(p.layout.rows) - 1, last_col = static_cast<int>(p.layout.cols) - 1;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
        Complex<double> values[2];
        if (sizeof(E) == 8 && above == 0) {
            WholeSum sums[2][2];
            each_pair(half, set_of<E>.least, [&](int x, int pair, const PartsOfC& add) {
                sums[x][0].add(add.real, whole_of_c64.pairs[pair]);
                sums[x][1].add(add.imaginary, whole_of_c64.pairs[pair]);
            });
#pragma unroll
            for (int x = 0; x < 2; ++x) values[x] = {sums[x][0].value(whole_of_c64), sums[x][1].value(whole_of_c64)};
        } else {
            Fraction fractions[2][2];
            each_pair(half, count, [&](int x, int pair, const PartsOfC& add) {
                fractions[x][0].add(exactly(balanced(add.real, parts[pair])), of.pairs[pair]);
                fractions[x][1].add(exactly(add.imaginary), of.pairs[pair]);
            });
#pragma unroll
            for (int x = 0; x < 2; ++x)
                values[x] = {fractions[x][0].times(of.product), fractions[x][1].times(of.product)};
        }
        const int i = row + 8 * half, lift = -call.a.scaled[min(i, last_row)].exponents[above];
#pragma unroll
        for (int x = 0; x < 2; ++x) {
            const int exponent = lift - call.b.scaled[min(col + x, last_col)].exponents[above];
            const double scale = __hiloint2double((exponent + 1023) << 20, 0);
            values[x] = {values[x].re * scale, values[x].im * scale};
        }
        store<E>(p, i, col, values);
    }
}

template <class E>
__global__ void __launch_bounds__(Pieces<E>::threads, Pieces<E>::blocks)
    restore_pieces(RemaindersCall call, ComplexProduct p) {
    ptx::let_next_kernel_begin();
    ptx::wait_for_kernel_before();
    const int above = call.found->above;
    Pieces<E>::take(call, 2 * (set_of<E>.least + above),
                    [&](int piece, const unsigned* faces) { restore_piece<E>(call, p, piece, faces, above); });
}

}  // namespace

template <class E>
Status restore_complex(const RemaindersCall& call, const Call& product, void* stream) noexcept {
    const Matrix& c = product.c;
    const auto part = [](double x) { return static_cast<double>(static_cast<typename E::Part>(x)); };
    const ComplexProduct p{
        c.data,
        {c.rows, c.cols, c.row_step, c.col_step, 0},
        {part(product.alpha), part(product.alpha_imag)},
        {part(product.beta), part(product.beta_imag)},
        reinterpret_cast<std::uintptr_t>(c.data) % sizeof(E) == 0,
        c.col_step == 1 && c.row_step % 2 == 0 && reinterpret_cast<std::uintptr_t>(c.data) % 16 == 0};
    return launch(restore_pieces<E>, Pieces<E>::how(call.out), stream, call, p);
}

template Status restore_complex<ElementC128>(const RemaindersCall&, const Call&, void*) noexcept;
template Status restore_complex<ElementC64>(const RemaindersCall&, const Call&, void*) noexcept;

}  // namespace tw::cuda
