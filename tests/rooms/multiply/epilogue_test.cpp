// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// An epilogue in the pass that completes C has the bits of one in a pass of its own, on every row, form, block and
// thread.
#include "epilogue/finish.hpp"
#include "rooms/multiply/each_row.hpp"
#include "support/sanitized.hpp"

namespace rules {
namespace {

template <class T>
class Epilogues : public EachRow<T> {};
TYPED_TEST_SUITE(Epilogues, Types);

constexpr std::int64_t shapes[][3] = {
    {1, 1, 1}, {1, 130, 5}, {65, 1, 9}, {33, 70, 40}, {150 / shrink, 260 / shrink, 700}};

template <class T>
struct Addends {
    std::vector<T> bias, residual;
    Addends(std::int64_t m, std::int64_t n)
        : bias(random_values<T>(static_cast<std::size_t>(n), 3)),
          residual(random_values<T>(static_cast<std::size_t>(m * n), 4)) {}

    tw::Epilogue epilogue(tw::Activation activation, const tw::View<T>& c) {
        tw::Epilogue made = tw::with(tw::bias(bias), activation);
        made.scale = 0.75;
        const bool by_columns = c.row_step == 1 && c.col_step != 1;
        const tw::View<T> transposed(residual.data(), c.cols, c.rows);
        made.residual = erase(by_columns ? transposed.transposed() : tw::View<T>(residual.data(), c.rows, c.cols));
        return made;
    }
};

template <class T>
void expect_the_bits_of_two_passes(const std::string& row, tw::Activation activation, std::int64_t m, std::int64_t n,
                                   std::int64_t k, int form, double beta, int threads) {
    Product<T> p(m, n, k);
    std::vector<T> c(static_cast<std::size_t>(2 * m * n), T(1)), apart = c;
    const auto view = [&](std::vector<T>& values) {
        if (form == 0) return tw::View<T>(values.data(), m, n, n);
        if (form == 1) return tw::View<T>(values.data(), m, n, 1, m);
        return tw::View<T>(values.data(), m, n, 2 * n, 2);
    };
    Addends<T> addends(m, n);
    const tw::Epilogue epilogue = addends.epilogue(activation, view(c));
    tw::multiply(p.av(), p.bv(), view(c), {.beta = beta, .epilogue = epilogue, .threads = threads, .kernel = row});
    tw::multiply(p.av(), p.bv(), view(apart), {.beta = beta, .kernel = row});
    tw::finish(erase(view(apart)), 1, epilogue);
    EXPECT_TRUE(same_bits(c, apart)) << row << ' ' << m << 'x' << n << 'x' << k << " form " << form << ", " << threads
                                     << " threads";
}

TYPED_TEST(Epilogues, HaveTheBitsOfAPassOfTheirOwn) {
    for (const auto& row : rows<TypeParam>())
        for (const auto& [m, n, k] : shapes)
            for (const int form : {0, 1, 2})
                for (const int threads : {1, 3})
                    if (tw::test::has_its_turn(5))
                        expect_the_bits_of_two_passes<TypeParam>(row, tw::Activation::relu, m, n, k, form,
                                                                 threads == 1 ? 0 : 2, threads);
}

TYPED_TEST(Epilogues, HaveTheSameBitsWithEachActivation) {
    for (const auto activation : {tw::Activation::none, tw::Activation::gelu, tw::Activation::silu})
        for (const int form : {0, 1, 2})
            expect_the_bits_of_two_passes<TypeParam>("", activation, 40, 50, 60, form, 0, 2);
}

TYPED_TEST(Epilogues, DoWhatTheySayInTheirOrder) {
    const std::vector<TypeParam> a{1, 2, 3, 4}, one{1, 0, 0, 1}, bias{-5, 1}, more{100, 200, 300, 400};
    for (const auto& row : rows<TypeParam>()) {
        std::vector<TypeParam> c(4);
        tw::Epilogue epilogue = tw::bias_relu(bias);
        epilogue.scale = 2;
        epilogue.residual = erase(tw::View(more.data(), 2, 2));
        tw::multiply(tw::View(a.data(), 2, 2), tw::View(one.data(), 2, 2), tw::View(c.data(), 2, 2),
                     {.epilogue = epilogue, .kernel = row});
        EXPECT_EQ(c, (std::vector<TypeParam>{100, 205, 301, 409})) << row;
    }
}

TEST(Epilogues, KeepNaNsThroughEveryActivation) {
    for (const auto activation : {tw::Activation::relu, tw::Activation::gelu, tw::Activation::silu}) {
        std::vector<float> c{nan<float>, 1};
        tw::finish(erase(tw::View(c.data(), 1, 2)), 1, tw::with({}, activation));
        EXPECT_TRUE(std::isnan(c[0])) << static_cast<int>(activation);
        EXPECT_FALSE(std::isnan(c[1]));
    }
}

// The operands are bf16, the kernel sums in f32, and the epilogue comes before the one rounding to bf16.
TEST(Epilogues, ComeBeforeANarrowResultIsRounded) {
    const tw::bfloat16 one{0x3f80};
    tw::bfloat16 c{0};
    const std::vector<float> bias{0x1p-7f * 1.5f};
    tw::multiply(tw::View(&one, 1, 1), tw::View(&one, 1, 1), tw::View(&c, 1, 1), {.epilogue = tw::bias(bias)});
    EXPECT_EQ(c.bits, 0x3f82) << "1.01171875 is between 1.0078125 and 1.015625: a tie that goes to even";
}

}  // namespace
}  // namespace rules
