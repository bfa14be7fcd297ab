// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Rows to planes of int8: scaled, rounded to whole numbers, and their remainders. A block takes 32 rows and 128 of k
// through shared memory, in the direction in which the operand lies; a thread then has 16 neighbours of k, and writes
// 16 bytes of each plane.
#include "backend/cuda/device/device.hpp"
#include "backend/cuda/device/launch.hpp"
#include "backend/cuda/ptx/cp_async.cuh"
#include "backend/cuda/ptx/integer.cuh"
#include "backend/cuda/ptx/shared_load.cuh"
#include "backend/cuda/ptx/team.cuh"
#include "backend/cuda/remainders/remainders.cuh"

namespace tw::cuda {
namespace {

using remainders::OfElement;

__constant__ constexpr remainders::Tables tables = remainders::tables();

enum class Pass { first, again, magnitudes };

/// Rows and k that are converted together.
struct Piece {
    static constexpr int rows = 32, k = 128, threads = 256, of_thread = 16;
    /// One more every 16, and 9 more than a multiple of 16: threads of half a warp read from different banks.
    static constexpr int pitch = k + k / 16 + 1, bytes = rows * pitch * 8;

    const RemaindersOperand* of;
    int row, first_k;
    bool of_a;

    /// Along k first: blocks that run together write whole rows of planes.
    __device__ Piece(const RemaindersCall& call, int index, int pieces_of_a) : of_a(index < pieces_of_a) {
        of = of_a ? &call.a : &call.b;
        if (!of_a) index -= pieces_of_a;
        const int wide = (static_cast<int>(of->pitch) + k - 1) / k;
        row = index / wide * rows, first_k = index % wide * k;
    }
    static std::int64_t count(const RemaindersOperand& one) {
        return tiles_over(one.rows.layout.rows, rows) * tiles_over(one.pitch, k);
    }

    __device__ void load(std::uint32_t tile) const {
        if (of->rows.layout.col_step == 1) load<true>(tile);
        else load<false>(tile);
    }

private:
    /// Asynchronous copies, 0 for what lies outside. Neighbouring threads copy neighbours along k, or along the rows.
    template <bool along>
    __device__ void load(std::uint32_t tile) const {
        constexpr int wide = along ? k : rows, jump = threads / wide;
        const int inner = static_cast<int>(threadIdx.x) % wide, outer = static_cast<int>(threadIdx.x) / wide;
        const int rows_left = static_cast<int>(of->rows.rows()) - row,
                  k_left = static_cast<int>(of->rows.cols()) - first_k;
        const int outer_left = inner < (along ? k_left : rows_left) ? (along ? rows_left : k_left) - outer : 0;
        const Layout& lies = of->rows.layout;
        const double* from = of->rows.data + lies(row + (along ? outer : inner), first_k + (along ? inner : outer));
        const std::int64_t step = jump * (along ? lies.row_step : lies.col_step);
        tile += 8 * (along ? outer * pitch + place(inner) : inner * pitch + outer);
#pragma unroll
        for (int i = 0; i < of_thread; ++i, from += step)
            ptx::copy_8(tile + 8 * (along ? i * jump * pitch : place(i * jump)), from, i * jump < outer_left);
        ptx::commit_copies();
    }
    /// Of k within a row of the tile: for steps of 8 that begin below 8, too.
    static __device__ constexpr int place(int at) { return at + at / 16; }
};

/// Four low bytes.
__device__ unsigned bytes_of(int a, int b, int c, int d) {
    return __byte_perm(__byte_perm(static_cast<unsigned>(a), static_cast<unsigned>(b), 0x0040),
                       __byte_perm(static_cast<unsigned>(c), static_cast<unsigned>(d), 0x0040), 0x5410);
}

/// x + 2^63 in two words; its remainder.
struct Biased {
    unsigned low, high;

