// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// r6_skinny: few rows of A against a large B, which is worth reading once and no more. B passes by in the order in which
// it lies, some of its rows at a time, and the sums wait in the cache instead of B: they are the small operand here.
//
//            k                 strip: n                    strip
//        +-------+        +-----------------+        +-----------------+
//      M | aa    |      2 |bbbbbbbbbbbbbbbbb| -->  M |#################|    # = sums, begun and kept in the cache
//        +-------+        +-----------------+        +-----------------+        until the block of k is through
//                         |                 |
//                         +-----------------+
//
// Needs: A packed, M x KC elements, and M x strip sums, a thread. 2mnk flops; B is read from memory once, page by page,
// at the pace at which the processor fetches ahead. Gained over r6_vectorized: a strip of its tiles touches one page a row.
#include "backend/cpu/blocks.hpp"
#include "backend/cpu/ladder.hpp"
#include "backend/cpu/micro_kernel.hpp"
#include "backend/cpu/pack.hpp"
#include "backend/cpu/parallel.hpp"
#include "backend/cpu/product.hpp"
#include "base/cpu_features.hpp"

namespace tw::cpu {
namespace {

constexpr std::int64_t most_rows = 128;               // of A: with more, a packed B repays its copy
constexpr std::int64_t least_bytes = 1 << 18;         // of B: a smaller one stays in the second cache anyhow
constexpr std::int64_t rows_at_a_time = 16;           // of B: as many pages as the first level of page tables keeps open
constexpr std::int64_t waiting_bytes = 1 << 16;       // of sums
constexpr std::int64_t narrowest = 256, widest = 4096;  // a strip, in elements
constexpr double products_worth_a_thread = 1 << 18;

template <class T>
struct Cut {
    std::int64_t rows, panels, strip, depth;

    Cut(const MicroKernel<T>& kernel, std::int64_t m, std::int64_t k)
        : rows(block_size(m, kernel.passed, 1)), panels(ceil_div(m, rows)),
          strip(std::clamp<std::int64_t>(waiting_bytes / (m * static_cast<std::int64_t>(sizeof(T))) / narrowest * narrowest,
                                         narrowest, widest)),
          depth(k_block<T>(k)) {}
    std::int64_t packed() const { return round_up(panels * rows * depth, 64); }
    std::int64_t elements() const { return packed() + panels * rows * strip; }
};

template <class T>
class Skinny {
public:
    Skinny(const MicroKernel<T>& kernel, const Product<T>& x, const Cut<T>& cut, T* memory)
        : kernel_(kernel), x_(x), cut_(cut), packed_(memory), sums_(memory + cut.packed()), width_(kernel.passed_widths[cut.rows]) {}

    void multiply() const {
        for (std::int64_t p = 0; p < x_.k(); p += cut_.depth) {
            const std::int64_t block = std::min(cut_.depth, x_.k() - p);
            for (std::int64_t i = 0; i < x_.m(); i += cut_.rows) {
                const std::int64_t rows = std::min(cut_.rows, x_.m() - i);
                pack_panel(x_.a.block(i, p, rows, block), static_cast<int>(rows), packed_ + i * cut_.depth);
            }
            for (std::int64_t j = 0; j < x_.n(); j += cut_.strip)
                for (std::int64_t q = 0; q < block; q += rows_at_a_time)
                    pass(p, q, std::min(rows_at_a_time, block - q), block, j, std::min(j + cut_.strip, x_.n()));
        }
    }

private:
    /// Rows p + q and on of B pass by columns `from` to `to` of C.
    void pass(std::int64_t p, std::int64_t q, std::int64_t count, std::int64_t block, std::int64_t from, std::int64_t to) const {
        const std::int64_t b_step = x_.b.row_step;
        for (std::int64_t j = from; j < to; j += width_)
            for (std::int64_t i = 0; i < x_.m(); i += cut_.rows) {
                const auto rows = std::min(cut_.rows, x_.m() - i);
                kernel_.pass({.tile = {.k = count, .a = packed_ + i * cut_.depth + q * rows, .a_row_step = 1, .a_step = rows,
                                       .b = &x_.b(p + q, j), .b_step = b_step,
                                       .c = &x_.c(i, j), .c_step = x_.c.row_step,
                                       .alpha = x_.alpha, .beta = p == 0 ? x_.beta : T(1),
                                       .rows = static_cast<int>(rows), .cols = static_cast<int>(std::min(width_, to - j))},
                              .sums = sums_ + i * cut_.strip + (j - from), .sums_step = cut_.strip,
                              .ahead = i == 0 && x_.m() > 1 ? rows_at_a_time * b_step : 0,
                              .begins = q == 0, .ends = q + count == block});
            }
    }

