// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Rows to planes of int8: scaled, rounded to whole numbers, and their remainders. A block takes 32 rows and 128 of k
// through shared memory, in the direction in which the operand lies; a thread then has 16 neighbours of k, and writes
// 16 bytes of each plane. Of complex operands 16 rows and 8 neighbours, and of each plane 8 bytes.
#include "backend/cuda/device/device.hpp"
#include "backend/cuda/device/launch.hpp"
#include "backend/cuda/ptx/team.cuh"
#include "backend/cuda/remainders/digits.cuh"
#include "backend/cuda/remainders/piece.cuh"
#include "backend/cuda/remainders/take_pieces.cuh"

namespace tw::cuda {
namespace {

__constant__ constexpr auto of_f64 = remainders::elements_of_f64();
__constant__ constexpr auto of_c128 = remainders::faces_of(remainders::of_c128);
__constant__ constexpr auto of_c64 = remainders::faces_of(remainders::of_c64);

template <class E>
__device__ const auto& rules_of() {
    if constexpr (E::PARTS == 1) return of_f64;
    else if constexpr (sizeof(E) == 16) return of_c128;
    else return of_c64;
}

enum class Pass { first, again, magnitudes };

/// By 7 moduli c64 has whole numbers of 28 bits.
template <class E, Pass pass>
inline constexpr bool is_narrow = sizeof(E) == 8 && E::PARTS == 2 && pass == Pass::first;
/// Blocks of a multiprocessor.
template <class E, Pass pass>
inline constexpr int at_once = is_narrow<E, pass>    ? 4
                               : pass == Pass::first ? 3
                                                     : 2;

/// One thread's part of a piece: neighbours of k of a row.
template <class E>
struct Neighbours {
    static constexpr int count = Piece<E>::of_thread;
    const RemaindersOperand& one;
    int in_piece, chunk, row, k, end;
    bool inside;
    std::uint32_t tile;

    __device__ Neighbours(const Piece<E>& piece, std::uint32_t first)
        : one(*piece.of),
          in_piece(static_cast<int>(threadIdx.x) / Piece<E>::chunks),
          chunk(static_cast<int>(threadIdx.x) % Piece<E>::chunks),
          row(piece.row + in_piece),
          k(piece.first_k + count * chunk),
          end(static_cast<int>(one.rows.cols())),
          inside(row < one.rows.rows()),
          tile(first + sizeof(E) * (in_piece * Piece<E>::pitch + (count + 1) * chunk)) {}

