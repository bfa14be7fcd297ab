// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// r7_hierarchical: a block for each level of memory. Blocks of A and B are packed into panels in the order of reading,
// and r6's register tile runs over panels that lie where its loads are cheapest; every thread takes blocks of C of its
// own.
//
//            KC                 NC: third cache
//          +----+             +--+--+--+--+               +--+--+--+--+
//          |MR  |             |NR|  |  |  |               |##|  |  |  |   ## = MR x NR sums in registers
//       MC |----|   x      KC |  |  |  |  |     =      MC |--+--+--+--|
//          |    |             |  |  |  |  |               |  |  |  |  |   A's panels stream from the second cache
//          +----+             +--+--+--+--+               +--+--+--+--+   past a panel of B in the first
//       second cache           panel: first cache
//
// Needs: MC x KC elements a thread and KC x NC in all. 2mnk flops; from memory A n/NC times, B once, C k/KC times.
// Gained over r6: no load waits for a page or fights for a cache set, whatever the steps are, and all cores join in.
#include "backend/cpu/blocks.hpp"
#include "backend/cpu/hierarchy.hpp"
#include "backend/cpu/ladder.hpp"
#include "backend/cpu/pack.hpp"
#include "backend/cpu/plain_row.hpp"
#include "backend/cpu/tile_of_c.hpp"
#include "base/cpu_features.hpp"

namespace tw::cpu {
namespace {

/// A micro-kernel on panels of plain elements.
template <class T, const MicroKernel<T>& micro>
struct Plain {
    static std::size_t panel_bytes(int width, std::int64_t k) {
        return static_cast<std::size_t>(width * k) * sizeof(T);
    }
    static void pack_a(const Matrix& rows, std::byte* panel, std::size_t) {
        pack_panel(typed<const T>(rows), micro.mr, reinterpret_cast<T*>(panel));
    }
    static void pack_b(const Matrix& cols, std::byte* panel, std::size_t) {
        pack_panel(typed<const T>(cols.transposed()), micro.nr, reinterpret_cast<T*>(panel));
    }
    static void multiply(const PanelTile& t) {
        run_tile(micro,
                 {.k = t.chunk.k, .a = reinterpret_cast<const T*>(t.a), .a_row_step = 1, .a_step = micro.mr,
                  .b = reinterpret_cast<const T*>(t.b), .b_step = micro.nr, .c = nullptr, .c_step = 0,
                  .alpha = static_cast<T>(t.alpha), .beta = static_cast<T>(t.beta), .rows = 0, .cols = 0},
                 typed<T>(t.c));
    }
    static PanelKernel kernel() { return {micro.mr, micro.nr, k_block<T>, panel_bytes, pack_a, pack_b, multiply}; }

    static std::size_t scratch_bytes(const Problem& p, const Tile& blocks, int threads) {
        return hierarchy_scratch_bytes(kernel(), p, blocks, threads);
    }
    static Status run(const Call& call, const Tile& blocks) { return run_hierarchy(kernel(), call, blocks); }

    static std::size_t packed_bytes(std::int64_t width, std::int64_t k, bool on_left) {
        return hierarchy_packed_bytes(kernel(), width, k, on_left);
    }
    static void pack(const Matrix& operand, bool on_left, const Call& threads, std::byte* to) {
        pack_hierarchy(kernel(), operand, on_left, threads, to);
    }
    static constexpr Packing packing{packed_bytes, pack};
};

/// The kernel's rate on whole tiles, and what packing takes, longer for operands that come from far away.
template <class T, const MicroKernel<T>& micro>
double nanoseconds(const Problem& p, int threads) {
    const auto m = static_cast<double>(p.m), n = static_cast<double>(p.n), k = static_cast<double>(p.k);
    const double tiles = static_cast<double>(round_up(p.m, micro.mr)) * static_cast<double>(round_up(p.n, micro.nr));
    const double packed_bytes = sizeof(T) * (m * k + n * k);
    const double packing = packed_bytes * (packed_bytes > (1 << 22) ? 0.1 : 0.05);
    return 400 + 1000 * (threads > 1) + (tiles * k / micro.rate + packing) / threads;
}

/// {MC, NC, KC}: MC x KC fills about half of a second cache of 512 KiB (AVX2) or 2 MiB (AVX-512); KC is not for tuning.
template <class T, int MC, int NC>
constexpr Tile tiles[] = {{MC, NC, KC<T>}, {MC / 2, NC, KC<T>}, {MC * 2, NC, KC<T>}, {MC, NC / 2, KC<T>}};

template <class T, const MicroKernel<T>& micro, int MC, int NC>
constexpr Kernel row(const char* name, Features needs, int order) {
    Kernel made = plain_row<T>(name, Rung::hierarchical, needs, order);
    made.idea = "packed panels, a block for each cache, and every thread";
    made.tiles = tiles<T, MC, NC>;
    made.nanoseconds = nanoseconds<T, micro>;
    made.scratch_bytes = Plain<T, micro>::scratch_bytes;
    made.run = Plain<T, micro>::run;
    made.packing = &Plain<T, micro>::packing;
    return made;
}

}  // namespace

constinit const Kernel r7_hierarchical_portable_f32 =
    row<float, micro_portable_f32, 128, 4096>("cpu.r7_hierarchical.f32.portable", 0, order_in_blocks);
constinit const Kernel r7_hierarchical_portable_f64 =
    row<double, micro_portable_f64, 128, 4096>("cpu.r7_hierarchical.f64.portable", 0, order_in_blocks);
#if defined(__x86_64__)
constinit const Kernel r7_hierarchical_avx2_f32 =
    row<float, micro_avx2_f32, 144, 4096>("cpu.r7_hierarchical.f32.avx2", cpu_feature::avx2, order_fused_in_blocks);
constinit const Kernel r7_hierarchical_avx2_f64 =
    row<double, micro_avx2_f64, 144, 4096>("cpu.r7_hierarchical.f64.avx2", cpu_feature::avx2, order_fused_in_blocks);
constinit const Kernel r7_hierarchical_avx512_f32 = row<float, micro_avx512_f32, 448, 4096>(
    "cpu.r7_hierarchical.f32.avx512", cpu_feature::avx512, order_fused_in_blocks);
constinit const Kernel r7_hierarchical_avx512_f64 = row<double, micro_avx512_f64, 448, 4096>(
    "cpu.r7_hierarchical.f64.avx512", cpu_feature::avx512, order_fused_in_blocks);
#elif defined(__aarch64__)
constinit const Kernel r7_hierarchical_neon_f32 =
    row<float, micro_neon_f32, 128, 4096>("cpu.r7_hierarchical.f32.neon", cpu_feature::neon, order_fused_in_blocks);
constinit const Kernel r7_hierarchical_neon_f64 =
    row<double, micro_neon_f64, 128, 4096>("cpu.r7_hierarchical.f64.neon", cpu_feature::neon, order_fused_in_blocks);
#endif

}  // namespace tw::cpu
