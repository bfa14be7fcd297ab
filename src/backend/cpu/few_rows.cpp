// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// few_rows: few rows of A against a large B, which is worth reading once and no more. B passes by in the order in
// which it lies, some of its rows at a time, and the sums wait in the cache instead of B: they are the small operand
// here.
//
//            k                 strip: n                    strip
//        +-------+        +-----------------+        +-----------------+
//      M | aa    |      2 |bbbbbbbbbbbbbbbbb| -->  M |#################|    # = sums, begun and kept in the cache
//        +-------+        +-----------------+        +-----------------+        until the block of k is through
//                         |                 |
//                         +-----------------+
//
// Needs: A packed, M x KC elements, and M x strip sums, a thread. 2mnk flops; B is read from memory once, page by page,
// at the pace at which the processor fetches ahead. Gained over r6_vectorized: a strip of its tiles touches one page a
// row.
#include "backend/cpu/ladder.hpp"
#include "backend/cpu/micro/micro_kernel.hpp"
#include "backend/cpu/micro/pack.hpp"
#include "backend/cpu/product/blocks.hpp"
#include "backend/cpu/product/parallel.hpp"
#include "backend/cpu/product/product.hpp"
#include "base/cpu_features.hpp"

namespace tw::cpu {
namespace {

constexpr std::int64_t most_rows = 128;  // of A at a time: with more, a packed B repays its copy
constexpr std::int64_t fewest_at_a_time = 8,
                       most_at_a_time = 32;      // rows of B: with more sums, more work for each coming
constexpr std::int64_t waiting_bytes = 1 << 16;  // of sums
constexpr std::int64_t tiles_ahead = 4;          // from the one that is computed to the one whose B is asked for
constexpr std::int64_t most_width = 64;          // of a tile, in elements
constexpr std::int64_t narrowest = 192, widest = 22 * narrowest;  // a strip, in elements: whole tiles of any width

template <class T>
struct Cut {
    std::int64_t rows, panels, strip, depth, at_a_time;

    Cut(const MicroKernel<T>& kernel, std::int64_t m, std::int64_t k)
        : rows(block_size(std::min(m, most_rows), kernel.low, 1)),
          panels(ceil_div(std::min(m, most_rows), rows)),
          strip(
              std::clamp(waiting_bytes / (panels * rows * static_cast<std::int64_t>(sizeof(T))) / narrowest * narrowest,
                         narrowest, widest)),
          depth(k_block<T>(k)),
          at_a_time(std::clamp(round_up(2 * m, 8), fewest_at_a_time, most_at_a_time)) {}
    std::int64_t packed() const { return round_up(panels * rows * depth, 64); }
    std::int64_t waiting() const { return panels * rows * strip; }
    std::int64_t turned() const { return at_a_time * strip; }
    std::int64_t elements() const { return packed() + waiting() + turned() + at_a_time * most_width; }
};

/// At most `most_rows` rows of C, or a part of their columns.
template <class T>
class Slab {
public:
    Slab(const MicroKernel<T>& kernel, const Product<T>& x, const Cut<T>& cut, T* memory)
        : kernel_(kernel),
          x_(x),
          cut_(cut),
          width_(kernel.passed_widths[cut.rows]),
          strip_(block_size(x.n(), cut.strip, width_)),
          packed_(memory),
          sums_(memory + cut.packed()),
          turned_(sums_ + cut.waiting()),
          kept_(turned_ + cut.turned()) {}

