// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// A short k, and rows that start anywhere: copies for TMA are a kernel in front, and take as long as the product. Here
// a block's threads bring its rows of A and B where the unit reads them, multiply, and store C anywhere: by cp.async
// where all rows begin at whole words, else by registers. Several blocks on a multiprocessor do so beside one another.
//
//    rows anywhere       shared memory, swizzled          sums              C anywhere
//    ..abcd ef..   ->    | A: BM x k | B: BN x k |   ->   | BM x BN |  ->   ..xxxx xx
#include <algorithm>

#include "backend/cuda/async/by_majors.cuh"
#include "backend/cuda/async/by_threads.hpp"
#include "backend/cuda/async/named.hpp"
#include "backend/cuda/device/device.hpp"
#include "backend/cuda/device/launch.hpp"
#include "backend/cuda/epilogue/columns.cuh"
#include "backend/cuda/epilogue/groups.cuh"
#include "backend/cuda/epilogue/output_of.cuh"
#include "backend/cuda/operands/aligned.hpp"
#include "backend/cuda/operands/aligned_batch.hpp"
#include "backend/cuda/operands/product.cuh"
#include "backend/cuda/ptx/copy_some.cuh"
#include "backend/cuda/ptx/cp_async.cuh"
#include "backend/cuda/ptx/team.cuh"
#include "backend/cuda/tiles/pipeline.cuh"

namespace tw::cuda {
namespace {

constexpr int depth = 64;  // of k in a stage

/// An operand as rows along k, or, where it lies across, as k rows of what the tile has side by side.
struct FedOperand {
    const std::uint16_t* first;
    std::int64_t step;
    int width;  ///< rows of A, columns of B

    /// 8 or 4 where all rows begin at multiples of so many bytes, else 2.
    __device__ int unit() const {
        const auto bits = reinterpret_cast<std::uintptr_t>(first) | static_cast<std::uintptr_t>(2 * step);
        return bits % 8 == 0 ? 8 : bits % 4 == 0 ? 4 : 2;
    }
};

/// 16 bytes of a row from `here` on, of which it has `count` elements, all of them on their way without a branch.
struct Piece {
    std::uint32_t words[5] = {}, head = 0, tail = 0;  ///< that lie in the row; its halves of words that do not
    int odd = 0, count = 0;                           ///< `here` is the second half of a word

    __device__ void ask(const std::uint16_t* here, int left) {
        count = min(left, 8), odd = static_cast<int>(reinterpret_cast<std::uintptr_t>(here) / 2 % 2);
        const auto* from = reinterpret_cast<const std::uint32_t*>(here - odd);
#pragma unroll
        for (int i = 0; i < 5; ++i)
            if (2 * i >= odd && 2 * i + 1 - odd < count) words[i] = from[i];
        if (odd > 0 && count > 0) head = here[0];
        if ((count + odd) % 2 > 0 && count > odd) tail = here[count - 1];
    }
    __device__ void put(std::uint32_t to) {
        if (odd > 0) words[0] = head << 16;
#pragma unroll
        for (int i = 0; i < 5; ++i)
            if (2 * i + 1 == count + odd) words[i] |= tail;
        std::uint32_t four[4];
#pragma unroll
        for (int i = 0; i < 4; ++i) four[i] = __funnelshift_r(words[i], words[i + 1], 16 * odd);
        ptx::store_16(to, four);
    }
};

template <int rows, ptx::Major major, int threads>
struct FedTile {
    static constexpr bool along = major == ptx::Major::k;
    static constexpr int bytes = rows * 128;  ///< of a stage
    static constexpr int chunks = along ? depth / 8 : rows / 8, count = rows * depth / 8 / threads;
    Piece pieces[count];

