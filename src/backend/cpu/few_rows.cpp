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
// Up to 6 rows by a B that is contiguous along k, as in y = A x, are summed on squares of B turned in registers.
// Needs: A packed, M x KC elements, and M x strip sums, a thread. 2mnk flops; B is read from memory once, page by page,
// at the pace at which the processor fetches ahead. Gained over r6_vectorized: its strips' tiles touch one page a row.
#include "backend/cpu/ladder.hpp"
#include "backend/cpu/micro/crowded.hpp"
#include "backend/cpu/micro/slab.hpp"
#include "backend/cpu/micro/turned_slab.hpp"
#include "backend/cpu/parts_of_k.hpp"
#include "backend/cpu/product/parallel.hpp"
#include "base/cpu_features.hpp"

namespace tw::cpu {
namespace {

/// C's rows are the few once it is turned, however it lies: the sums are few too.
constexpr bool is_turned(std::int64_t m, std::int64_t n, bool c_lies_by_columns) noexcept {
    return m == n ? c_lies_by_columns : m > n;
}

/// How B goes to threads: in pieces of columns, and by blocks of k where there are hardly as many as threads, or where
/// very few rows meet rows of B, which come sooner from end to end. Cores are not equally quick, so that there are more
/// pieces than threads where they may be short.
template <class T>
struct Pieces {
    static constexpr std::int64_t so_few = 8;                     // rows
    static constexpr std::int64_t least = (1 << 17) / sizeof(T);  // elements of B in a piece on squares,
    static constexpr std::int64_t read_together = 2 * narrowest;  // of a row of B in one that passes by
    PartsOfK<T> parts;
    std::int64_t cols, count;
    bool has_blocks;