    /// `completed` gets each strip of C after its last block of k.
    void multiply(const auto& completed) const {
        for (std::int64_t p = 0; p < x_.k(); p += cut_.depth) {
            const std::int64_t block = std::min(cut_.depth, x_.k() - p);
            for (std::int64_t i = 0; i < x_.m(); i += cut_.rows) {
                const std::int64_t rows = std::min(cut_.rows, x_.m() - i);
                pack_panel(x_.a.block(i, p, rows, block), static_cast<int>(rows), packed_ + i * cut_.depth);
            }
            for (std::int64_t j = 0; j < x_.n(); j += strip_) {
                const std::int64_t cols = std::min(strip_, x_.n() - j);
                Product<T> strip{x_.a, x_.b.block(p, j, block, cols), x_.c.block(0, j, x_.m(), cols), x_.alpha,
                                 p == 0 ? x_.beta : T(1)};
                for (std::int64_t q = 0; q < block; q += cut_.at_a_time)
                    pass(strip, q, std::min(cut_.at_a_time, block - q));
                if (x_.c.col_step != 1) add_to_c(strip);
                if (p + block == x_.k()) completed(erase(strip.c), j);
            }
        }
    }

private:
    /// Rows q and on of the strip's B pass by. Where they are not contiguous, a copy of them does.
    void pass(const Product<T>& strip, std::int64_t q, std::int64_t count) const {
        const View<const T> rows_of_b = strip.b.block(q, 0, count, strip.n());
        const bool turns = rows_of_b.col_step != 1;
        if (turns) pack_panel(rows_of_b.transposed(), static_cast<int>(cut_.strip), turned_);
        const T* const b = turns ? turned_ : rows_of_b.data;
        const std::int64_t b_step = turns ? cut_.strip : rows_of_b.row_step;
        const bool meets_c = strip.c.col_step == 1;
        const bool keeps = !turns && strip.m() > cut_.rows;
        const std::int64_t panels = ceil_div(strip.m(), cut_.rows);
        const bool asks = strip.m() > 1 && !turns;
        for (std::int64_t j = 0; j < strip.n(); j += width_) {
            const T* asked = asks ? b + j + ahead_of(strip, j, count) : nullptr;
            for (std::int64_t i = 0; i < strip.m(); i += cut_.rows) {
                const std::int64_t rows = std::min(cut_.rows, strip.m() - i);
                const bool is_first = i == 0, from_kept = keeps && !is_first;
                const std::int64_t cols = std::min(width_, strip.n() - j);
                kernel_.pass({.tile = {.k = count,
                                       .a = packed_ + i * cut_.depth + q * rows,
                                       .a_row_step = 1,
                                       .a_step = rows,
                                       .b = from_kept ? kept_ : b + j,
                                       .b_step = from_kept ? round_up(cols, kernel_.lanes) : b_step,
                                       .c = &strip.c(i, j),
                                       .c_step = strip.c.row_step,
                                       .alpha = strip.alpha,
                                       .beta = strip.beta,
                                       .rows = static_cast<int>(rows),
                                       .cols = static_cast<int>(cols)},
                              .sums = sums_ + i * cut_.strip + j,
                              .sums_step = cut_.strip,
                              .asked = asked,
                              .asked_step = b_step,
                              .asked_every = asks ? panels : 0,
                              .kept = keeps && is_first ? kept_ : nullptr,
                              .begins = q == 0,
                              .ends = meets_c && q + count == strip.b.rows});
                if (asks) asked += ceil_div(count, panels) * b_step;
            }
        }
    }

    /// From an element of B to the one that is wanted some tiles later: in the same row, or in the next rows to pass
    /// by.
    std::int64_t ahead_of(const Product<T>& strip, std::int64_t j, std::int64_t count) const {
        const std::int64_t distance = tiles_ahead * width_;
        if (j + distance < strip.n()) return distance;
        return count * strip.b.row_step + distance - round_up(strip.n(), width_);
    }

    /// A C without contiguous rows meets its sums one by one, with the same roundings in the same order.
    void add_to_c(const Product<T>& strip) const {
        for (std::int64_t i = 0; i < strip.m(); ++i)
            for (std::int64_t j = 0; j < strip.n(); ++j) strip.finish(i, j, sums_[i * cut_.strip + j]);
    }

