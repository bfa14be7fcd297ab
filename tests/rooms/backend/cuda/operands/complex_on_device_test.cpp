// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Complex products on the device: every row on whole numbers, whose products are exact, beside the CPU's plainest row;
// then what carries, batches and finishes them.
#include <complex>
#include <cstring>
#include <limits>

#include "rooms/backend/cuda/on_device.hpp"
#include "tilewright/batch.hpp"

namespace on_device {
namespace {

template <class C>
std::vector<C> integers(std::int64_t count, unsigned seed) {
    std::mt19937 engine(seed);
    std::vector<C> values(static_cast<std::size_t>(count));
    const auto part = [&] { return static_cast<typename C::value_type>(static_cast<int>(engine() % 9) - 4); };
    for (C& value : values) value = C(part(), part());
    return values;
}

/// The same numbers on the host and on the device, there `off` bytes behind where an allocation begins.
template <class C>
class Both {
public:
    explicit Both(std::vector<C> values, std::size_t off = 0)
        : host(std::move(values)), memory_(cuda().alloc(host.size() * sizeof(C) + off)), off_(off) {
        move(bytes(data()), bytes(host.data()));
    }
    ~Both() { cuda().free(memory_); }
    Both(const Both&) = delete;
    Both& operator=(const Both&) = delete;