    const MicroKernel<T>& kernel_;
    const Product<T>& x_;
    const Cut<T>& cut_;
    T *packed_, *sums_;
    std::int64_t width_;
};

/// Every thread takes columns of its own.
template <class T, const MicroKernel<T>& kernel>
Status run(const Call& call, const Tile&) {
    const Product<T> x = along_rows(product_of<T>(call));
    const Cut<T> cut(kernel, x.m(), x.k());
    T* const memory = reinterpret_cast<T*>(call.scratch.data());
    const double products = static_cast<double>(x.m()) * static_cast<double>(x.n()) * static_cast<double>(x.k());
    const int workers = products < products_worth_a_thread * call.threads ? 1 : call.threads;
    const std::int64_t part = block_size(x.n(), ceil_div(x.n(), workers), kernel.passed_widths[cut.rows]);
    share_out(call, ceil_div(x.n(), part), [&](int worker, std::int64_t item) {
        const std::int64_t from = item * part, size = std::min(part, x.n() - from);
        const Product<T> own{x.a, x.b.block(0, from, x.k(), size), x.c.block(0, from, x.m(), size), x.alpha, x.beta};
        Skinny<T>(kernel, own, cut, memory + worker * cut.elements()).multiply();
    });
    return {};
}

/// The rows of A and the form of B once C lies along its rows.
std::int64_t rows_of(const Problem& p) { return p.c == Form::col_major ? p.n : p.m; }

template <class T>
bool takes(const Problem& p) {
    const bool lies_well = p.c == Form::row_major ? p.b == Form::row_major : p.c == Form::col_major && p.a == Form::col_major;
    const std::int64_t columns = p.c == Form::col_major ? p.m : p.n;
    return lies_well && rows_of(p) <= most_rows && columns >= narrowest &&
           static_cast<double>(columns) * static_cast<double>(p.k) * sizeof(T) >= least_bytes;
}

template <class T, const MicroKernel<T>& kernel>
std::size_t scratch_bytes(const Problem& p, const Tile&, int threads) {
    return static_cast<std::size_t>(threads * Cut<T>(kernel, rows_of(p), p.k).elements()) * sizeof(T);
}

/// The kernel's rate but for sums that come and go, or the time that B takes from memory.
template <class T, const MicroKernel<T>& kernel>
double nanoseconds(const Problem& p, int threads) {
    const auto m = static_cast<double>(p.m), n = static_cast<double>(p.n), k = static_cast<double>(p.k);
    const double workers = m * n * k < products_worth_a_thread * threads ? 1 : threads;
    return 100 + std::max(1.15 * m * n * k / kernel.rate, 0.028 * std::max(m, n) * k * sizeof(T)) / workers;
}

constexpr Tile tiles[] = {{0, 0, 0}};

template <class T, const MicroKernel<T>& kernel>
constexpr Kernel row(const char* name, Features needs, int order) {
    return {.name = name,
            .rung = Rung::vectorized,
            .in = type_of<T>, .out = type_of<T>, .sum = type_of<T>,
            .scheme = sizeof(T) == 4 ? &plain_f32 : &plain_f64,
            .needs = needs,
            .tiles = tiles,
            .fuses_epilogue = false,
            .idea = "for few rows of A: B is read once, as it lies, and the sums wait in the cache",
            .takes = takes<T>,
            .sum_bound = blocked_sum_bound<T>,
            .nanoseconds = nanoseconds<T, kernel>,
            .scratch_bytes = scratch_bytes<T, kernel>,
            .run = run<T, kernel>,
            .order = order};
}

}  // namespace

constinit const Kernel r6_skinny_portable_f32 = row<float, micro_portable_f32>("cpu.r6_skinny.f32.portable", 0, order_in_blocks);
constinit const Kernel r6_skinny_portable_f64 = row<double, micro_portable_f64>("cpu.r6_skinny.f64.portable", 0, order_in_blocks);
#if defined(__x86_64__)
constinit const Kernel r6_skinny_avx2_f32 =
    row<float, micro_avx2_f32>("cpu.r6_skinny.f32.avx2", cpu_feature::avx2, order_fused_in_blocks);
constinit const Kernel r6_skinny_avx2_f64 =
    row<double, micro_avx2_f64>("cpu.r6_skinny.f64.avx2", cpu_feature::avx2, order_fused_in_blocks);
constinit const Kernel r6_skinny_avx512_f32 =
    row<float, micro_avx512_f32>("cpu.r6_skinny.f32.avx512", cpu_feature::avx512, order_fused_in_blocks);
constinit const Kernel r6_skinny_avx512_f64 =
    row<double, micro_avx512_f64>("cpu.r6_skinny.f64.avx512", cpu_feature::avx512, order_fused_in_blocks);
#elif defined(__aarch64__)
constinit const Kernel r6_skinny_neon_f32 =
    row<float, micro_neon_f32>("cpu.r6_skinny.f32.neon", cpu_feature::neon, order_fused_in_blocks);
constinit const Kernel r6_skinny_neon_f64 =
    row<double, micro_neon_f64>("cpu.r6_skinny.f64.neon", cpu_feature::neon, order_fused_in_blocks);
#endif

}  // namespace tw::cpu