    Pieces(std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t width, bool on_squares, int workers,
           bool may_cut_k = true)
        : parts(m, n, k), cols(n), count(1), has_blocks(false) {
        if (workers == 1) return;
        const bool hardly_any = ceil_div(n, width) < 2 * workers, k_is_long = 4 * parts.blocks >= workers;
        has_blocks = may_cut_k && m <= so_few && parts.fit() && parts.at_once == parts.blocks &&
                     (hardly_any || (k_is_long && !on_squares));
        const std::int64_t blocks = has_blocks ? parts.blocks : 1, most = 4;
        const std::int64_t each =
            std::clamp<std::int64_t>((has_blocks || on_squares ? n * k / least : n / read_together) / workers, 1, most);
        const std::int64_t wanted = each * workers;
        const std::int64_t unit = on_squares ? std::max(width, round_up(8 * m, width)) : width;
        cols = block_size(n, ceil_div(n, ceil_div(wanted, blocks)), unit);
        count = blocks * ceil_div(n, cols);
    }
    /// How many threads' work is done at once: the last ones may find little left.
    double sharing(int workers) const {
        return static_cast<double>(count) / static_cast<double>(ceil_div(count, workers));
    }
};

/// piece(worker, product, a, b, completed) for each piece; `a` and `b` may be narrow.
template <class T>
void share_pieces(const Call& call, const Product<T>& x, const Pieces<T>& pieces, T* sums, const Finisher& finisher,
                  const auto& piece) {
    if (pieces.has_blocks) {
        pieces.parts.share(call, x, {0, 0, x.m(), pieces.cols}, sums, finisher,
                           [&](int worker, const Product<T>& part, std::int64_t p, const Part& at) {
                               piece(worker, part, call.a.block(0, p, x.m(), part.k()),
                                     call.b.block(p, at.j, part.k(), at.cols), [](const auto&, auto, auto) {});
                           });
        return;
    }
    share_out(call, pieces.count, [&](int worker, std::int64_t item) {
        const std::int64_t from = item * pieces.cols, cols = std::min(pieces.cols, x.n() - from);
        piece(worker, Product<T>{x.a, x.b, x.c.block(0, from, x.m(), cols), x.alpha, x.beta}, call.a,
              call.b.block(0, from, x.k(), cols),
              [&](const Matrix& strip, std::int64_t i, std::int64_t j) { finisher(strip, i, from + j); });
    });
}

template <class T, const MicroKernel<T>& kernel>
Status run(const Call& given, const Tile&) {
    const bool turned = is_turned(given.m(), given.n(), cpu::is_turned(given.c));
    Call call = turned_if(turned, given);
    const Product<T> x = product_of<T>(call);
    const bool on_squares = TurnedCut<T>::suits(kernel, x.m(), call.b.row_step == 1 && call.b.col_step != 1);
    const TurnedCut<T> squares(x.m(), x.k(), call.b.col_step * static_cast<std::int64_t>(size_of(call.b.type)));
    const Cut<T> cut(kernel, x.m(), x.k(), call.b.type, call.b.col_step == 1);
    const int workers = workers_for(x.m(), x.n(), x.k(), call.threads);
    const std::int64_t own = call.threads * (on_squares ? squares.elements() : cut.elements());
    T* const memory = reinterpret_cast<T*>(call.scratch.data());
    T* const sums = memory + own;
    call.threads = workers;
    const std::int64_t room = static_cast<std::int64_t>(call.scratch.size() / sizeof(T)) - own;  // a slab may have none
    const Pieces<T> pieces(x.m(), x.n(), x.k(), on_squares ? squares.width : cut.width, on_squares, workers,
                           room >= PartsOfK<T>(x.m(), x.n(), x.k()).elements());
    const Finisher finisher(call, turned);
    if (on_squares) {
        share_pieces(call, x, pieces, sums, finisher,
                     [&](int worker, const Product<T>& own, const Matrix& a, const Matrix& b, const auto& completed) {
                         TurnedSlab<T>(kernel, own, a, b, squares, memory + worker * squares.elements())
                             .multiply([&](const Matrix& strip, std::int64_t j) { completed(strip, 0, j); });
                     });
        return {};
    }
    const std::int64_t height = cut.panels * cut.rows;
    share_pieces(call, x, pieces, sums, finisher,
                 [&](int worker, const Product<T>& own, const Matrix& a, const Matrix& b, const auto& completed) {
                     for (std::int64_t i = 0; i < own.m(); i += height) {
                         const std::int64_t rows = std::min(height, own.m() - i);
                         const Product<T> some{own.a, own.b, own.c.block(i, 0, rows, own.n()), own.alpha, own.beta};
                         Slab<T>(kernel, some, a.block(i, 0, rows, own.k()), b, cut, memory + worker * cut.elements())
                             .multiply([&](const Matrix& strip, std::int64_t j) { completed(strip, i, j); });
                     }
                 });
    return {};
}

/// The product as it is run, and whether B's rows are contiguous then.
struct Turned {
    std::int64_t m, n;
    bool lies_well;
    explicit Turned(const Problem& p) noexcept
        : m(std::min(p.m, p.n)),
          n(std::max(p.m, p.n)),
          lies_well(is_turned(p.m, p.n, p.c == Form::col_major) ? p.a == Form::col_major : p.b == Form::row_major) {}
};

/// Enough however the operands lie.
template <class T, const MicroKernel<T>& kernel>
std::size_t scratch_bytes(const Problem& p, const Tile&, int threads) {
    std::int64_t elements = std::max(TurnedCut<T>(std::min(p.m, p.n), p.k, 0).elements(),
                                     TurnedCut<T>(std::min(p.m, p.n), p.k, 1).elements());
    for (const bool lies_well : {true, false})
        elements = std::max(elements, Cut<T>(kernel, std::min(p.m, p.n), p.k, p.in, lies_well).elements());
    const PartsOfK<T> parts(p.m, p.n, p.k);
    const bool cuts_k =
        std::min(p.m, p.n) <= Pieces<T>::so_few && workers_for(p.m, p.n, p.k, threads) > 1 && parts.fit();
    return static_cast<std::size_t>(threads * elements + (cuts_k ? parts.elements() : 0)) * sizeof(T);
}

/// What a product takes where B's rows pass by, over the kernel's rate: sums come and go. 32-byte vectors have more of
/// them for the same B, and with many rows they leave L1. More rows than a slab has are slower in any.
template <class T>
double passing_pace(const MicroKernel<T>& kernel, const Problem& p, const Turned& x) {
    constexpr std::int64_t rows_in_l1 = 24, rows_across = 16;
    const bool as_c_lies = x.m == (p.c == Form::col_major ? p.n : p.m);
    const bool across = splits(kernel) && !as_c_lies && !is_narrow(p.in);
    if (x.lies_well && (as_c_lies || (across && x.m <= rows_across)) && is_split(kernel, x.m))
        return split_pace(kernel, x.m, x.n, p.in);
    const std::int64_t near = across ? rows_across : kernel.lanes * int{sizeof(T)} <= 32 ? rows_in_l1 : most_rows;
    return x.m > near ? 2 : splits(kernel) && !x.lies_well ? 1.1 : 1.4;
}

/// Some columns of a C that lies by rows, whose last vector is cut short: turned round they are rows, in whole vectors.
/// A core that splits vectors took less than is reckoned. Fewer columns stay near for r6.
template <class T>
double cut_short(const MicroKernel<T>& kernel, const Problem& p) {
    const bool turned = p.c == Form::col_major;
    const std::int64_t rows = turned ? p.n : p.m, cols = turned ? p.m : p.n;
    if ((cols <= kernel.widths[1] && !is_narrow(p.in)) || cols % kernel.lanes == 0 || is_split(kernel, rows)) return 1;
    return !is_split(kernel, cols) ? 1 : is_narrow(p.in) ? 0.5 : 0.85;
}

template <class T, const MicroKernel<T>& kernel>
double sharing_of(const Turned& x, const Problem& p, int threads) {
    const int workers = workers_for(p.m, p.n, p.k, threads);
    if (workers == 1) return 1;
    const bool on_squares = TurnedCut<T>::suits(kernel, x.m, !x.lies_well);
    const Cut<T> cut(kernel, x.m, p.k, p.in, true);
    const std::int64_t width = on_squares ? TurnedCut<T>(x.m, p.k, 0).width : cut.width;
    return Pieces<T>(x.m, x.n, p.k, width, on_squares, workers).sharing(workers);
}

/// The kernel's rate but for sums that come and go, or the time that B takes from memory: once for each slab. Copies of
/// B cost a share of what its f32 would, squares that are turned in registers little more than their bytes, and in
/// 64-byte vectors less. Many threads' L2s let B's rows pass by more slowly than memory does, and widening costs them.
template <class T, const MicroKernel<T>& kernel>
double nanoseconds(const Problem& p, int threads) {
    const Turned turned(p);
    const auto m = static_cast<double>(turned.m), n = static_cast<double>(turned.n), k = static_cast<double>(p.k);
    const double sharing = sharing_of<T, kernel>(turned, p, threads);
    const double slabs = static_cast<double>(ceil_div(turned.m, most_rows));
    const bool on_squares = TurnedCut<T>::suits(kernel, std::min(p.m, p.n), !turned.lies_well);
    const bool in_lines = on_squares && kernel.lanes * static_cast<int>(sizeof(T)) >= 64;
    const double bytes = n * k * static_cast<double>(size_of(p.in)),
                 reading = (in_lines ? 0.02 : 0.024) * bytes * slabs;
    const double copied = on_squares ? 0.0075 * sizeof(T) : splits(kernel) ? 0.075 * sizeof(T) : 0.12;
    const double copying = turned.lies_well ? 0 : copied * n * k * slabs;
    const double packing = 0.5 * m * k, pace = on_squares ? 1 : passing_pace(kernel, p, turned);
    const double products = cut_short(kernel, p) * (pace * m * n * k / kernel.rate + copying);
    const int workers = workers_for(p.m, p.n, p.k, threads);
    const bool is_near = bytes <= 1.2 * static_cast<double>(caches().l2.bytes) * workers;
    const double many = on_squares || !is_near ? 1 : 1 + 0.4 * share_of_many(workers);
    const double widening = is_narrow(p.in) ? 0.08 * share_of_many(workers) * n * k * slabs : 0;
    return 100 + (packing + widening + many * std::max(products, reading)) / sharing;
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
            .widens = sizeof(T) == sizeof(float),
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
