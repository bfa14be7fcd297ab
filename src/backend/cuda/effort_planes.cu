// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// effort_planes: a block multiplies one tile of 512 outputs by 128 entries, in whole numbers as the CPU's kernels do
// (backend/cpu/effort.hpp has the arithmetic), on the matrix unit. What the block reads of planes A and B is on its way before v d is rounded.
//
//   a row of plane A: 128 bytes, 16 a lane          the unit's 16 x 8 results:   columns 0-3 high, 4-7 low, of blocks 4 q .. 4 q + 3
//   |lane 0: q = 0 1 2 3|lane 1 ...|lane 7|   row:  lane's word of q, codes of k masked out    column: bytes j = 0..3 of v d, one not 0
//
// A word has four blocks' bytes, so k of the unit is (entry, byte) and v d of a block stands in its own byte alone: nothing is
// unpacked but by a mask, and nothing shuffled. Word (h, t, q) of a row is the layout's (h, q, t): effort/on_cuda.cpp.
// Needs: sm_80. Counts, for E entries: loads the bytes of the units that are read (160, 128 and 256 an entry) and 12 E; stores 2 KB.
#include <cuda_fp16.h>

#include "backend/cuda/effort.cuh"
#include "backend/cuda/ptx/cluster_memory.cuh"

namespace tw::cuda::effort {
namespace {

constexpr int warps = 4, threads = 32 * warps, blocks = 16, outputs = 512;
constexpr int groups = chunk / 8 / warps;  ///< of eight entries, of each plane, for a warp
constexpr int slots = 4 * groups;          ///< of 16 bytes a lane: plane A and B two a group; C takes their places, half by half
static_assert(threads == chunk);

struct Desk {
    uint4 queue[warps][slots][32];
    uint4 rounded[chunk + 1][2];           ///< high and low of 16 blocks; the last is zero
    float most[warps][blocks], inverse[blocks], step[blocks];
    unsigned input[chunk];
    std::uint8_t list[3][chunk];           ///< entries that have the plane
    int before[2][warps];
    bool is_last;
};

struct Planes {
    const uint4 *scales, *a, *b, *c;       ///< 32, 128, 128 and 256 bytes an input

