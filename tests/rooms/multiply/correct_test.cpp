// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The correcting product: what a flipped bit spoils is found and gets the bits that it would have had; a right product
// is never called wrong. With TW_LONG_TESTS in the environment, as often as docs/results/trust.md says.
#include "multiply/correct.hpp"

#include <cmath>
#include <cstdlib>
#include <utility>

#include "backend/direct.hpp"
#include "base/element.hpp"
#include "multiply/verify.hpp"
#include "reference/fill.hpp"
#include "rooms/multiply/each_row.hpp"
#include "rooms/multiply/faulty_kernels.hpp"

namespace rules {
namespace {

int often(int in_the_long_run, int otherwise) {
    if (is_sanitized) return otherwise / 20 + 1;
    return std::getenv("TW_LONG_TESTS") ? in_the_long_run : otherwise;
}

std::int64_t between(std::int64_t least, std::int64_t most) {
    return least + static_cast<std::int64_t>(faults::any_below(static_cast<std::size_t>(most - least + 1)));
}

/// A product by one kernel with faults to order, once with the check that corrects and once without.
struct Trial {
    Product<float> p;
    tw::Options options;
    std::vector<float> c0;
    tw::Plan plan, second;

    Trial(std::int64_t m, std::int64_t n, std::int64_t k, faults::Place place) : p(m, n, k) {
        std::normal_distribution<float> normal(0, 1);
        for (std::vector<float>* values : {&p.a, &p.b, &p.c})
            for (float& value : *values) value = normal(faults::engine);
        c0 = p.c;
        options.alpha = between(0, 1) ? 1 : -0.7, options.beta = between(0, 1) ? 0 : 0.3;
        options.threads = 1, options.kernel = place == faults::Place::reg ? "r1_naive" : "r7_hierarchical";
        plan = tw::plan(tw::problem_of(erase(p.av()), erase(p.bv()), erase(p.cv()), options), options);
        EXPECT_TRUE(tw::plan_second(plan, second));
        tw::set_direct(plan, {});
        faults::make_faulty(plan, place, 0);
    }
    std::vector<float> unchecked(int faulty_runs) {
        p.c = c0, faults::to_come = faulty_runs;
        EXPECT_TRUE(plan.try_run(erase(p.av()), erase(p.bv()), erase(p.cv())));
        return p.c;
    }
    tw::Status corrected(int faulty_runs, tw::Corrections& done) {
        p.c = c0, faults::to_come = faulty_runs;
        return tw::run_corrected(plan, second, erase(p.av()), erase(p.bv()), erase(p.cv()), nullptr, done);
    }
    /// How far the worst element is off, in units of what the kernel's certificate allows it.
    double times_too_far_off(const std::vector<float>& right, const std::vector<float>& got) {
        const double allowed = tw::certificate(*plan.kernel, p.k);
        double most = 0;
        for (std::size_t at = 0; at < right.size(); ++at) {
            const double off = std::fabs(static_cast<double>(got[at]) - static_cast<double>(right[at]));
            if (off == 0) continue;
            const auto i = static_cast<std::int64_t>(at) / p.n, j = static_cast<std::int64_t>(at) % p.n;
            double size = std::fabs(options.beta * static_cast<double>(c0[at]));
            for (std::int64_t q = 0; q < p.k; ++q)
                size +=
                    std::fabs(options.alpha * static_cast<double>(p.av()(i, q)) * static_cast<double>(p.bv()(q, j)));
            most = std::isfinite(off) ? std::fmax(most, off / (allowed * size)) : infinity<double>;
        }
        return most;
    }
};

int wrong_elements(const std::vector<float>& right, const std::vector<float>& got) {
    int wrong = 0;
    for (std::size_t at = 0; at < right.size(); ++at) wrong += std::memcmp(&right[at], &got[at], sizeof(float)) != 0;
    return wrong;
}

struct Count {
    int flips = 0, mattered = 0, found = 0, repaired = 0, singles = 0, alone = 0;
};

/// A flip matters when it takes an element further off than twice what its certificate allows.
void try_a_fault(Trial& trial, Count& count) {
    const std::vector<float> right = trial.unchecked(0);
    const std::mt19937 before = faults::engine;
    const std::vector<float> spoilt = trial.unchecked(1);
    faults::engine = before;  // the same fault again
    tw::Corrections done;
    ASSERT_TRUE(trial.corrected(1, done));
    ++count.flips;
    if (!(trial.times_too_far_off(right, spoilt) > 2)) {
        EXPECT_LE(trial.times_too_far_off(right, trial.p.c), 2);
        return;
    }
    ++count.mattered;
    count.found += done.elements > 0;
    count.repaired += same_bits(trial.p.c, right);
    if (wrong_elements(right, spoilt) > 1) return;
    ++count.singles;
    count.alone += done.elements == 1 && done.made_again == 1 + trial.p.m + trial.p.n;
}

TEST(Correcting, Fault09_FindsEachFlipThatMattersAndGivesTheBitsOfTheCleanProduct) {
    for (const faults::Place place : faults::every_place) {
        Count count;
        while (count.mattered < often(10000, 100)) {
            const std::int64_t m = between(1, 40), n = between(1, 40);
            Trial trial(m, n, 4 * std::max(m, n) + between(0, 200), place);
            try_a_fault(trial, count);
        }
        EXPECT_EQ(count.found, count.mattered) << faults::name_of(place);
        EXPECT_EQ(count.repaired, count.mattered) << faults::name_of(place);
        EXPECT_GE(count.alone, count.singles * 9 / 10) << "single elements are made again by themselves";
        std::printf("%s: %d flips, %d mattered, %d found, %d repaired, %d single, %d of them alone\n",
                    faults::name_of(place), count.flips, count.mattered, count.found, count.repaired, count.singles,
                    count.alone);
    }
}

/// r1_naive's order of summation, and at each step as much too much as parts of f32 may lose where they have no bits.
tw::Status run_with_losses(const tw::Call& call, const tw::Tile&) {
    faults::run_in_registers(call, false);
    for (std::int64_t i = 0; i < call.m(); ++i)
        for (std::int64_t j = 0; j < call.n(); ++j)
            *static_cast<float*>(call.c.at(i, j)) += static_cast<float>(call.k()) * 0x1p-137f;
    return {};
}

TEST(Correcting, AllowsWhatPartsHaveNoBitsFor) {
    Trial trial(9, 14, 60, faults::Place::reg);
    for (float& value : trial.p.a) value = std::ldexp(value, -130);
    for (float& value : trial.c0) value = 0;
    tw::Kernel lossy = *trial.plan.kernel;
    tw::Scheme scheme = *lossy.scheme;
    lossy.run = run_with_losses, lossy.scheme = &scheme, trial.plan.kernel = &lossy;
    for (const double loss : {0x1p-136, 0.0}) {
        scheme.flush_loss = loss;
        tw::Corrections done;
        ASSERT_TRUE(trial.corrected(0, done));
        EXPECT_EQ(done.by_second, loss == 0) << loss;
    }
}

TEST(Correcting, MendsLargeProductsToo) {
    for (const faults::Place place : {faults::Place::c, faults::Place::packed_a, faults::Place::packed_b}) {
        Count count;
        while (count.mattered < often(100, 3)) {
            Trial trial(between(200, 500), between(200, 500), between(500, 900), place);
            try_a_fault(trial, count);
        }
        EXPECT_EQ(count.repaired, count.mattered) << faults::name_of(place);
    }
}

TEST(Correcting, FaultsInWhatIsMadeAgainAreFoundToo) {
    for (int i = 0; i < 50; ++i) {
        Trial trial(20, 30, 200, faults::Place::c);
        const std::vector<float> right = trial.unchecked(0);
        tw::Corrections done;
        ASSERT_TRUE(trial.corrected(2, done));
        EXPECT_LE(trial.times_too_far_off(right, trial.p.c), 2);
    }
}

std::vector<std::int64_t> rows_to_spoil;

tw::Status wrong_in_some_rows(const tw::Call& call, const tw::Tile& tile) {
    const tw::Status status = faults::honest->run(call, tile);
    for (const std::int64_t row : std::exchange(rows_to_spoil, {}))
        for (std::int64_t j = 0; j < call.n(); ++j) tw::typed<float>(call.c)(row, j) += 100;
    return status;
}

TEST(Correcting, RowsThatAreNoNeighboursAreMadeAgainAndNothingElse) {
    for (const std::vector<std::int64_t>& rows : {std::vector<std::int64_t>{3, 9}, {3, 4, 9}, {0, 2, 3, 19}}) {
        Trial trial(20, 30, 200, faults::Place::c);
        const std::vector<float> right = trial.unchecked(0);
        tw::Kernel wrong = *trial.plan.kernel;
        wrong.run = wrong_in_some_rows;
        trial.plan.kernel = &wrong;
        rows_to_spoil = rows;
        tw::Corrections done;
        ASSERT_TRUE(trial.corrected(0, done));
        EXPECT_TRUE(same_bits(trial.p.c, right));
        EXPECT_EQ(done.elements, 30 * std::ssize(rows));
        EXPECT_EQ(done.made_again, 30 * std::ssize(rows));
        EXPECT_FALSE(done.by_second);
    }
}

tw::Status wrong_every_time(const tw::Call& call, const tw::Tile& tile) {
    const tw::Status status = faults::honest->run(call, tile);
    for (std::int64_t i = 0; i < call.m(); ++i) tw::typed<float>(call.c)(i, 0) += 1;
    return status;
}

TEST(Correcting, AKernelThatIsWrongEveryTimeIsReplacedByTheReference) {
    Trial trial(40, 30, 200, faults::Place::c);
    tw::Kernel wrong = *trial.plan.kernel;
    wrong.run = wrong_every_time;
    trial.plan.kernel = &wrong;
    tw::Corrections done;
    ASSERT_TRUE(trial.corrected(0, done));
    EXPECT_TRUE(done.by_second);
    const std::vector<float> got = trial.p.c;
    trial.p.c = trial.c0;
    trial.p.run("r1_naive", {.alpha = trial.options.alpha, .beta = trial.options.beta});
    EXPECT_TRUE(same_bits(got, trial.p.c));

    trial.second = trial.plan;  // and if that is wrong, too
    EXPECT_EQ(trial.corrected(0, done).code, tw::Code::verification_failed);
}

/// Clean runs of everything that sums in orders of its own: rows, types, fills, scalars, epilogues, special values.
TEST(Correcting, StaysQuietOverCleanRuns) {
    constexpr tw::Type types[] = {tw::Type::f32, tw::Type::f64, tw::Type::f16, tw::Type::bf16};
    constexpr double alphas[] = {1, -0.7, 1e-42}, betas[] = {0, 1, -0.3};
    int again = 0, refused = 0;
    const int runs = often(100000, 2500);
    for (int i = 0; i < runs; ++i) {
        const std::int64_t most = i % 50 == 0 ? 150 : 24, m = between(1, most), n = between(1, most),
                           k = between(1, most);
        const tw::Type type = types[i % 4];
        std::vector<double> memory[3];
        const auto matrix = [&](int which, std::int64_t rows, std::int64_t cols) {
            memory[which].resize(static_cast<std::size_t>(rows * cols));
            return tw::Matrix{memory[which].data(), type, rows, cols, cols};
        };
        const tw::Matrix a = matrix(0, m, k), b = matrix(1, k, n), c = matrix(2, m, n);
        const auto fill = tw::reference::every_fill[faults::any_below(std::size(tw::reference::every_fill))];
        tw::reference::fill_operands(a, b, fill, static_cast<std::uint64_t>(i));
        if (i % 17 == 0) tw::store_element(a, m / 2, k / 2, nan<double>);
        if (i % 19 == 0) tw::store_element(b, k / 2, n / 2, infinity<double>);
        tw::reference::fill(c, tw::reference::Fill::normal, static_cast<std::uint64_t>(i));
        tw::Options options{.alpha = alphas[between(0, 2)], .beta = betas[between(0, 2)], .threads = 1};
        if (between(0, 3) == 0) options.reproducible = true;
        if (between(0, 3) == 0) options.kernel = between(0, 1) ? "r4_register_tile" : "r7_hierarchical";
        tw::Plan plan, second;
        if (!tw::try_plan(tw::problem_of(a, b, c, options), options, plan) || !tw::plan_second(plan, second)) {
            ++refused;
            continue;
        }
        const std::vector<double> c0 = memory[2];
        ASSERT_TRUE(plan.try_run(a, b, c));
        const std::vector<double> right = memory[2];
        memory[2] = c0;
        tw::Corrections done;
        tw::set_direct(plan, {});
        const tw::Status status = tw::run_corrected(plan, second, a, b, c, nullptr, done);
        ASSERT_TRUE(status) << "run " << i << ": " << status.text;
        EXPECT_EQ(done.elements, 0) << "run " << i << " " << tw::reference::name_of(fill);
        EXPECT_FALSE(done.by_second) << "run " << i << " " << tw::reference::name_of(fill) << ' ' << plan.kernel_name();
        again += done.made_again > 0;
    }
    EXPECT_LT(refused, runs / 2);
    std::printf("%d runs, %d of them looked at twice, %d not to be had here\n", runs, again, refused);
}

TEST(Correcting, IsReachedByTheOption) {
    for (const bool narrow : {false, true}) {
        Product<float> p(60, 50, 300), plain = p;
        tw::Options options{.beta = narrow ? 0.5 : 0.0, .epilogue = tw::relu()};
        p.c.assign(p.c.size(), 2), plain.c = p.c;
        plain.run("", options);
        options.verify = tw::Verify::correct;
        p.run("", options);
        EXPECT_TRUE(same_bits(p.c, plain.c));
    }
    static_assert(tw::Options{.verify = true}.verify == tw::Verify::check && !tw::Options{}.verify);
}

}  // namespace
}  // namespace rules