    C* data() const { return reinterpret_cast<C*>(static_cast<char*>(memory_) + off_); }
    std::vector<C> bring() {
        std::vector<C> back(host.size());
        move(bytes(back.data()), bytes(data()));
        return back;
    }
    std::vector<C> host;

private:
    Matrix bytes(C* at) const {
        const auto count = static_cast<std::int64_t>(host.size() * sizeof(C) / sizeof(float));
        return {at, Type::f32, 1, count, count};
    }
    static void move(const Matrix& to, const Matrix& from) {
        ASSERT_TRUE(cuda().copy(to, from, nullptr).is_ok());
        ASSERT_TRUE(cuda().wait(nullptr).is_ok());
    }
    void* memory_;
    std::size_t off_;
};

/// Those that take such a product.
std::vector<std::string> rows(Type type, std::int64_t m, std::int64_t n, std::int64_t k) {
    std::vector<std::string> names;
    const Problem problem{.m = m, .n = n, .k = k, .in = type, .out = type};
    for (const Kernel* kernel : cuda().ladder)
        if (kernel->in == type && runs(*kernel) && (!kernel->takes || kernel->takes(problem)))
            names.emplace_back(kernel->name);
    return names;
}

/// A matrix in memory of so many numbers, one way or the other, conjugate or not.
template <class C>
View<C> view(C* data, std::int64_t rows, std::int64_t cols, bool by_columns, bool conj = false) {
    View<C> made = by_columns ? column_major(data, rows, cols, rows) : View<C>(data, rows, cols);
    return conj ? made.conjugated() : made;
}

template <class C>
void expect_status(const View<C>& a, const View<C>& b, const View<C>& c, const Options& options) {
    const Status status = try_multiply(erase(a), erase(b), erase(c), options);
    ASSERT_TRUE(status.is_ok()) << options.kernel << ": " << status.text;
}

template <class C>
class ComplexOnDevice : public OnDevice {};
using Types = testing::Types<std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(ComplexOnDevice, Types);

TYPED_TEST(ComplexOnDevice, Rule41_ViewsAndScalarsAreThoseOfTheHost) {
    using C = TypeParam;
    for (const auto& [m, n, k] :
         {std::tuple{19, 21, 13}, {3, 70, 13}, {70, 9, 300}, {130, 133, 50}, {5, 40, 2100}, {33, 40, 2117}}) {
        ASSERT_GE(rows(type_of<C>, m, n, k).size(), 4u);
        const Both<C> a(integers<C>(m * k, 1)), b(integers<C>(k * n, 2));
        Both<C> c(integers<C>(m * n, 3));  // is halved a few times only before it is written anew
        for (const std::string& row : rows(type_of<C>, m, n, k))
            for (int form = 0; form < 32; ++form) {
                if ((k > 1000 && form % 3 != 0) || !has_its_turn(29)) continue;
                Options options{.alpha = form % 3 - 1.0, .kernel = row};
                options.alpha_imag = form % 5 ? 2 : 0;
                options.beta = form % 7 ? 0.5 : 0, options.beta_imag = form % 4 == 3 ? -1 : 0;
                const auto run = [&](C* at_a, C* at_b, C* at_c, const Options& by) {
                    expect_status(view(at_a, m, k, form & 1, form & 2), view(at_b, k, n, form & 4, form & 8),
                                  view(at_c, m, n, form & 16), by);
                };
                std::vector<C> host_a = a.host, host_b = b.host, right = c.bring();
                run(a.data(), b.data(), c.data(), options);
                options.kernel = "r1_naive";
                run(host_a.data(), host_b.data(), right.data(), options);
                ASSERT_EQ(c.bring(), right) << row << ", form " << form << ", " << m << 'x' << n << 'x' << k;
            }
    }
}

// std::complex is aligned as its parts are.
template <class C>
void begin_between(std::int64_t m, std::int64_t n, std::int64_t k) {
    const Both<C> a(integers<C>(m * k, 4)), b(integers<C>(k * n, 5));
    Both<C> c(integers<C>(m * n, 6));
    const std::size_t half = sizeof(C) / 2;
    const Both<C> odd_a(a.host, half), odd_b(b.host, half);
    Both<C> odd_c(c.host, half);
    for (const std::string& row : rows(type_of<C>, m, n, k)) {
        if (!has_its_turn(1)) continue;
        const Options options{.alpha = 2, .alpha_imag = 1, .kernel = row};
        const auto av = view(a.data(), m, k, false, true), bv = view(b.data(), k, n, true);
        expect_status(av, bv, view(c.data(), m, n, false), options);
        expect_status(view(odd_a.data(), m, k, false, true), bv, view(odd_c.data(), m, n, false), options);
        EXPECT_EQ(c.bring(), odd_c.bring()) << row;
        expect_status(av, view(odd_b.data(), k, n, true), view(odd_c.data(), m, n, false), options);
        EXPECT_EQ(c.bring(), odd_c.bring()) << row;
    }
}
TYPED_TEST(ComplexOnDevice, NumbersMayBeginBetweenMultiplesOfTheirSize) {
    begin_between<TypeParam>(67, 41, 45);
    begin_between<TypeParam>(7, 41, 45);
}

TYPED_TEST(ComplexOnDevice, TheEpilogueScalesAndAdds) {
    using C = TypeParam;
    constexpr std::int64_t m = 33, n = 29, k = 40;
    const Both<C> a(integers<C>(m * k, 7)), b(integers<C>(k * n, 8)), r(integers<C>(m * n, 9));
    Both<C> plain(integers<C>(m * n, 10)), c(plain.host);
    for (const std::string& row : rows(type_of<C>, m, n, k)) {
        expect_status(view(a.data(), m, k, false), view(b.data(), k, n, false), view(plain.data(), m, n, false),
                      {.kernel = row});
        Epilogue epilogue = residual(View<const C>(view(r.data(), m, n, true, true)));
        epilogue.scale = 0.5;
        expect_status(view(a.data(), m, k, false), view(b.data(), k, n, false), view(c.data(), m, n, false),
                      {.epilogue = epilogue, .kernel = row});
        const std::vector<C> sums = plain.bring(), got = c.bring();
        for (std::int64_t i = 0; i < m; ++i)
            for (std::int64_t j = 0; j < n; ++j) {
                const auto at = static_cast<std::size_t>(i * n + j), there = static_cast<std::size_t>(j * m + i);
                EXPECT_EQ(got[at], sums[at] * typename C::value_type(0.5) + std::conj(r.host[there])) << row;
            }
    }
}

TYPED_TEST(ComplexOnDevice, Rule01_WithoutTermsBetaScalesC) {
    using C = TypeParam;
    Both<C> c(integers<C>(35, 11));
    const View<C> empty(c.data(), 5, 0), other(c.data(), 0, 7);
    expect_status(empty, other, View<C>(c.data(), 5, 7), {.beta = 0.5, .beta_imag = 2});
    const std::vector<C> got = c.bring();
    for (std::size_t i = 0; i < got.size(); ++i) EXPECT_EQ(got[i], C(0.5, 2) * c.host[i]);
}

TYPED_TEST(ComplexOnDevice, Rule35_ABatchGivesTheBitsOfItsProducts) {
    using C = TypeParam;
    constexpr std::int64_t size = 5;
    for (const auto& [m, n, k] : {std::tuple{40, 17, 30}, {40, 9, 30}, {6, 40, 2100}, {24, 64, 2600}}) {
        const Both<C> a(integers<C>(size * m * k, 12)), b(integers<C>(k * n, 13));
        Both<C> together(integers<C>(size * m * n, 14)), alone(together.host);
        for (const std::string& row : rows(type_of<C>, m, n, k)) {
            if (!has_its_turn(1)) continue;
            const Options options{.alpha = 2, .alpha_imag = 0.5, .beta = 1, .beta_imag = 1, .kernel = row};
            const View<C> bv = view(b.data(), k, n, true, true);
            multiply_batch(view(a.data(), m, k, false), bv, view(together.data(), m, n, false),
                           {.size = size, .a_step = m * k, .b_step = 0, .c_step = m * n}, options);
            for (std::int64_t i = 0; i < size; ++i)
                expect_status(view(a.data() + i * m * k, m, k, false), bv, view(alone.data() + i * m * n, m, n, false),
                              options);
            EXPECT_EQ(together.bring(), alone.bring()) << row;
        }
    }
}

TYPED_TEST(ComplexOnDevice, Rule40_SlabsAreAddedInTheirTree) {
    using C = TypeParam;
    constexpr std::int64_t m = 33, n = 41, k = 301;
    std::mt19937 engine(15);
    std::normal_distribution<typename C::value_type> normal;
    std::vector<C> values(k * (m + n));
    for (C& value : values) value = C(normal(engine), normal(engine));
    const Both<C> operands(values);
    Both<C> whole(integers<C>(m * n, 16)), left(whole.host), right(whole.host);
    const View<C> a = view(operands.data(), m, k, false), b = view(operands.data() + m * k, n, k, false).adjoint();
    expect_status(a, b, view(whole.data(), m, n, false), {.slabs = 4});
    expect_status(a.block(0, 0, m, 151), b.block(0, 0, 151, n), view(left.data(), m, n, false), {.slabs = 2});
    expect_status(a.block(0, 151, m, 150), b.block(151, 0, 150, n), view(right.data(), m, n, false), {.slabs = 2});
    std::vector<C> sums = left.bring();
    const std::vector<C> more = right.bring();
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += more[i];
    EXPECT_EQ(whole.bring(), sums);

    // Scalars and C come to the root: of whole numbers exactly.
    const Both<C> ai(integers<C>(m * k, 17)), bi(integers<C>(k * n, 18));
    Both<C> c(integers<C>(m * n, 19)), plain(c.host);
    const Options scaled{.alpha = 1, .alpha_imag = -2, .beta = 0, .beta_imag = 3};
    Options in_slabs = scaled;
    in_slabs.slabs = 8;
    expect_status(view(ai.data(), m, k, false), view(bi.data(), k, n, false), view(c.data(), m, n, false), in_slabs);
    expect_status(view(ai.data(), m, k, false), view(bi.data(), k, n, false), view(plain.data(), m, n, false), scaled);
    EXPECT_EQ(c.bring(), plain.bring());
}

// Small ones whole; large ones in panels, whose copies are conjugates as their operands are.
TYPED_TEST(ComplexOnDevice, HostOperandsAreCarried) {
    using C = TypeParam;
    for (const auto& [m, n, k] : {std::tuple{33, 20, 45}, {1000, 900, 700}}) {
        if (m > 33 && test::is_thinned()) continue;
        const std::vector<C> a = integers<C>(m * k, 20), b = integers<C>(k * n, 21), before = integers<C>(m * n, 22);
        for (const bool turned : {false, true}) {
            std::vector<C> c = before, right = before;
            const auto run = [&](std::vector<C>& to, std::string_view device) {
                std::vector<C> x = a, y = b;
                expect_status(view(x.data(), m, k, turned, true), view(y.data(), k, n, false),
                              view(to.data(), m, n, turned),
                              {.alpha = 1, .alpha_imag = 1, .beta = 0, .beta_imag = 2, .device = device});
            };
            run(c, "cuda"), run(right, "cpu");
            EXPECT_EQ(c, right) << m << 'x' << n << ", turned " << turned;
        }
    }
}

TYPED_TEST(ComplexOnDevice, Rule42_WhatTheyHaveNotIsRefusedInWords) {
    using C = TypeParam;
    Both<C> x(integers<C>(16, 23));
    const View<C> v(x.data(), 4, 4);
    const View<float> real(reinterpret_cast<float*>(x.data()), 4, 4);
    const auto says = [](const Status& status) { return std::string(status.text); };
    EXPECT_NE(says(try_multiply(erase(v), erase(real), erase(v))).find("both be real or both be complex"),
              std::string::npos);
    EXPECT_NE(says(try_multiply(erase(v), erase(v), erase(v), {.epilogue = relu()})).find("no bias and no activation"),
              std::string::npos);
    EXPECT_NE(says(try_multiply(erase(v), erase(v), erase(v), {.verify = true})).find("not verified"),
              std::string::npos);
}

}  // namespace
}  // namespace on_device