    __device__ Planes(const std::byte* tile, std::int64_t inputs) {
        const auto up = [](std::int64_t bytes) { return (bytes + 63) / 64 * 64; };
        scales = reinterpret_cast<const uint4*>(tile);
        a = scales + up(32 * inputs) / 16, b = a + 8 * inputs, c = b + 8 * inputs;
    }
};

__device__ void multiply(int (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
    asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.u8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

/// One warp's sums: of outputs k = p (registers 0, 1) and k = p + 2 (2, 3) of each q, and what the codes are counted from.
struct Sums {
    int of[4][2][4];
    int offset[4][4];
};

struct Lane {
    int warp, lane, row, four;  ///< row = lane / 4 and four = lane % 4 of the unit

    __device__ Lane() : warp(static_cast<int>(threadIdx.x) / 32), lane(static_cast<int>(threadIdx.x) % 32), row(lane / 4), four(lane % 4) {}
    /// Number n of eight of the warp's group, in the list of a plane; none: `chunk`.
    __device__ int entry(const std::uint8_t* list, int count, int group, int n) const {
        const int place = 8 * (warp + warps * group) + n;
        return place < count ? list[place] : chunk;
    }
    /// Where piece x of the row of entry e of four lies in a slot: no two lanes that work together meet in a bank.
    __device__ static int place_of(int e, int x) { return 8 * e + (x ^ 2 * e); }
    __device__ const uint4& piece(const uint4 (&slot)[32]) const { return slot[place_of(four, row)]; }
};

/// The rows of one plane's list set out, `width` times 128 bytes each: eight neighbouring lanes copy a whole row, since a row that lanes
/// far apart copy by sectors takes four times as long to ask for.
template <int width, int first, int end>
__device__ void fetch(Desk& desk, const Lane& my, const uint4* plane, const std::uint8_t* list, int count, int slot) {
    const int place = my.lane / 8, piece = my.lane % 8;
#pragma unroll
    for (int group = first; group < end; ++group)
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            const int entry = my.entry(list, count, group, 4 * half + place);
            if (entry == chunk) continue;
            const uint4* from = plane + static_cast<std::int64_t>(desk.input[entry]) * (8 * width) + piece;
#pragma unroll
            for (int part = 0; part < width; ++part)
                ptx::copy_16(ptx::shared_address(&desk.queue[my.warp][slot + (2 * (group - first) + half) * width + part][Lane::place_of(place, piece)]),
                             from + 8 * part, 16);
        }
    ptx::commit_copies();
}

/// Until all but the `pending` last planes have come, for the whole warp.
template <int pending>
__device__ void wait_for_rows() {
    ptx::wait_for_copies<pending>();
    __syncwarp();
}

__device__ unsigned word_of(const uint4& x, int q) { return q == 0 ? x.x : q == 1 ? x.y : q == 2 ? x.z : x.w; }

/// The lane's bytes of v d, two entries, each in the place of its block.
__device__ void factors(const Desk& desk, const Lane& my, int entry0, int entry1, unsigned mask, unsigned (&b)[4][2]) {
    const uint4 x0 = desk.rounded[entry0][my.row / 4], x1 = desk.rounded[entry1][my.row / 4];
#pragma unroll
    for (int q = 0; q < 4; ++q) b[q][0] = word_of(x0, q) & mask, b[q][1] = word_of(x1, q) & mask;
}

__device__ void count_from(Sums& sums, int q, unsigned halves, const unsigned (&b)[2]) {
    const unsigned same[4] = {halves * 0x01010101u, halves * 0x01010101u, halves * 0x01010101u, halves * 0x01010101u};
    multiply(sums.offset[q], same, b);
}

__device__ void add_two_bits(const Desk& desk, const Lane& my, const std::uint8_t* list, int count, int slot, unsigned halves, Sums& sums) {
    const unsigned mask = 0xffu << 8 * (my.row % 4);
#pragma unroll
    for (int group = 0; group < groups; ++group) {
        if (8 * (my.warp + warps * group) >= count) break;
        unsigned b[4][2];
        factors(desk, my, my.entry(list, count, group, my.four), my.entry(list, count, group, 4 + my.four), mask, b);
        const uint4 x0 = my.piece(desk.queue[my.warp][slot + 2 * group]), x1 = my.piece(desk.queue[my.warp][slot + 2 * group + 1]);
#pragma unroll
        for (int q = 0; q < 4; ++q) {
#pragma unroll
            for (int p = 0; p < 2; ++p) {
                const unsigned first = 0x03030303u << 2 * p, second = 0x30303030u << 2 * p;
                const unsigned codes[4] = {word_of(x0, q) & first, word_of(x0, q) & second, word_of(x1, q) & first, word_of(x1, q) & second};
                multiply(sums.of[q][p], codes, b[q]);
            }
            count_from(sums, q, halves, b[q]);
        }
    }
}

template <int first, int end>
__device__ void add_four_bits(const Desk& desk, const Lane& my, const std::uint8_t* list, int count, int slot, Sums& sums) {
    const unsigned mask = my.row < 4 ? 0xffu << 8 * my.row : 0;  // no low part
#pragma unroll
    for (int group = first; group < end; ++group) {
        if (8 * (my.warp + warps * group) >= count) break;
        unsigned b[4][2];
        factors(desk, my, my.entry(list, count, group, my.four), my.entry(list, count, group, 4 + my.four), mask, b);
#pragma unroll
        for (int p = 0; p < 2; ++p) {
            const uint4 x0 = my.piece(desk.queue[my.warp][slot + 4 * (group - first) + p]), x1 = my.piece(desk.queue[my.warp][slot + 4 * (group - first) + 2 + p]);
#pragma unroll
            for (int q = 0; q < 4; ++q) {
                const unsigned codes[4] = {word_of(x0, q) & 0x0f0f0f0fu, word_of(x0, q) & 0xf0f0f0f0u, word_of(x1, q) & 0x0f0f0f0fu,
                                           word_of(x1, q) & 0xf0f0f0f0u};
                multiply(sums.of[q][p], codes, b[q]);
            }
        }
#pragma unroll
        for (int q = 0; q < 4; ++q) count_from(sums, q, 15, b[q]);
    }
}

/// To the nearest whole number, ties to even, for |x| < 2^22; its last byte is in the low bits of the sum.
__device__ float nearest(float x, unsigned& byte) {
    constexpr float shift = 12582912.f;
    const float moved = __fadd_rn(x, shift);
    byte = __float_as_uint(moved) & 0xffu;
    return __fsub_rn(moved, shift);
}

/// v d of every block, rounded: a thread an entry.
__device__ void round_entries(Desk& desk, const Lane& my, float v, const uint4 (&scales)[2], bool fine) {
    float product[blocks];
    const auto* halves = reinterpret_cast<const __half2*>(scales);
#pragma unroll
    for (int pair = 0; pair < blocks / 2; ++pair) {
        const float2 d = __half22float2(halves[pair]);
        product[2 * pair] = __fmul_rn(v, d.x), product[2 * pair + 1] = __fmul_rn(v, d.y);
    }
#pragma unroll
    for (int block = 0; block < blocks; ++block) {
        const unsigned most = __reduce_max_sync(~0u, __float_as_uint(product[block]) & 0x7fffffffu);
        if (my.lane == block) desk.most[my.warp][block] = __uint_as_float(most);
    }
    __syncthreads();
    if (threadIdx.x < blocks) {
        float most = 0;
#pragma unroll
        for (int w = 0; w < warps; ++w) most = fmaxf(most, desk.most[w][threadIdx.x]);
        constexpr float least = 0x1p-100f;
        desk.inverse[threadIdx.x] = most >= least ? __fdiv_rn(127.f, most) : 0.f;
        desk.step[threadIdx.x] = __fdiv_rn(most, 127.f);
    }
    __syncthreads();
    unsigned high[4], low[4];
#pragma unroll
    for (int q = 0; q < 4; ++q) {
        high[q] = low[q] = 0;
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            unsigned byte;
            const float p = __fmul_rn(product[4 * q + j], desk.inverse[4 * q + j]), whole = nearest(p, byte);
            high[q] |= byte << 8 * j;
            nearest(__fmul_rn(__fsub_rn(p, whole), 128.f), byte);
            if (fine) low[q] |= byte << 8 * j;
        }
    }
    desk.rounded[threadIdx.x][0] = {high[0], high[1], high[2], high[3]};
    desk.rounded[threadIdx.x][1] = {low[0], low[1], low[2], low[3]};
    __syncthreads();
}

/// Each warp's sums to its own part of the queue, as [high, low][output].
__device__ void lay_down(Desk& desk, const Lane& my, const Sums& sums) {
    auto* to = reinterpret_cast<int*>(&desk.queue[my.warp][0][0]);
    __syncwarp();
    const int h = my.row / 4, t = my.row % 4;
#pragma unroll
    for (int q = 0; q < 4; ++q)
#pragma unroll
        for (int p = 0; p < 2; ++p)
#pragma unroll
            for (int r = 0; r < 4; ++r) {
                const int column = 2 * my.four + r % 2, k = p + r / 2 * 2;
                const int sum = r < 2 ? sums.of[q][p][r] : sums.of[q][p][r] / 16;
                to[column / 4 * outputs + 32 * (4 * q + column % 4) + 16 * h + 4 * t + k] = 2 * sum - sums.offset[q][r % 2];
            }
}

__global__ void __launch_bounds__(threads, 4) planes(const __grid_constant__ Work w) {
    extern __shared__ uint4 memory[];
    Desk& desk = *reinterpret_cast<Desk*>(memory);
    const Place at(w);
    const Lane my;
    const Planes tile(tile_of(w, at), w.m.inputs);
    const int first = at.chunk * chunk, thread = static_cast<int>(threadIdx.x);
    ptx::let_next_kernel_begin();
    if (thread == 0 && w.ahead > 0) {
        const unsigned inputs = static_cast<unsigned>(min(chunk, w.m.inputs - first));
        ptx::bring_closer(tile.scales + 2 * first, 32 * inputs);
        ptx::bring_closer(tile.a + 8 * first, 128 * inputs);
        if (w.ahead > 1) ptx::bring_closer(tile.b + 8 * first, 128 * inputs);
    }
    ptx::wait_for_kernel_before();

    const EffortChosenOnDevice chosen = w.chosen[at.product];
    const int entries = static_cast<int>(chosen.entries), count = min(chunk, entries - first);
    if (first > 0 && count <= 0) return;
    const bool fine = chosen.fine != 0, there = thread < count;
    EffortEntryOnDevice entry{};
    if (there) entry = w.entries[static_cast<std::int64_t>(at.product) * w.m.inputs + first + thread];
    uint4 scales[2] = {};
    if (there) scales[0] = __ldg(tile.scales + 2 * std::int64_t{entry.input}), scales[1] = __ldg(tile.scales + 2 * std::int64_t{entry.input} + 1);
    desk.input[thread] = entry.input;
    desk.list[0][thread] = static_cast<std::uint8_t>(thread);
    const unsigned with_b = __ballot_sync(~0u, entry.units > 1), with_c = __ballot_sync(~0u, entry.units > 2);
    if (my.lane == 0) desk.before[0][my.warp] = __popc(with_b), desk.before[1][my.warp] = __popc(with_c);
    if (thread < 2) desk.rounded[chunk][thread] = {0, 0, 0, 0};
    __syncthreads();
    int count_b = 0, count_c = 0;
    const unsigned earlier = (1u << my.lane) - 1;
#pragma unroll
    for (int x = 0; x < warps; ++x) {
        if (x == my.warp && entry.units > 1) desk.list[1][count_b + __popc(with_b & earlier)] = static_cast<std::uint8_t>(thread);
        if (x == my.warp && entry.units > 2) desk.list[2][count_c + __popc(with_c & earlier)] = static_cast<std::uint8_t>(thread);
        count_b += desk.before[0][x], count_c += desk.before[1][x];
    }
    fetch<1, 0, groups>(desk, my, tile.a, desk.list[0], count, 0);
    __syncthreads();
    fetch<1, 0, groups>(desk, my, tile.b, desk.list[1], count_b, 2 * groups);
    round_entries(desk, my, entry.v, scales, fine);

    Sums sums{};
    wait_for_rows<1>();
    add_two_bits(desk, my, desk.list[0], count, 0, 192, sums);
#pragma unroll
    for (int q = 0; q < 4; ++q)
#pragma unroll
        for (int r = 0; r < 8; ++r) sums.of[q][r / 4][r % 4] <<= 2;
    __syncwarp();
    fetch<2, 0, groups / 2>(desk, my, tile.c, desk.list[2], count_c, 0);
    wait_for_rows<1>();
    add_two_bits(desk, my, desk.list[1], count_b, 2 * groups, 48, sums);
#pragma unroll
    for (int q = 0; q < 4; ++q)
#pragma unroll
        for (int r = 0; r < 4; ++r) sums.of[q][0][r] <<= 4, sums.of[q][1][r] <<= 2;
    __syncwarp();
    fetch<2, groups / 2, groups>(desk, my, tile.c, desk.list[2], count_c, 2 * groups);
    wait_for_rows<1>();
    add_four_bits<0, groups / 2>(desk, my, desk.list[2], count_c, 0, sums);
    wait_for_rows<0>();
    add_four_bits<groups / 2, groups>(desk, my, desk.list[2], count_c, 2 * groups, sums);
    lay_down(desk, my, sums);
    __syncthreads();

    const float step = __fmul_rn(desk.step[thread / 8], 1.f / 32);
    int high[4] = {}, low[4] = {};
#pragma unroll
    for (int x = 0; x < warps; ++x) {
        const int4* of_warp = reinterpret_cast<const int4*>(&desk.queue[x][0][0]);
        const int4 more_high = of_warp[thread], more_low = of_warp[outputs / 4 + thread];
        high[0] += more_high.x, high[1] += more_high.y, high[2] += more_high.z, high[3] += more_high.w;
        low[0] += more_low.x, low[1] += more_low.y, low[2] += more_low.z, low[3] += more_low.w;
    }
    float sum[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        sum[i] = static_cast<float>(high[i]);
        if (fine) sum[i] = __fadd_rn(sum[i], __fmul_rn(static_cast<float>(low[i]), 1.f / 128));
        sum[i] = __fmul_rn(sum[i], step);
    }
    reinterpret_cast<float4*>(partial_of(w, at, at.chunk))[thread] = {sum[0], sum[1], sum[2], sum[3]};
    finish_tile<threads>(w, at, max(1, (entries + chunk - 1) / chunk), chosen.factor, &desk.is_last);
}

}  // namespace

Status start_planes(const Work& w, int products, void* stream) {
    const auto count = static_cast<unsigned>(products * w.m.tiles * w.chunks);
    return launch(planes, {.blocks = count, .threads = threads, .shared = sizeof(Desk), .overlaps = true}, stream, w);
}

}  // namespace tw::cuda::effort