    const MicroKernel<T>& kernel_;
    const Product<T>& x_;
    const Cut<T>& cut_;
    std::int64_t width_, strip_;
    T *packed_, *sums_, *turned_, *kept_;
};

/// Every thread takes columns of its own.
template <class T, const MicroKernel<T>& kernel>
Status run(const Call& call, const Tile&) {
    const Product<T> x = along_rows(product_of<T>(call));
    const Cut<T> cut(kernel, x.m(), x.k());
    T* const memory = reinterpret_cast<T*>(call.scratch.data());
    const int workers = workers_for(x.m(), x.n(), x.k(), call.threads);
    const std::int64_t part = block_size(x.n(), ceil_div(x.n(), workers), kernel.passed_widths[cut.rows]);
    const std::int64_t height = cut.panels * cut.rows;
    const Finisher finisher(call);
    share_out(call, ceil_div(x.n(), part), [&](int worker, std::int64_t item) {
        const std::int64_t from = item * part, cols = std::min(part, x.n() - from);
        for (std::int64_t i = 0; i < x.m(); i += height) {
            const std::int64_t rows = std::min(height, x.m() - i);
            const Product<T> own{x.a.block(i, 0, rows, x.k()), x.b.block(0, from, x.k(), cols),
                                 x.c.block(i, from, rows, cols), x.alpha, x.beta};
            Slab<T>(kernel, own, cut, memory + worker * cut.elements())
                .multiply([&](const Matrix& strip, std::int64_t j) { finisher(strip, i, from + j); });
        }
    });
    return {};
}

/// C's rows once it lies along them, and whether B's do then.
struct Turned {
    std::int64_t m, n;
    bool lies_well;
    explicit Turned(const Problem& p) noexcept
        : m(p.c == Form::col_major ? p.n : p.m),
          n(p.c == Form::col_major ? p.m : p.n),
          lies_well(p.c == Form::col_major ? p.a == Form::col_major : p.b == Form::row_major) {}
};

/// Enough for either way round: with one row of C, or one column, the operands may lie otherwise than their forms say.
template <class T, const MicroKernel<T>& kernel>
std::size_t scratch_bytes(const Problem& p, const Tile&, int threads) {
    const std::int64_t elements = std::max(Cut<T>(kernel, p.m, p.k).elements(), Cut<T>(kernel, p.n, p.k).elements());
    return static_cast<std::size_t>(threads * elements) * sizeof(T);
}

/// The kernel's rate but for sums that come and go, or the time that B takes from memory: once for each slab.
template <class T, const MicroKernel<T>& kernel>
double nanoseconds(const Problem& p, int threads) {
    const Turned turned(p);
    const auto m = static_cast<double>(turned.m), n = static_cast<double>(turned.n), k = static_cast<double>(p.k);
    const double workers = workers_for(p.m, p.n, p.k, threads);
    const double reading =
        (turned.m == 1 ? 0.0255 : 0.024) * n * k * sizeof(T) * static_cast<double>(ceil_div(turned.m, most_rows));
    const double packing = 0.5 * m * k;
    return 100 + (turned.lies_well ? 1 : 4) * (packing + std::max(1.4 * m * n * k / kernel.rate, reading)) / workers;
}

constexpr Tile tiles[] = {{0, 0, 0}};

template <class T, const MicroKernel<T>& kernel>
constexpr Kernel row(const char* name, Features needs, int order) {
    return {.name = name,
            .rung = Rung::none,
            .in = type_of<T>,
            .out = type_of<T>,
            .sum = type_of<T>,
            .scheme = unsplit<T>,
            .needs = needs,
            .tiles = tiles,
            .fuses_epilogue = true,
            .idea = "for few rows of A: B is read once, as it lies, and the sums wait in the cache",
            .sum_bound = blocked_sum_bound<T>,
            .nanoseconds = nanoseconds<T, kernel>,
            .scratch_bytes = scratch_bytes<T, kernel>,
            .run = run<T, kernel>,
            .order = order};
}

}  // namespace

constinit const Kernel few_rows_portable_f32 =
    row<float, micro_portable_f32>("cpu.few_rows.f32.portable", 0, order_in_blocks);
constinit const Kernel few_rows_portable_f64 =
    row<double, micro_portable_f64>("cpu.few_rows.f64.portable", 0, order_in_blocks);
#if defined(__x86_64__)
constinit const Kernel few_rows_avx2_f32 =
    row<float, micro_avx2_f32>("cpu.few_rows.f32.avx2", cpu_feature::avx2, order_fused_in_blocks);
constinit const Kernel few_rows_avx2_f64 =
    row<double, micro_avx2_f64>("cpu.few_rows.f64.avx2", cpu_feature::avx2, order_fused_in_blocks);
constinit const Kernel few_rows_avx512_f32 =
    row<float, micro_avx512_f32>("cpu.few_rows.f32.avx512", cpu_feature::avx512, order_fused_in_blocks);
constinit const Kernel few_rows_avx512_f64 =
    row<double, micro_avx512_f64>("cpu.few_rows.f64.avx512", cpu_feature::avx512, order_fused_in_blocks);
#elif defined(__aarch64__)
constinit const Kernel few_rows_neon_f32 =
    row<float, micro_neon_f32>("cpu.few_rows.f32.neon", cpu_feature::neon, order_fused_in_blocks);
constinit const Kernel few_rows_neon_f64 =
    row<double, micro_neon_f64>("cpu.few_rows.f64.neon", cpu_feature::neon, order_fused_in_blocks);
#endif

}  // namespace tw::cpu
