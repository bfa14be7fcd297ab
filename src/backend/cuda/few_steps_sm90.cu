// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// few_steps: f32 products of a short k, and batches of them, wherever rows begin. A block brings all of k of its tile
// at once, as it lies, multiplies it in a few steps of the unit, and stores C's rows 4 bytes at once or more; several
// blocks of a multiprocessor do each of these while others do another. Nothing is copied first, and nothing is a ring.
//
//        k              64 rows x 128 columns, 4 warps
//      +---+              +-----------+-----------+
//    A |   |   x  B  ->   |    w0     |    w1     |  ->  rows of shared memory  ->  C, from the word in which
//      |   |              +-----------+-----------+                                a row begins
//      +---+              |    w2     |    w3     |
//                         +-----------+-----------+
//
// Needs: sm_90a, k of at most 192. Reads (1 / 64 + 1 / 128) mnk elements, mostly of L2, and writes C once.
#include <algorithm>

#include "backend/cuda/device/device.hpp"
#include "backend/cuda/device/launch.hpp"
#include "backend/cuda/device/spread.hpp"
#include "backend/cuda/epilogue/output_of.cuh"
#include "backend/cuda/few/heuristics_steps.hpp"
#include "backend/cuda/few/rows.hpp"
#include "backend/cuda/few/steps_products.cuh"
#include "backend/cuda/few/steps_store.cuh"
#include "backend/cuda/operands/batched.hpp"
#include "backend/cuda/operands/product.cuh"
#include "backend/cuda/ptx/team.cuh"

namespace tw::cuda {
namespace {

using namespace steps;

/// A block's tile: two rows of warps, so many in each.
template <int BM_, int BN_, int warps_across_, int blocks_>
struct Shape {
    static constexpr int BM = BM_, BN = BN_, warps_across = warps_across_, WM = BM / 2, WN = BN / warps_across,
                         threads = 64 * warps_across, blocks = blocks_;
};
using Tiles = Shape<64, 128, 4, 2>;

/// For what is made again.
template <bool is_across>
struct Elements {
    const float* data;
    std::int64_t pitch;