    __device__ int remainder(const OfElement& by) const {
        const int s = ptx::dot(high, by.high_weights, ptx::dot(low, by.low_weights, 0));
        return __mulhi(static_cast<int>(static_cast<unsigned>(s) * by.multiplier + by.addend), by.p);
    }
};

/// One thread's part of a piece: 16 neighbours of k of a row.
template <Pass pass>
__device__ void convert_piece(const RemaindersCall& call, const Piece& piece, std::uint32_t tile, int above) {
    constexpr int n = Piece::of_thread;
    const RemaindersOperand& one = *piece.of;
    const int in_piece = static_cast<int>(threadIdx.x) / 8, chunk = static_cast<int>(threadIdx.x) % 8;
    const int row = piece.row + in_piece, k = piece.first_k + n * chunk, end = static_cast<int>(one.rows.cols());
    const bool inside = row < one.rows.rows();
    const ScaledRow& scaled = one.scaled[inside ? row : 0];
    tile += 8 * (in_piece * Piece::pitch + 17 * chunk);
    std::int8_t* to = one.planes + row * one.pitch + k;
    const std::int64_t plane_bytes = one.plane_bytes();
    const bool stores = inside && k < one.pitch;
    const auto store = [&](const auto& of) {
        *reinterpret_cast<uint4*>(to) =
            make_uint4(bytes_of(of(0), of(1), of(2), of(3)), bytes_of(of(4), of(5), of(6), of(7)),
                       bytes_of(of(8), of(9), of(10), of(11)), bytes_of(of(12), of(13), of(14), of(15)));
    };
    if constexpr (pass == Pass::magnitudes) {
        const double step = scaled.step;
        const bool any = scaled.worth > 0;
        to += (remainders::most_count - 1) * plane_bytes;
        if (!stores) return;
        store([&](int i) { return any ? static_cast<int>(fabs(ptx::load_double(tile + 8 * i)) / step) : 0; });
    } else {
        const double scale = __hiloint2double((scaled.exponents[above] + 1023) << 20, 0), threshold = scaled.threshold;
        const bool finite = scaled.worth != 0;
        Biased whole[n];
        int large = 0;
#pragma unroll
        for (int i = 0; i < n; ++i) {
            const double element = ptx::load_double(tile + 8 * i);
            if (pass == Pass::first) large += fabs(element) >= threshold && k + i < end;
            const long long bits = finite ? __double2ll_rn(element * scale) : 0;
            whole[i] = {static_cast<unsigned>(bits), static_cast<unsigned>(bits >> 32) ^ 0x80000000u};
        }
        const OfElement* const by = piece.of_a ? tables.of_count[above].of_a.data() : tables.of_b.data();
        if (stores) {
#pragma unroll 2
            for (int i = 0; i < remainders::least_count + above; ++i, to += plane_bytes)
                store([&](int j) { return whole[j].remainder(by[i]); });
        }
        if constexpr (pass == Pass::first) {
#pragma unroll
            for (int step = 4; step > 0; step /= 2) large += __shfl_xor_sync(~0u, large, step);
            if (inside && chunk == 0) {
                // Who adds a row's last elements knows how many of all are large.
                const auto seen = static_cast<unsigned>(min(Piece::k, end - piece.first_k));
                const unsigned long long mine = std::uint64_t{seen} << 32 | static_cast<unsigned>(large);
                const unsigned long long all = atomicAdd(one.large + row, mine) + mine;
                const bool is_last = all >> 32 == static_cast<unsigned>(end);
                if (is_last && (!finite || !remainders::are_most(static_cast<std::int64_t>(all & 0xffffffffu), end)))
                    call.found->unsure = 1;
            }
        }
    }
}

/// The next piece is on its way while one is converted. The last are first: what was measured last is still in L2.
template <Pass pass>
__global__ void __launch_bounds__(Piece::threads, pass == Pass::first ? 3 : 2)
    convert(RemaindersCall call, int pieces_of_a, int pieces) {
    extern __shared__ __align__(16) char memory[];
    ptx::let_next_kernel_begin();
    ptx::wait_for_kernel_before();
    if (pass == Pass::magnitudes && call.found->unsure == 0) return;
    const int above = pass == Pass::again ? call.found->above : 0;
    if (pass == Pass::again && above == 0) return;
    std::uint32_t now = ptx::shared_address(memory), next = now + Piece::bytes;
    int index = pieces - 1 - static_cast<int>(blockIdx.x);
    Piece(call, index, pieces_of_a).load(now);
    for (; index >= 0; index -= static_cast<int>(gridDim.x)) {
        const int following = index - static_cast<int>(gridDim.x);
        if (following >= 0) Piece(call, following, pieces_of_a).load(next);
        else ptx::commit_copies();
        ptx::wait_for_copies<1>();
        __syncthreads();
        convert_piece<pass>(call, Piece(call, index, pieces_of_a), now, above);
        __syncthreads();
        const std::uint32_t free = now;
        now = next, next = free;
    }
}

template <Pass pass>
Status start(const RemaindersCall& call, void* stream) {
    constexpr int at_once = pass == Pass::first ? 3 : 2;
    const std::int64_t of_a = Piece::count(call.a), all = of_a + Piece::count(call.b),
                       fit = at_once * multiprocessors();
    return launch(convert<pass>,
                  {.blocks = static_cast<unsigned>(all < fit ? all : fit),
                   .threads = Piece::threads,
                   .shared = 2 * Piece::bytes,
                   .overlaps = true},
                  stream, call, static_cast<int>(of_a), static_cast<int>(all));
}

}  // namespace

Status convert_rows(const RemaindersCall& call, void* stream) noexcept { return start<Pass::first>(call, stream); }
Status write_magnitudes(const RemaindersCall& call, void* stream) noexcept {
    return start<Pass::magnitudes>(call, stream);
}
Status convert_again(const RemaindersCall& call, void* stream) noexcept { return start<Pass::again>(call, stream); }

}  // namespace tw::cuda
