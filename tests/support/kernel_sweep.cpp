// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "support/kernel_sweep.hpp"

#include <algorithm>
#include <array>
#include <complex>
#include <cstring>
#include <limits>

#include "base/element.hpp"
#include "reference/random.hpp"
#include "support/crash_note.hpp"

namespace tw::test {
namespace {

using reference::Fill;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double largest_product = 0x1p22;  // what one case may cost
constexpr double large_product = 0x1p18;    // what each of many may cost under a sanitizer

constexpr Lie lies[] = {
    {},
    {.padding = 1},
    {.padding = 5, .at_start = true},
    {.padding = 2, .reversed = true},
    {.gap = 2},
    {.columns = true},
    {.columns = true, .at_start = true},
    {.columns = true, .padding = 3},
    {.columns = true, .padding = 7, .gap = 3},
};
constexpr double scalars[] = {1, 0, -1, 0.5, nan};

/// Of a complex element the one part or the other, by its place.
void put(const Matrix& m, std::int64_t i, std::int64_t j, double value) {
    if (!is_complex(m.type)) return store_element(m, i, j, value);
    store_element((i + j) % 2 ? imaginary_parts(m) : real_parts(m), i, j, value);
}

class Sweep {
public:
    Sweep(const Kernel& kernel, Place place, const Runner& runner, const SweepRules& rules)
        : kernel_(kernel), place_(place), runner_(runner), rules_(rules) {
        default_tile_ = kernel.tiles.empty() ? Tile{} : kernel.tiles.front();
    }

    SweepReport all() {
        every_small_shape();
        around_powers_of_two();
        around_tiles();
        deep();
        scalars_of_every_kind();
        values_of_every_kind();
        random_shapes();
        if (rules_.specials) specials_everywhere();
        specials_in_c();
        same_bits();
        if (kernel_.order != 0) same_bits_of_a_row();
        if (place_ == Place::host && !rules_.brief) steps_beyond_32_bits();
        return report_;
    }

private:
    /// False when the kernel refuses, something has failed before, or the case is left out. What is `known`, the bits
    /// of the same product that were judged before, the caller compares with those, and it is not judged again.
    bool judged(Trial trial, Outcome* kept = nullptr, bool known = false) {
        if (!report_.failure.empty() || (rules_.brief && !belongs_to_brief(trial))) return false;
        if (trial.tile == Tile{}) trial.tile = default_tile_;
        if (!is_complex(kernel_.in)) trial.alpha_imag = trial.beta_imag = 0;
        trial.exact = trial.fill == Fill::integers && rules_.exact_integers;
        trial.is_judged = !known && report_.cases % rules_.judged_once_in == 0;
        const CrashNote note(kernel_.name, trial);
        Outcome outcome = run(trial, kernel_, place_, runner_, rules_.loss);
        if (outcome.refused) return ++report_.refused, false;
        ++report_.cases;
        report_.worst = std::max(report_.worst, outcome.worst);
        if (!outcome.failure.empty()) report_.failure = trial.text() + ": " + outcome.failure;
        if (kept) *kept = std::move(outcome);
        return report_.failure.empty();
    }

    bool belongs_to_brief(const Trial& trial) {
        const bool small = trial.m * trial.n * trial.k <= 20000;
        return small && ++offered_ % 7 == 0;
    }

    /// Some are read as conjugates, if they are complex.
    Lie any_lie() {
        Lie lie = lies[random_.whole(0, std::ssize(lies) - 1)];
        lie.conj = is_complex(kernel_.in) && random_.sign() < 0;
        return lie;
    }
    /// C is written as it lies.
    Lie any_lie_of_c() {
        Lie lie = any_lie();
        lie.conj = false;
        return lie;
    }
    double any_imaginary() {
        return is_complex(kernel_.in) ? std::array{0.0, 0.0, 0.5, -1.0}[random_.bits() >> 62] : 0;
    }
    double any_scalar() { return scalars[random_.whole(0, std::ssize(scalars) - 2)]; }
    std::uint64_t any_seed() { return random_.bits() >> 40; }

