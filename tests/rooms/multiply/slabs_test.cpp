// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Rule 40: k in slabs, added in a tree. What a part of k gives by itself is what it gives within the whole.
#include <array>

#include "plan/operands.hpp"
#include "plan/slabs.hpp"
#include "rooms/multiply/each_row.hpp"
#include "support/sanitized.hpp"
#include "tilewright/batch.hpp"
#include "tilewright/packed.hpp"
#include "tilewright/plan.hpp"

namespace rules {
namespace {

template <class T>
class Slabs : public EachRow<T> {};
TYPED_TEST_SUITE(Slabs, Types);

struct Row {
    const char *device, *kernel;
};

/// The rows that `reproducible` takes by their names, on the host and on the emulated units, and choose()'s own.
template <class T>
std::vector<Row> reproducible_rows() {
    std::vector<Row> found{{"cpu", ""}};
    const tw::Problem large{.m = 4096, .n = 4096, .k = 64, .in = tw::type_of<T>, .out = tw::type_of<T>};
    for (const char* device : {"cpu", "cpu-check"}) {
        const tw::Backend* backend = tw::find_backend(device);
        for (const tw::Kernel* kernel : backend->ladder)
            if (kernel->order != 0 && kernel->in == tw::type_of<T> && kernel->out == tw::type_of<T> &&
                (kernel->needs & ~backend->features()) == 0 && (!kernel->takes || kernel->takes(large)))
                found.push_back({device, kernel->name});
    }
    return found;
}

/// The sums of a part of k, its slabs computed one by one and added as the rule says.
template <class T>
std::vector<T> by_hand(Product<T>& p, std::int64_t first, std::int64_t length, int slabs, tw::Options options) {
    std::vector<T> sums(p.c.size());
    const std::int64_t left = (length + 1) / 2;
    if (slabs == 1 || left == length) {
        options.slabs = 1;
        tw::multiply(p.av().block(0, first, p.m, length), p.bv().block(first, 0, length, p.n),
                     tw::View<T>(sums.data(), p.m, p.n), options);
        return sums;
    }
    sums = by_hand(p, first, left, slabs / 2, options);
    const std::vector<T> right = by_hand(p, first + left, length - left, slabs / 2, options);
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += right[i];
    return sums;
}

/// The same, but for parts whose slabs the library cuts: `levels` of the tree by hand, the rest by it.
template <class T>
std::vector<T> by_parts(Product<T>& p, std::int64_t first, std::int64_t length, int levels, tw::Options options) {
    std::vector<T> sums(p.c.size());
    const std::int64_t left = (length + 1) / 2;
    if (levels == 0) {
        tw::multiply(p.av().block(0, first, p.m, length), p.bv().block(first, 0, length, p.n),
                     tw::View<T>(sums.data(), p.m, p.n), options);
        return sums;
    }
    options.slabs /= 2;
    sums = by_parts(p, first, left, levels - 1, options);
    const std::vector<T> right = by_parts(p, first + left, length - left, levels - 1, options);
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += right[i];
    return sums;
}

/// A matrix that lies by columns, by rows.
template <class T>
std::vector<T> by_rows(const std::vector<T>& columns, std::int64_t rows, std::int64_t cols) {
    std::vector<T> made;
    for (std::int64_t i = 0; i < rows; ++i)
        for (std::int64_t j = 0; j < cols; ++j) made.push_back(columns[static_cast<std::size_t>(i + j * rows)]);
    return made;
}

TYPED_TEST(Slabs, Rule40_AreAddedInATreeOnEveryRow) {
    for (const Row& row : reproducible_rows<TypeParam>())
        for (const std::int64_t k : {1, 5, 13, 250, 1024, 1027})
            for (const int slabs : {1, 2, 8}) {
                if ((is_sanitized && k >= 1024 && slabs < 8) || !tw::test::has_its_turn(5)) continue;
                Product<TypeParam> p(19, 35, k);
                const tw::Options options{.slabs = slabs, .device = row.device, .threads = 1};
                p.run(row.kernel, options);
                tw::Options one = options;
                one.kernel = row.kernel;
                ASSERT_TRUE(same_bits(p.c, by_hand(p, 0, k, slabs, one)))
                    << row.kernel << ", k " << k << ", " << slabs << " slabs";
            }
}

// Slabs that a tile sums in the first cache, and nodes of them that meet in C's: whole tiles and ragged ones, by one
// thread and on panels that two share.
TYPED_TEST(Slabs, Rule40_ATileSumsSlabsInThatTree) {
    struct {
        std::int64_t m, n, k;
        int slabs;
    } const shapes[] = {{30, 100, 301, 8}, {30, 100, 90, 64}, {30, 100, 300, 128}, {120, 120, 2501, 8}};
    for (const auto& [m, n, k, slabs] : shapes) {
        if (is_sanitized && k > 2000) continue;
        Product<TypeParam> p(m, n, k);
        for (const Row& row : reproducible_rows<TypeParam>()) {
            const std::string_view name = row.kernel;
            if (!name.empty() && name.find("r7_hierarchical.") == name.npos) continue;
            for (const int threads : {1, 2}) {
                tw::Options options{.slabs = slabs, .device = row.device, .threads = threads};
                p.run(row.kernel, options);
                options.kernel = row.kernel;
                EXPECT_TRUE(same_bits(p.c, by_hand(p, 0, k, slabs, options)))
                    << row.kernel << ", k " << k << ", " << slabs << " slabs, " << threads << " threads";
            }
        }
    }
}

// Nodes of one length, all in panels at once: a cell of C takes them in turn, some sums in memory of its own.
TYPED_TEST(Slabs, Rule40_ACellOfCTakesItsWholeTree) {
    if (is_sanitized) GTEST_SKIP() << "2^25 products are the least that r7's threads share panels for";
    struct {
        std::int64_t m, n, k;
        int slabs;
        const char* row;
    } const shapes[] = {{132, 128, 2048, 8, "r7_hierarchical."},
                        {129, 133, 2048, 32, "r7_hierarchical."},
                        {70, 90, 1024, 8, "r10_split."},
                        {131, 66, 80, 16, "r10_split."}};
    for (const auto& [m, n, k, slabs, rung] : shapes) {
        Product<TypeParam> p(m, n, k);
        for (const Row& row : reproducible_rows<TypeParam>()) {
            const std::string_view name = row.kernel;
            if (name.find(rung) == name.npos) continue;
            tw::Options options{.slabs = slabs, .device = row.device, .threads = 2};
            p.run(row.kernel, options);
            options.kernel = row.kernel;
            EXPECT_TRUE(same_bits(p.c, by_hand(p, 0, k, slabs, options))) << row.kernel << ", k " << k;
            std::vector<TypeParam> c(p.c.size());
            tw::multiply(p.av(), p.bv(), tw::View<TypeParam>(c.data(), m, n, 1, m), options);
            EXPECT_TRUE(same_bits(by_rows(c, m, n), p.c)) << row.kernel << ", k " << k << ", C by columns";
        }
    }
}

TYPED_TEST(Slabs, Rule40_APartOfKHasTheBitsOfItsSubtree) {
    for (const Row& row : reproducible_rows<TypeParam>())
        for (const std::int64_t k : {47, 1200})
            for (const int threads : {1, 2})
                for (const int levels : {1, 2, 3}) {
                    if (is_sanitized && levels != (k < 100 ? 3 : 1)) continue;
                    if (!tw::test::has_its_turn(3)) continue;
                    Product<TypeParam> p(33, 30, k);
                    tw::Options options{.slabs = 8, .device = row.device, .threads = threads};
                    p.run(row.kernel, options);
                    options.kernel = row.kernel;
                    ASSERT_TRUE(same_bits(p.c, by_parts(p, 0, k, levels, options)))
                        << row.kernel << ", k " << k << ", " << levels << " levels, " << threads << " threads";
                }
}

TYPED_TEST(Slabs, Rule40_TheTreeIsTheSameForAnyShapeThreadsAndForms) {
    constexpr std::int64_t m = 700, n = 600, k = 130;
    Product<TypeParam> p(m / shrink, n / shrink, k);
    p.run("", {.slabs = 4, .threads = 1});
    const std::int64_t rows = p.m, cols = p.n;
    std::vector<TypeParam> c(p.c.size());
    for (const int threads : {2, 3, 8}) {
        tw::multiply(p.av(), p.bv(), tw::View<TypeParam>(c.data(), rows, cols), {.slabs = 4, .threads = threads});
        EXPECT_TRUE(same_bits(c, p.c)) << threads << " threads";
    }
    std::vector<TypeParam> row(static_cast<std::size_t>(cols));
    const std::int64_t i = rows - 3;
    tw::multiply(p.av().block(i, 0, 1, k), p.bv(), tw::View<TypeParam>(row.data(), 1, cols), {.slabs = 4});
    EXPECT_EQ(std::memcmp(row.data(), p.c.data() + i * cols, row.size() * sizeof(TypeParam)), 0) << "a row alone";

    std::vector<TypeParam> by_columns(c.size());
    tw::multiply(p.av(), p.bv(), tw::View<TypeParam>(by_columns.data(), rows, cols, 1, rows),
                 {.slabs = 4, .threads = 2});
    EXPECT_TRUE(same_bits(by_rows(by_columns, rows, cols), p.c)) << "C by columns";
    std::vector<TypeParam> gaps(2 * c.size());
    const tw::View<TypeParam> spread(gaps.data(), rows, cols, 2 * cols, 2);
    tw::multiply(p.av(), p.bv(), spread, {.slabs = 4, .threads = 2});
    for (std::size_t at = 0; at < c.size(); ++at) c[at] = gaps[2 * at];
    EXPECT_TRUE(same_bits(c, p.c)) << "with gaps";
}

// Also where a row's products of parts are not symmetric: which operand is cut first does not follow from C's form.
TYPED_TEST(Slabs, Rule40_CByColumnsHasTheSameBitsOnEveryRow) {
    for (const Row& row : reproducible_rows<TypeParam>())
        for (const int slabs : {1, 4}) {
            if (!tw::test::has_its_turn(3)) continue;
            Product<TypeParam> p(70, 90, 130);
            tw::Options options{.slabs = slabs, .device = row.device, .threads = 2};
            p.run(row.kernel, options);
            options.kernel = row.kernel;
            std::vector<TypeParam> c(p.c.size());
            tw::multiply(p.av(), p.bv(), tw::View<TypeParam>(c.data(), 70, 90, 1, 70), options);
            EXPECT_TRUE(same_bits(by_rows(c, 70, 90), p.c)) << row.kernel << ", " << slabs << " slabs";
        }
}

// C in blocks of 256 and 344 rows: the smaller one may want more scratch.
TYPED_TEST(Slabs, Rule40_BlocksOfEverySizeHaveScratch) {
    Product<TypeParam> p(600, is_sanitized ? 40 : 300, 70);
    for (const Row& row : reproducible_rows<TypeParam>()) {
        if (!tw::test::has_its_turn(3)) continue;
        tw::Options options{.slabs = 2, .threads = 1};
        options.device = row.device, options.kernel = row.kernel;
        p.run(row.kernel, options);
        EXPECT_TRUE(same_bits(by_hand(p, 0, p.k, 2, options), p.c)) << row.kernel;
    }
}

TYPED_TEST(Slabs, Rule40_PlansBatchesAndPackedOperandsHaveItsBits) {
    Product<TypeParam> p(70, 90, 333);
    const tw::Options options{.slabs = 8, .threads = 2};
    p.run("", options);
    std::vector<TypeParam> c(p.c.size());
    const tw::View<TypeParam> to(c.data(), 70, 90);

    tw::Plan plan = tw::plan(tw::problem_of(erase(p.av()), erase(p.bv()), erase(to), options), options);
    std::vector<std::byte> scratch(plan.scratch_bytes());
    plan.options.scratch = scratch;
    plan.run(p.av(), p.bv(), to);
    EXPECT_TRUE(same_bits(c, p.c)) << "a plan";

    c.assign(c.size(), 0);
    tw::multiply_batch(p.av().block(0, 0, 7, 333), p.bv(), to.block(0, 0, 7, 90),
                       {.size = 10, .a_step = 7 * 333, .c_step = 7 * 90}, options);
    EXPECT_TRUE(same_bits(c, p.c)) << "a batch of rows";

    tw::Options by_name = options;
    const tw::Packed b = tw::pack(p.bv(), options), a = tw::pack_a(p.av(), options);
    for (const int threads : {1, 2, 5}) {
        by_name.threads = threads;
        tw::multiply(p.av(), b, to, by_name);
        EXPECT_TRUE(same_bits(c, p.c)) << "B packed by " << b.kernel_name();
        c.assign(c.size(), 0);
        tw::multiply(a, p.bv(), to, by_name);
        EXPECT_TRUE(same_bits(c, p.c)) << "A packed by " << a.kernel_name();
    }
    tw::multiply(p.av(), p.bv(), to, {.slabs = 8, .verify = true});
    EXPECT_TRUE(same_bits(c, p.c)) << "verified";
}

TYPED_TEST(Slabs, TheScalarsAndTheEpilogueComeAfterTheTree) {
    using T = TypeParam;
    Product<T> p(40, 50, 90);
    p.run("", {.slabs = 4});
    std::vector<T> c = random_values<T>(p.c.size(), 9), right(c);
    for (std::size_t i = 0; i < c.size(); ++i) right[i] = T(0.5) * p.c[i] + 2 * right[i];  // exact but for the sum
    tw::multiply(p.av(), p.bv(), tw::View<T>(c.data(), 40, 50), {.alpha = 0.5, .beta = 2, .slabs = 4});
    EXPECT_TRUE(same_bits(c, right));

    // Scalars that the type of the sums does not hold are rounded to it first, and what is added is rounded once.
    constexpr double alpha = 1. / 3, beta = 1. / 7;
    const auto in_sums_type = [](double x) { return static_cast<double>(static_cast<T>(x)); };
    c = random_values<T>(c.size(), 10);
    for (std::size_t i = 0; i < c.size(); ++i) {
        const double sum = in_sums_type(in_sums_type(alpha) * static_cast<double>(p.c[i]));
        right[i] = static_cast<T>(in_sums_type(beta) * static_cast<double>(c[i]) + sum);
    }
    tw::multiply(p.av(), p.bv(), tw::View<T>(c.data(), 40, 50), {.alpha = alpha, .beta = beta, .slabs = 4});
    EXPECT_TRUE(same_bits(c, right));

    const std::vector<T> bias = random_values<T>(50, 5);
    std::vector<T> residual = random_values<T>(c.size(), 6);
    tw::Epilogue epilogue = tw::bias_silu(bias);
    epilogue.scale = 3, epilogue.residual = erase(tw::View<T>(residual.data(), 40, 50));
    p.run("", {.slabs = 4});
    c = p.c;
    tw::multiply(p.av(), p.bv(), tw::View<T>(c.data(), 40, 50), {.alpha = 0, .beta = 1, .epilogue = epilogue});
    p.run("", {.slabs = 4, .epilogue = epilogue});
    EXPECT_TRUE(same_bits(c, p.c));
}

TEST(Slabs, ANarrowCIsRoundedOnce) {
    constexpr std::int64_t m = 20, n = 30, k = 300;
    const auto narrow = [](std::size_t count, unsigned seed) {
        std::vector<tw::bfloat16> values(count);
        const std::vector<float> wide = random_values<float>(count, seed);
        const auto size = static_cast<std::int64_t>(count);
        tw::convert(tw::Matrix{values.data(), tw::Type::bf16, 1, size, size},
                    tw::Matrix{const_cast<float*>(wide.data()), tw::Type::f32, 1, size, size});
        return values;
    };
    const auto a = narrow(m * k, 1), b = narrow(k * n, 2);
    std::vector<tw::bfloat16> c(m * n), right(c);
    std::vector<float> sums(c.size());
    const tw::View<const tw::bfloat16> av(a.data(), m, k), bv(b.data(), k, n);
    const tw::View<float> wide(sums.data(), m, n);
    tw::multiply(av, bv, wide, {.slabs = 8});
    tw::convert(erase(tw::View(right.data(), m, n)), erase(wide));
    tw::multiply(av, bv, tw::View(c.data(), m, n), {.slabs = 8});
    EXPECT_EQ(std::memcmp(c.data(), right.data(), c.size() * 2), 0);

    // Halves of k into a C of f32 are halves of the tree.
    std::vector<float> left(sums.size()), rest(sums.size());
    tw::multiply(av.block(0, 0, m, k / 2), bv.block(0, 0, k / 2, n), tw::View(left.data(), m, n), {.slabs = 4});
    tw::multiply(av.block(0, k / 2, m, k / 2), bv.block(k / 2, 0, k / 2, n), tw::View(rest.data(), m, n), {.slabs = 4});
    for (std::size_t i = 0; i < left.size(); ++i) left[i] += rest[i];
    EXPECT_TRUE(same_bits(left, sums));
}

TEST(Slabs, AreRefusedWithASentence) {
    Product<float> p(8, 8, 64);
    const auto sentence = [&](const tw::Options& options) -> std::string {
        const tw::Status status = tw::try_multiply(erase(p.av()), erase(p.bv()), erase(p.cv()), options);
        return tw::explain(status, erase(p.av()), erase(p.bv()), erase(p.cv()), options);
    };
    for (const int slabs : {-1, 3, 12, 2048}) {
        const std::string text = sentence({.slabs = slabs});
        EXPECT_NE(text.find("slabs must be 0 or a power of two up to 1024"), std::string::npos) << text;
        EXPECT_NE(text.find("slabs " + std::to_string(slabs)), std::string::npos) << text;
    }
    const std::string text = sentence({.accuracy = 1e-30, .slabs = 8});
    EXPECT_NE(text.find("kernels whose bits follow from k alone"), std::string::npos) << text;

    const tw::Packed whole = tw::pack(p.bv()), in_slabs = tw::pack(p.bv(), {.slabs = 4});
    EXPECT_FALSE(tw::try_multiply(erase(p.av()), whole, erase(p.cv()), {.slabs = 4}));
    EXPECT_FALSE(tw::try_multiply(erase(p.av()), in_slabs, erase(p.cv()), {}));
    EXPECT_FALSE(tw::try_multiply(erase(p.av()), in_slabs, erase(p.cv()), {.slabs = 8}));
    EXPECT_TRUE(tw::try_multiply(erase(p.av()), in_slabs, erase(p.cv()), {.slabs = 4}).is_ok());
}

}  // namespace
}  // namespace rules