    static __device__ std::uint32_t place(int part) {
        return static_cast<std::uint32_t>(chunk() / 8 * depth * 128 + line(part) * 128 +
                                          ((chunk() ^ line(part)) % 8 << 4));
    }
    /// each(part, an element of a row, how many of the row are there): of k from `from` on, a stage of it; behind the
    /// operand's it is 0.
    template <class Each>
    static __device__ void each_piece(const FedOperand& of, int first, int from, int k, const Each& each) {
#pragma unroll
        for (int part = 0; part < count; ++part) {
            const int k_of = from + (along ? 8 * chunk() : line(part)),
                      other = first + (along ? line(part) : 8 * chunk());
            const bool inside = along ? other < of.width : k_of < k;
            each(part, of.first + (along ? other : k_of) * of.step + (along ? k_of : other),
                 inside ? (along ? k - k_of : of.width - other) : 0);
        }
    }
    /// By cp.async, of rows that begin at multiples of `unit` bytes.
    template <int unit>
    static __device__ void copy(const FedOperand& of, int first, int from, int k, std::uint32_t to) {
        each_piece(of, first, from, k, [&](int part, const std::uint16_t* here, int left) {
#pragma unroll
            for (int i = 0; i < 16 / unit; ++i) {
                const int bytes = max(min(2 * left - i * unit, unit), 0);
                const std::uint32_t there = to + place(part) + i * unit;
                if constexpr (unit == 8) ptx::copy_some_of_8(there, here + i * unit / 2, bytes);
                else ptx::copy_some_of_4(there, here + i * unit / 2, bytes);
            }
        });
    }

    static __device__ int line(int part) { return (part * threads + static_cast<int>(threadIdx.x)) / chunks; }
    static __device__ int chunk() { return static_cast<int>(threadIdx.x) % chunks; }