    /// Integers and normal numbers by turns, any memory, any scalars.
    void varied(std::int64_t m, std::int64_t n, std::int64_t k, const Tile& tile = {}) {
        const Fill how = report_.cases % 2 ? Fill::normal : Fill::integers;
        judged({.m = m,
                .n = n,
                .k = k,
                .tile = tile,
                .a = any_lie(),
                .b = any_lie(),
                .c = any_lie_of_c(),
                .alpha = any_scalar(),
                .beta = any_scalar(),
                .alpha_imag = any_imaginary(),
                .beta_imag = any_imaginary(),
                .fill = how,
                .seed = any_seed()});
    }

    /// As callers mostly lay them out: rows or columns, tightly.
    void plain(std::int64_t m, std::int64_t n, std::int64_t k, const Tile& tile = {}) {
        const auto tight = [&] { return Lie{.columns = random_.sign() < 0}; };
        judged({.m = m,
                .n = n,
                .k = k,
                .tile = tile,
                .a = tight(),
                .b = tight(),
                .c = tight(),
                .fill = Fill::integers,
                .seed = any_seed()});
    }

    void every_small_shape() {
        for (std::int64_t m = 1; m <= 10; ++m)
            for (std::int64_t n = 1; n <= 10; ++n)
                for (std::int64_t k = 1; k <= 10; ++k) varied(m, n, k);
    }

    void around_powers_of_two() {
        for (std::int64_t power = 16; power <= 1024; power *= 2)
            for (const std::int64_t size : {power - 1, power, power + 1}) {
                varied(size, 5, 7);
                varied(6, size, 9);
                varied(4, 11, size);
                plain(size, 1, 3);
                plain(1, size, 33);
                plain(17, 19, size);
            }
        plain(70, 70, 1);
        plain(1, 1, 1000);
    }

    void around_tiles() {
        constexpr std::size_t tried = 6;
        for (const Tile& tile : kernel_.tiles.first(std::min(tried, kernel_.tiles.size())))
            for (const int m : {-1, 0, 1})
                for (const int n : {-1, 0, 1})
                    for (const int k : {-1, 0, 1}) around_tile(tile, m, n, k);
    }

    /// Whole where that is cheap; else each side at full length with the others short. By address each of those once,
    /// and whole once: beyond the tile in every direction.
    void around_tile(const Tile& tile, int more_m, int more_n, int more_k) {
        const std::int64_t m = std::max(tile.m + more_m, 1), n = std::max(tile.n + more_n, 1),
                           k = std::max(tile.k + more_k, 1);
        const auto cost = static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
        const bool alike = more_m == more_n && more_n == more_k, once = rules_.by_address && !(alike && more_m == 1);
        if (cost <= (once ? large_product : largest_product)) return varied(m, n, k, tile);
        if (rules_.by_address && !alike) return;
        constexpr std::int64_t shortened = 33;
        const std::int64_t few_m = std::min(m, shortened), few_n = std::min(n, shortened);
        const std::int64_t few_k = std::min(k, shortened);
        varied(m, few_n, few_k, tile);
        varied(few_m, n, few_k, tile);
        varied(few_m, few_n, k, tile);
    }

    void deep() {
        for (const std::int64_t k : {300, 777, 2047, 2049, 4097, 65537})
            for (const Fill how : {Fill::integers, Fill::symmetric})
                judged({.m = 3, .n = 5, .k = k, .a = any_lie(), .b = any_lie(), .fill = how, .seed = any_seed()});
        plain(150, 140, 130);
    }

    void scalars_of_every_kind() {
        for (const double alpha : scalars)
            for (const double beta : scalars) {
                Trial trial{.alpha = alpha, .beta = beta, .seed = any_seed()};
                trial.m = 7, trial.n = 9, trial.k = 6, trial.c = any_lie_of_c();
                judged(trial);
                trial.m = 33, trial.n = 18, trial.k = 35, trial.c = any_lie_of_c(), trial.seed = any_seed();
                judged(trial);
                if (!is_complex(kernel_.in)) continue;
                trial.alpha_imag = -0.5, trial.beta_imag = 2;
                judged(trial);
            }
        if (is_complex(kernel_.in)) complex_scalars();
    }

