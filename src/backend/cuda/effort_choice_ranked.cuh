// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The last row that is read by blocks of planes, among those of the cutoff's bin: they are gathered and ranked against each other, as
// numbers that have the order of rows.
//
//   places -> what is read whatever the cutoff is, and rows of the bin, of all ranks ->
//   above + what is before it + its own weight >= reached: the first such  -> read, if affordable
#pragma once

#include "backend/cuda/effort_choice_bin.cuh"
#include "backend/cuda/effort_choice_bits.cuh"

namespace tw::cuda::effort::of_choice {

/// A row of the bin that was found, as one number: of these the higher is before the other.
struct Code {
    static constexpr int bits_of_inputs = 14;

    __device__ static unsigned of(unsigned worth, int unit, int input) {
        return worth << 16 | (~(static_cast<unsigned>(unit) << bits_of_inputs | static_cast<unsigned>(input)) & 0xffffu);
    }
    /// Of bytes in a word, one a unit.
    __device__ static unsigned weight(unsigned weights, unsigned code) { return weights >> (~code >> (bits_of_inputs - 3) & 0x18u) & 0xffu; }
};

/// What the bin says of keys.
template <int units>
struct Bin {
    unsigned number, above, rows;                 ///< of several ranks, rows in it
    unsigned of_unit[units];                      ///< of keys whose row is in it, twice the place

    template <class Desk>
    __device__ Bin(const Work& w, const Desk& desk) : number(desk.bin), above(desk.above), rows(desk.in_bin + desk.of_other) {
#pragma unroll
        for (int u = 0; u < units; ++u) of_unit[u] = min(bins - 1 - number + w.m.falls[u], 2 * bins - 1u) * 0x10001u;
    }
    /// Of two keys how many units are read whatever the cutoff is in the bin.
    __device__ unsigned certain(unsigned places) const {
        unsigned count = 0;
#pragma unroll
        for (int u = 0; u < units; ++u) count += ptx::are_above(places, of_unit[u]) & 0x10001u;
        return count;
    }
    /// Bits p and p + 16: of the two keys places[p] a row is in the bin.
    template <int pairs>
    __device__ unsigned has_rows(const unsigned (&places)[pairs]) const {
        unsigned those = 0;
#pragma unroll
        for (int p = 0; p < pairs; ++p) {
            unsigned is_one = 0;
#pragma unroll
            for (int u = 0; u < units; ++u) is_one |= ptx::are_equal(places[p], of_unit[u]);
            those |= is_one & 0x10001u << p;
        }
        return those;
    }
    /// act(n, code) of each row of keys that has_rows() said. input_of(n): which input a key is of.
    template <int count, class InputOf, class Act>
    __device__ void each_row(const Known& known, unsigned those, const unsigned* keys, const InputOf& input_of, const Act& act) const {
#pragma unroll 1
        for (; those != 0; those &= those - 1) {
            const unsigned bit = 31u - static_cast<unsigned>(__clz(static_cast<int>(those & (0u - those)))), n = 2 * (bit % 16) + bit / 16;
            const int input = input_of(n);
            unsigned left[count];
#pragma unroll
            for (int other = 0; other < count; ++other) left[other] = keys[other];
#pragma unroll
            for (int apart = 1; apart < count; apart *= 2)
#pragma unroll
                for (int other = 0; other < count; other += 2 * apart) left[other] = n & apart ? left[other + apart] : left[other];
            const unsigned key = left[0], place = known.places_of(key, key);
#pragma unroll
            for (int u = 0; u < units; ++u)
                if (place == of_unit[u]) act(n, Code::of(key, u, input));
        }
    }
};

/// The rows of the bin are ranked against each other: which are read, to `cut` and desk.cutoff. False: there are too many, for all ranks.
template <int units, int ranks, int threads, int alike, class Each>
__device__ bool rank_rows(const Work& w, const Known& known, Search<ranks, threads, alike>& desk, const Bin<units>& bin, int rank,
                          const Each& each_row, unsigned& cut) {
    constexpr int warps = threads / 32;
    const int lane = static_cast<int>(threadIdx.x % 32), warp = static_cast<int>(threadIdx.x / 32);
    if constexpr (ptx::are_together<ranks>)
        if (bin.rows > alike) return false;
    std::uint32_t count = ptx::shared_address(&desk.count_alike), codes = ptx::shared_address(desk.codes);
    asm volatile("" : "+r"(count), "+r"(codes));          // known before the barriers, not made again behind them
    const unsigned first = rank > 0 ? desk.of_other : 0;
    each_row([&](unsigned code) {
        const unsigned at = first + ptx::take_number(count);
        if (ranks > 1 || at < alike) desk.codes[at] = code;
        if constexpr (ptx::are_together<ranks>) ptx::send_to(desk.codes + at, rank ^ 1, code, ptx::shared_address(&desk.rows_here));
    });
    __syncwarp();
    __syncthreads();
    if constexpr (ptx::are_together<ranks>) ptx::wait_barrier(ptx::shared_address(&desk.rows_here), 0);
    const auto code_at = [&](int x) { return ptx::load_word(codes + 4 * static_cast<std::uint32_t>(x)); };
    const auto conclude = [&](const unsigned (&one)[2], const unsigned (&of_lane)[2]) {
        const unsigned in_front[2] = {__reduce_add_sync(~0u, of_lane[0]), __reduce_add_sync(~0u, of_lane[1])};
        if (lane >= 2) return;                            // what is behind the last row is 0, and behind all of them
        const unsigned code = lane == 0 ? one[0] : one[1], before = bin.above + (lane == 0 ? in_front[0] : in_front[1]);
        const unsigned with = before + Code::weight(known.weights, code);
        if (before >= w.reached || with < w.reached) return;
        const unsigned is_read = with <= w.affordable, of = ~code & 0xffffu;
        desk.cut = code - is_read;
        desk.cutoff.row = {known.upper_of(bin.number) << step | code >> 16,
                           key_of(static_cast<int>(of >> Code::bits_of_inputs), static_cast<int>(of & ((1u << Code::bits_of_inputs) - 1))) + is_read};
    };
    // Up to 32 rows, a lane each; or more of them in turns.
    const unsigned all = ranks > 1 ? bin.rows : ptx::load_word(count), one[2] = {code_at(warp), code_at(warp + warps)}, other = code_at(lane);
    const unsigned weight = Code::weight(known.weights, other);
    if (all <= 32) {
        conclude(one, {other > one[0] ? weight : 0, other > one[1] ? weight : 0});
    } else if (all > alike) {
        return false;
    } else {
#pragma unroll 1
        for (int c = warp; c < static_cast<int>(all); c += 2 * warps) {
            const unsigned two[2] = {code_at(c), code_at(c + warps)};
            unsigned in_front[2] = {};
#pragma unroll 1
            for (int x = lane; x < static_cast<int>(all) + lane; x += 64)
#pragma unroll
                for (int half = 0; half < 2; ++half) {
                    const unsigned code = code_at(x + 32 * half), of_code = Code::weight(known.weights, code);
#pragma unroll
                    for (int n = 0; n < 2; ++n) in_front[n] += code > two[n] ? of_code : 0;
                }
            conclude(two, in_front);
            __syncwarp();
        }
    }
    __syncthreads();
    cut = ptx::load_word(codes - 4);
    return true;
}

}  // namespace tw::cuda::effort::of_choice