    __device__ void ask(const FedOperand& of, int first, int from, int k) {
        each_piece(of, first, from, k,
                   [&](int part, const std::uint16_t* here, int left) { pieces[part].ask(here, left); });
    }
    __device__ void put(std::uint32_t to) {
#pragma unroll
        for (int part = 0; part < count; ++part) pieces[part].put(to + place(part));
    }
};

template <int side, class T, ptx::Major a_major, ptx::Major b_major>
__global__ void __launch_bounds__(2 * side, side == 128 ? 2 : 4)
    fed_tiles(FedOperand a, FedOperand b, Output out, Places places, const __grid_constant__ Named named, Raster raster,
              int k) {
    extern __shared__ char memory[];
    using Unit = ptx::MatrixUnit<side, T, a_major, b_major>;
    using A = FedTile<side, a_major, 2 * side>;
    using B = FedTile<side, b_major, 2 * side>;
    ptx::let_next_kernel_begin();
    ptx::wait_for_kernel_before();
    if (named.count > 0) places.addresses = named.addresses;
    a.first = places.a(a.first), b.first = places.b(b.first);
    move_to_product(out, places);
    const std::uint32_t base = (ptx::shared_address(memory) + 1023) & ~1023u;
    const int stages = (k + depth - 1) / depth;
    int row, col;
    raster.place(static_cast<int>(blockIdx.x), row, col);
    const int first_row = row * side, first_col = col * side;
    const std::uint32_t b_base = base + stages * A::bytes;
    const int a_unit = a.unit(), b_unit = b.unit();
    for (int s = 0; s < stages; ++s) {
        if (a_unit == 8) A::template copy<8>(a, first_row, s * depth, k, base + s * A::bytes);
        if (a_unit == 4) A::template copy<4>(a, first_row, s * depth, k, base + s * A::bytes);
        if (b_unit == 8) B::template copy<8>(b, first_col, s * depth, k, b_base + s * B::bytes);
        if (b_unit == 4) B::template copy<4>(b, first_col, s * depth, k, b_base + s * B::bytes);
    }
    ptx::commit_copies();
    if (a_unit == 2 || b_unit == 2)
        for (int s = 0; s < stages; ++s) {
            A of_a;
            B of_b;
            if (a_unit == 2) of_a.ask(a, first_row, s * depth, k);
            if (b_unit == 2) of_b.ask(b, first_col, s * depth, k);
            if (a_unit == 2) of_a.put(base + s * A::bytes);
            if (b_unit == 2) of_b.put(b_base + s * B::bytes);
        }
    ptx::wait_for_copies<0>();
    ptx::publish_to_async_proxy();
    __syncthreads();

    const int group = __shfl_sync(~0u, static_cast<int>(threadIdx.x) / 128, 0),
              thread = static_cast<int>(threadIdx.x) % 128;
    constexpr int run = 64 * 128, a_step = a_major == ptx::Major::k ? 32 : 16 * 128,
                  b_step = b_major == ptx::Major::k ? 32 : 16 * 128;
    float sums[side / 2];
#pragma unroll
    for (float& sum : sums) sum = 0;
#pragma unroll 1
    for (int s = 0; s < stages; ++s) {
        const std::uint64_t at =
            ptx::tile_descriptor(base + s * A::bytes + group * run, a_major == ptx::Major::k ? 16 : run);
        const std::uint64_t bt = ptx::tile_descriptor(b_base + s * B::bytes, b_major == ptx::Major::k ? 16 : run);
        ptx::pin(sums);
        ptx::fence_products();
#pragma unroll
        for (int q = 0; q < 4; ++q) Unit::add(sums, at + q * (a_step >> 4), bt + q * (b_step >> 4), s + q > 0);
        ptx::commit_products();
        ptx::wait_for_products<0>();
        ptx::pin(sums);
    }
    if (out.alpha != 1) each_sum<side>(sums, [&](float x) { return x * out.alpha; });
    __syncthreads();  // the operands are read: rows of C may lie there
    store_anywhere<T, side>(sums, out, base + group * 4 * RowsOfChunks<side>::bytes, first_row + group * 64, first_col,
                            thread);
}

FedOperand operand_of(const Matrix& rows) {
    const bool along = rows.col_step == 1;
    return {static_cast<const std::uint16_t*>(rows.data), along ? rows.row_step : rows.col_step,
            static_cast<int>(rows.rows)};
}

template <int side, class T, ptx::Major a, ptx::Major b>
Status start(const Call& call, const Places& places, const Named& named) {
    const Raster raster{static_cast<int>(tiles_over(call.m(), side)), static_cast<int>(tiles_over(call.n(), side)), 8};
    const int stages = static_cast<int>((call.k() + depth - 1) / depth);
    return launch(fed_tiles<side, T, a, b>,
                  {.blocks = static_cast<unsigned>(raster.count()),
                   .threads = 2 * side,
                   .shared = static_cast<std::size_t>(stages * 2 * side * 128 + 1024),
                   .products = static_cast<unsigned>(products_of(call)),
                   .overlaps = true},
                  call.stream, operand_of(call.a), operand_of(call.b.transposed()), output_of(call), places, named,
                  raster, static_cast<int>(call.k()));
}

bool is_for_small_tiles(const Call& call) {
    return call.m() <= 64 || call.n() <= 64 ||
           tiles_over(call.m(), 128) * tiles_over(call.n(), 128) * products_of(call) < multiprocessors() / 2;
}

template <class T>
Status run_of(const Call& call) {
    std::span<std::byte> scratch = call.scratch;
    Places places;
    Named named;
    if (are_named(call)) named.name(call), places.size = static_cast<unsigned>(products_of(call));
    else if (const Status bad = place_products(call, scratch, places); !bad) return bad;
    constexpr MajorOf<ptx::Major::k> along;
    constexpr MajorOf<ptx::Major::other> across;
    const auto run = [&](auto a, auto b) -> Status {
        constexpr auto of_a = decltype(a)::value, of_b = decltype(b)::value;
        return is_for_small_tiles(call) ? start<64, T, of_a, of_b>(call, places, named)
                                        : start<128, T, of_a, of_b>(call, places, named);
    };
    if (call.a.col_step != 1) return call.b.row_step != 1 ? run(across, across) : run(across, along);
    return call.b.row_step != 1 ? run(along, across) : run(along, along);
}

}  // namespace

bool takes_by_threads(const Call& call) noexcept {
    const Matrix &a = call.a, &b = call.b;
    return size_of(a.type) == 2 && call.c.type == a.type && call.c.col_step == 1 && call.beta == 0 &&
           call.epilogue.is_empty() && (a.col_step == 1 || a.row_step == 1) && (b.col_step == 1 || b.row_step == 1) &&
           products_of(call) <= most_products &&
           (is_soon_named(call) ||
            (is_for_threads(call.m(), call.n(), call.k(), products_of(call)) &&
             (call.batch ? !batch_lies(call) : aligned_bytes_of(call, AsRead::both_across) > 0)));
}

Status run_by_threads(const Call& call) noexcept {
    return call.a.type == Type::f16 ? run_of<__half>(call) : run_of<__nv_bfloat16>(call);
}

}  // namespace tw::cuda