    /// Each part of each scalar by itself, where conjugates are read and where none are.
    void complex_scalars() {
        for (const bool in_a : {false, true})
            for (const bool in_b : {false, true})
                for (const auto& [alpha, beta] : {std::pair{std::complex(1.0, 0.0), std::complex(0.0, 0.0)},
                                                  {{0, 1}, {0, 0}},
                                                  {{0, -1}, {0, 1}},
                                                  {{0.5, 2}, {-1, 0.25}},
                                                  {{1, nan}, {0, 0}},
                                                  {{1, 0}, {0, nan}}})
                    judged({.m = 19,
                            .n = 23,
                            .k = 21,
                            .a = {.conj = in_a},
                            .b = {.conj = in_b},
                            .alpha = alpha.real(),
                            .beta = beta.real(),
                            .alpha_imag = alpha.imag(),
                            .beta_imag = beta.imag(),
                            .seed = any_seed()});
    }

    void values_of_every_kind() {
        for (const Fill how : reference::every_fill) {
            if (how == Fill::subnormals && !rules_.specials) continue;
            for (const double beta : {0.0, 1.0}) {
                judged({.m = 33, .n = 29, .k = 65, .beta = beta, .fill = how, .seed = any_seed()});
                if (rules_.by_address && how != Fill::normal) break;
                judged({.m = 8, .n = 70, .k = 300, .b = any_lie(), .beta = beta, .fill = how, .seed = any_seed()});
                judged({.m = 5, .n = 3, .k = 2, .a = any_lie(), .beta = beta, .fill = how, .seed = any_seed()});
            }
        }
    }

    void random_shapes() {
        for (int i = 0; i < (rules_.by_address ? 16 : 40); ++i)
            varied(random_.whole(1, 130), random_.whole(1, 130), random_.whole(1, 130));
    }

    /// One Inf or NaN at (i, j) of A or of B, the other operand a third zeros: 0 * Inf is NaN and may not be skipped.
    void special_at(bool in_a, std::int64_t i, std::int64_t j, std::int64_t m, std::int64_t n, std::int64_t k) {
        const double value = std::array{inf, -inf, nan}[static_cast<std::size_t>(report_.cases % 3)];
        const bool both = is_complex(kernel_.in) && (i + j) % 4 == 0;  // parts are special: an Inf and a NaN
        Trial trial{.m = m, .n = n, .k = k, .fill = Fill::symmetric, .seed = any_seed()};
        trial.alter = [=](const Matrix& a, const Matrix& b, const Matrix&) {
            const Matrix &one = in_a ? a : b, &other = in_a ? b : a;
            for (std::int64_t p = 0; p < other.rows; ++p)
                for (std::int64_t q = 0; q < other.cols; ++q)
                    if ((p + q) % 3 == 0) put(other, p, q, 0);
            put(one, i, j, value);
            if (both) store_element(imaginary_parts(one), i, j, nan);
        };
        trial.about = std::to_string(value) + " at (" + std::to_string(i) + ", " + std::to_string(j) + ") of ";
        trial.about += in_a ? "A" : "B";
        judged(trial);
    }

    void specials_everywhere() {
        constexpr std::int64_t m = 13, n = 18, k = 11;
        const auto next = [&](std::int64_t at, std::int64_t count) {
            return rules_.by_address ? at + count - 1 : at + 1;
        };
        for (std::int64_t p = 0; p < k; p = next(p, k)) {
            for (std::int64_t i = 0; i < m; i = next(i, m)) special_at(true, i, p, m, n, k);
            for (std::int64_t j = 0; j < n; j = next(j, n)) special_at(false, p, j, m, n, k);
        }
        const std::int64_t tm = std::clamp(default_tile_.m, 2, 300), tn = std::clamp(default_tile_.n, 2, 300),
                           tk = std::clamp(default_tile_.k, 2, 300);
        for (const std::int64_t p : {std::int64_t{0}, tk - 1, tk}) {
            if (rules_.by_address && p != tk) continue;
            for (const std::int64_t i : {std::int64_t{0}, tm - 1, tm}) special_at(true, i, p, tm + 1, 21, tk + 1);
            for (const std::int64_t j : {std::int64_t{0}, tn - 1, tn}) special_at(false, p, j, 19, tn + 1, tk + 1);
        }
    }

    void specials_in_c() {
        for (const double value : {inf, -inf, nan})
            for (const std::int64_t i : {0, 5, 17})
                for (const std::int64_t j : {0, 6, 18}) {
                    Trial trial{.m = 18, .n = 19, .k = 9, .beta = 0.5, .seed = any_seed()};
                    trial.alter = [=](const Matrix&, const Matrix&, const Matrix& c) { put(c, i, j, value); };
                    trial.about = std::to_string(value) + " in C";
                    judged(trial);
                }
    }