    __device__ const ScaledRow& scaled() const { return one.scaled[inside ? row : 0]; }
    __device__ bool stores() const { return inside && k < one.pitch; }
    template <class Real>
    __device__ void read(int i, Real (&parts)[E::PARTS]) const {
        read_element<E>(tile + sizeof(E) * i, parts);
    }
};

/// 7 bits of each part, whose rows of a complex operand are twice as long: of B also with the parts the other way
/// round, so that a real product of them is the one of parts that make an imaginary part.
template <class E>
__device__ void convert_magnitudes(const RemaindersCall& call, const Piece<E>& piece, std::uint32_t tile) {
    const Neighbours<E> mine(piece, tile);
    const RemaindersOperand& one = mine.one;
    if (!mine.stores()) return;
    const double step = mine.scaled().step;
    const bool any = mine.scaled().worth > 0;
    unsigned words[2][4] = {};
#pragma unroll
    for (int i = 0; i < mine.count; ++i) {
        double parts[E::PARTS];
        mine.read(i, parts);
#pragma unroll
        for (int part = 0; part < E::PARTS; ++part) {
            const unsigned digit = any ? static_cast<unsigned>(fabs(parts[part]) / step) : 0;
            const int at = E::PARTS * i + part, crossed = piece.of_a ? at : at ^ 1;
            words[0][at / 4] |= digit << (8 * (at % 4)), words[1][crossed / 4] |= digit << (8 * (crossed % 4));
        }
    }
    std::int8_t* const to =
        one.planes + call.magnitudes_of(one) + E::PARTS * (mine.row * one.pitch + std::int64_t{mine.k});
#pragma unroll
    for (int part = 0; part < E::PARTS; ++part)
        *reinterpret_cast<uint4*>(to + part * E::PARTS * one.plane_bytes()) =
            make_uint4(words[part][0], words[part][1], words[part][2], words[part][3]);
}

template <class E, Pass pass>
__device__ void convert_piece(const RemaindersCall& call, const Piece<E>& piece, std::uint32_t tile, int above) {
    const Neighbours<E> mine(piece, tile);
    const RemaindersOperand& one = mine.one;
    const ScaledRow& row = mine.scaled();
    constexpr int words = is_narrow<E, pass> ? 1 : 2;
    using Real = typename Digits<words>::Real;
    const int exponent = row.exponents[above];
    const Real threshold = least_above<Real>(row.threshold);
    const bool finite = row.worth != 0;
    Digits<words> whole[mine.count][E::PARTS];
    int large = 0;
#pragma unroll
    for (int i = 0; i < mine.count; ++i) {
        Real parts[E::PARTS];
        mine.read(i, parts);
#pragma unroll
        for (int part = 0; part < E::PARTS; ++part) {
            if (pass == Pass::first) large += fabs(parts[part]) >= threshold && mine.k + i < mine.end;
            const Real x = finite ? parts[part] : 0;
            whole[i][part] = Digits<words>::of(scaled(x, exponent, part == 1 && one.rows.is_conj));
        }
    }
    const auto& rules = rules_of<E>();
    const auto* const by = piece.of_a ? rules.of_a[above].data() : rules.of_b.data();
    const std::int64_t plane_bytes = one.plane_bytes();
    std::int8_t* to = one.planes + mine.row * one.pitch + mine.k;
    if (mine.stores()) {
#pragma unroll(2 / E::PARTS)
        for (int i = 0; i < set_of<E>.least + above; ++i, to += E::PARTS * plane_bytes)
            store_remainders(to, plane_bytes, whole, by[i]);
    }
    if constexpr (pass == Pass::first) {
#pragma unroll
        for (int step = Piece<E>::chunks / 2; step > 0; step /= 2) large += __shfl_xor_sync(~0u, large, step);
        if (mine.inside && mine.chunk == 0) {
            // Who adds a row's last elements knows how many parts of all are large.
            const auto seen = static_cast<unsigned>(min(Piece<E>::k, mine.end - piece.first_k));
            const unsigned long long counted = std::uint64_t{seen} << 32 | static_cast<unsigned>(large);
            const unsigned long long all = atomicAdd(one.large + mine.row, counted) + counted;
            const bool is_last = all >> 32 == static_cast<unsigned>(mine.end);
            const auto of_all = static_cast<std::int64_t>(all & 0xffffffffu);
            if (is_last && (!finite || !remainders::are_most(of_all, E::PARTS * std::int64_t{mine.end})))
                call.found->unsure = 1;
        }
    }
}

/// The last pieces are first: what was measured last is still in L2.
template <class E, Pass pass>
__global__ void __launch_bounds__(Piece<E>::threads, at_once<E, pass>)
    convert(RemaindersCall call, int pieces_of_a, int pieces) {
    extern __shared__ __align__(16) char memory[];
    ptx::let_next_kernel_begin();
    ptx::wait_for_kernel_before();
    if (pass == Pass::magnitudes && call.found->unsure == 0) return;
    const int above = pass == Pass::again ? call.found->above : 0;
    if (pass == Pass::again && above == 0) return;
    const auto tile = [&](int stage) { return ptx::shared_address(memory) + stage * Piece<E>::bytes; };
    const auto piece_of = [&](int index) { return Piece<E>(call, pieces - 1 - index, pieces_of_a); };
    take_pieces(
        pieces, pass == Pass::first ? &call.found->converted : nullptr,
        [&](int index, int stage) { piece_of(index).load(tile(stage)); },
        [&](int index, int stage) {
            if constexpr (pass == Pass::magnitudes) convert_magnitudes(call, piece_of(index), tile(stage));
            else convert_piece<E, pass>(call, piece_of(index), tile(stage), above);
        });
}

template <class E, Pass pass>
Status start(const RemaindersCall& call, void* stream) {
    const auto pieces_of = [](const RemaindersOperand& one) {
        return pass == Pass::first && one.kept ? 0 : Piece<E>::count(one);
    };
    const std::int64_t of_a = pieces_of(call.a), all = of_a + pieces_of(call.b),
                       fit = at_once<E, pass> * multiprocessors();
    return launch(convert<E, pass>,
                  {.blocks = static_cast<unsigned>(all < fit ? all : fit),
                   .threads = Piece<E>::threads,
                   .shared = 2 * Piece<E>::bytes,
                   .overlaps = true},
                  stream, call, static_cast<int>(of_a), static_cast<int>(all));
}

}  // namespace

template <class E>
Status convert_rows(const RemaindersCall& call, void* stream) noexcept {
    return start<E, Pass::first>(call, stream);
}
template <class E>
Status write_magnitudes(const RemaindersCall& call, void* stream) noexcept {
    return start<E, Pass::magnitudes>(call, stream);
}
template <class E>
Status convert_again(const RemaindersCall& call, void* stream) noexcept {
    return start<E, Pass::again>(call, stream);
}

template Status convert_rows<ElementF64>(const RemaindersCall&, void*) noexcept;
template Status convert_rows<ElementC128>(const RemaindersCall&, void*) noexcept;
template Status convert_rows<ElementC64>(const RemaindersCall&, void*) noexcept;
template Status write_magnitudes<ElementF64>(const RemaindersCall&, void*) noexcept;
template Status write_magnitudes<ElementC128>(const RemaindersCall&, void*) noexcept;
template Status write_magnitudes<ElementC64>(const RemaindersCall&, void*) noexcept;
template Status convert_again<ElementF64>(const RemaindersCall&, void*) noexcept;
template Status convert_again<ElementC128>(const RemaindersCall&, void*) noexcept;
template Status convert_again<ElementC64>(const RemaindersCall&, void*) noexcept;

}  // namespace tw::cuda