    __device__ float operator()(int line, int k) const {
        return is_across ? data[k * pitch + line] : data[line * pitch + k];
    }
};

template <class S, bool a_across, bool b_across>
__global__ void __launch_bounds__(S::threads, S::blocks)
    few_steps(Lie a, Lie b, int k, Output out, Ending ending, TileGrid grid, Places places) {
    extern __shared__ __align__(128) char memory[];
    const int first_row = grid.row() * S::BM, first_col = grid.col() * S::BN;
    const int warp = static_cast<int>(threadIdx.x) / 32, row = warp / S::warps_across * S::WM,
              col = warp % S::warps_across * S::WN;
    const int padded = (k + granule - 1) / granule * granule;
    const std::uint32_t base = ptx::shared_address(memory), of_b = base + bytes_of<a_across>(S::BM, padded);
    ptx::let_next_kernel_begin();
    ptx::wait_for_kernel_before();  // it may write the operands, and the addresses of a batch
    const float* const a_data = places.a(static_cast<const float*>(a.data));
    const float* const b_data = places.b(static_cast<const float*>(b.data));
    const auto of_rows = Lines::of<a_across, S::BM>(a, a_data, first_row, k, padded),
               of_cols = Lines::of<b_across, S::BN>(b, b_data, first_col, k, padded);
    bring<a_across, S::BM, S::threads>(base, of_rows, a.by);
    bring<b_across, S::BN, S::threads>(of_b, of_cols, b.by);
    ptx::commit_copies();
    ptx::wait_for_copies<0>();
    __syncthreads();

    Sums<S> sums = {};
    multiply<S, a_across, b_across>(sums, base, of_rows.pitch, row, of_b, of_cols.pitch, col, k);
    make_again<S>(sums, first_row + row, first_col + col, out.rows, out.cols, k, Elements<a_across>{a_data, a.pitch},
                  Elements<b_across>{b_data, b.pitch});
    __syncthreads();  // what was read is where the sums will be

    move_to_product(out, places);
    const std::uint32_t own = base + row * row_bytes(S::BN) + col * 4;
    if (ending == Ending::by_element) {
        keep(sums, own, row_bytes(S::BN), 1);
        __syncthreads();
        store_by_element<S::BM, S::BN, S::threads>(base, out, first_row, first_col);
        return;
    }
    keep(sums, own, row_bytes(S::BN), out.alpha);
    __syncthreads();
    float* const to = static_cast<float*>(out.data) + first_row * out.row_step + first_col;
    const int rows = min(S::BM, out.rows - first_row), cols = min(S::BN, out.cols - first_col);
    if (ending == Ending::by_16) store_by_16<S::BN, S::threads>(base, to, out.row_step, rows, cols);
    else store_by_4<S::BN, S::threads>(base, to, out.row_step, rows, cols);
}

/// Of every product: what each line's beginning is a multiple of.
By by_of(const BatchedOperand& operand, std::int64_t pitch, std::int64_t width) {
    const auto all = operand.address_bits() | static_cast<std::uintptr_t>(width > 1 ? pitch * 4 : 0);
    return all % 16 == 0 ? By::sixteen : By::four;
}

Ending ending_of(const Call& call) {
    const bool is_plain = call.epilogue.is_empty() && call.beta == 0 && call.c.col_step == 1;
    if (!is_plain) return Ending::by_element;
    return by_of(c_of(call), call.c.row_step, call.m()) == By::sixteen ? Ending::by_16 : Ending::by_4;
}

template <class S, bool a_across, bool b_across>
Status start(const Call& call) {
    Places places;
    std::span<std::byte> scratch = call.scratch;
    if (const Status bad = place_products(call, scratch, places); !bad) return bad;
    const int k = static_cast<int>(call.k()), padded = (k + granule - 1) / granule * granule;
    const std::int64_t a_pitch = a_across ? call.a.col_step : call.a.row_step,
                       b_pitch = b_across ? call.b.row_step : call.b.col_step;
    const Lie a{call.a.data, a_pitch, static_cast<int>(call.m()), by_of(a_of(call), a_pitch, a_across ? k : call.m())};
    const Lie b{call.b.data, b_pitch, static_cast<int>(call.n()), by_of(b_of(call), b_pitch, b_across ? k : call.n())};
    const Ending ending = ending_of(call);
    const int of_operands = bytes_of<a_across>(S::BM, padded) + bytes_of<b_across>(S::BN, padded),
              of_sums = S::BM * row_bytes(S::BN);
    const auto [grid, blocks] = tiling(call, S::BM, S::BN);
    const auto products = static_cast<unsigned>(products_of(call));
    return launch(few_steps<S, a_across, b_across>,
                  {.blocks = blocks,
                   .threads = S::threads,
                   .shared = shared_when_spread(static_cast<std::size_t>(std::max(of_operands, of_sums)),
                                                std::int64_t{blocks} * products),
                   .products = products,
                   .overlaps = true},
                  call.stream, a, b, k, output_of(call), ending, grid, places);
}

template <class S>
Status start_as_they_lie(const Call& call) {
    const bool a_across = call.a.col_step != 1, b_across = call.b.row_step != 1;
    if (a_across) return b_across ? start<S, true, true>(call) : start<S, true, false>(call);
    return b_across ? start<S, false, true>(call) : start<S, false, false>(call);
}

Status run(const Call& call, const Tile&) { return with_epilogue(call, start_as_they_lie<Tiles>); }

bool takes(const Problem& p) { return fits_ints(p) && p.k <= most_k && p.a != Form::strided && p.b != Form::strided; }

/// 8 of k at a time, three products: 9 errors of 2^-25 and one of 2^-23 each; and each 8 of k are one sum more.
double sum_bound(std::int64_t k) { return gamma(6.5 * 3 + static_cast<double>((k + 7) / 8) + 2, unit_f32); }

constexpr Batching batching{takes_batch, places_bytes};

}  // namespace

constinit const Kernel few_steps_f32{
    .name = "cuda.few_steps.f32.tf32x3",
    .rung = Rung::none,
    .in = Type::f32,
    .out = Type::f32,
    .sum = Type::f32,
    .scheme = &tf32x3,
    .needs = feature::sm90a,
    .fuses_epilogue = true,
    .idea = "a short k at once: a tile's rows wherever they begin, a few steps of the unit, C by words",
    .takes = takes,
    .sum_bound = sum_bound,
    .nanoseconds = [](const Problem& p, int) { return steps::nanoseconds(p); },
    .run = run,
    .batching = &batching};

}  // namespace tw::cuda