    void expect_same(const std::vector<std::byte>& bits, const Trial& trial, const char* what) {
        Outcome again;
        if (judged(trial, &again, true) && again.result != bits)
            report_.failure = trial.text() + ": other bits " + what;
    }

    void same_bits() {
        for (const auto& [m, n, k] : {std::tuple{37, 41, 300}, {130, 70, 65}, {3, 200, 1025}, {200, 3, 513}}) {
            Trial trial{.m = m, .n = n, .k = k, .tile = default_tile_, .seed = any_seed()};
            Outcome alone;
            if (!judged(trial, &alone)) continue;
            if (!rules_.by_address) expect_same(alone.result, trial, "from run to run");
            for (const int threads : {2, 3, 8}) {
                if (place_ != Place::host) break;
                if (rules_.by_address && threads == 2) continue;
                trial.threads = threads;
                expect_same(alone.result, trial, "for another number of threads");
            }
            trial.a.at_start = trial.b.at_start = trial.c.at_start = true;
            expect_same(alone.result, trial, "for another alignment");
        }
    }

    /// The promise of Kernel::order: a row's bits, whatever surrounds it.
    void same_bits_of_a_row() {
        constexpr std::int64_t m = 21, n = 50, k = 333, row = 17, cols = 13;
        Trial whole{.m = m, .n = n, .k = k, .seed = any_seed()};
        Outcome large, small;
        if (!judged(whole, &large)) return;
        Trial part{.m = 1, .n = cols, .k = k, .tile = default_tile_};
        part.a.gap = 2, part.b.columns = true, part.b.padding = 1, part.c.gap = 3;
        part.about = "a row and some columns of a larger product";
        part.alter = [&](const Matrix& a, const Matrix& b, const Matrix&) {
            const GuardedMatrix all_a(a.type, m, k), all_b(b.type, k, n);
            fill_operands(all_a, all_b, whole.fill, whole.seed);
            for (std::int64_t p = 0; p < k; ++p) {
                std::memcpy(a.at(0, p), all_a.matrix().at(row, p), size_of(a.type));
                for (std::int64_t j = 0; j < cols; ++j)
                    std::memcpy(b.at(p, j), all_b.matrix().at(p, j), size_of(b.type));
            }
        };
        if (!judged(part, &small)) return;
        const std::size_t size = size_of(kernel_.out);
        const auto* there = large.result.data() + static_cast<std::size_t>(row * n) * size;
        if (!std::equal(small.result.begin(), small.result.end(), there))
            report_.failure = part.text() + ": other bits than in the larger product";
    }

    void steps_beyond_32_bits() {
        constexpr std::int64_t far = (std::int64_t{1} << 31) + 3;
        judged({.m = 2, .n = 3, .k = 2, .a = {.padding = far}, .fill = Fill::integers, .seed = 3});
        judged({.m = 2, .n = 3, .k = 2, .b = {.padding = far}, .fill = Fill::integers, .seed = 4});
        judged({.m = 2, .n = 3, .k = 2, .c = {.padding = far}, .beta = 1, .fill = Fill::integers, .seed = 5});
        judged({.m = 2, .n = 3, .k = 2, .b = {.columns = true, .padding = far}, .fill = Fill::integers, .seed = 6});
    }

    const Kernel& kernel_;
    Place place_;
    const Runner& runner_;
    SweepRules rules_;
    Tile default_tile_;
    reference::Random random_{2026};
    SweepReport report_;
    int offered_ = 0;  // small cases, when the sweep is brief
};

}  // namespace

std::string SweepReport::sentence() const {
    if (!failure.empty()) return failure;
    if (cases == 0) return "it took none of " + std::to_string(refused) + " problems";
    return std::to_string(cases) + " cases right, the worst error at " + std::to_string(worst) +
           " of the certificate; refused: " + std::to_string(refused);
}

SweepReport sweep(const Kernel& kernel, Place place, const Runner& runner, const SweepRules& rules) {
    return Sweep(kernel, place, runner, rules).all();
}

}  // namespace tw::test
