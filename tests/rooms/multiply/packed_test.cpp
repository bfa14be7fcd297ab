// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// A packed operand gives the bits that the operand itself gives, and says so when it can't do what is asked.
#include "tilewright/packed.hpp"

#include <cstdlib>
#include <thread>

#include "base/rounding.hpp"
#include "multiply/packed_parts.hpp"
#include "plan/names.hpp"
#include "plan/registry.hpp"
#include "rooms/multiply/each_row.hpp"

namespace rules {
namespace {

template <class T>
class PackedOperands : public EachRow<T> {};
TYPED_TEST_SUITE(PackedOperands, Types);

constexpr std::int64_t shapes[][3] = {{1, 1, 1}, {1, 50, 700}, {3, 33, 17}, {150, 1, 40}, {70, 130, 1100}};

template <class T>
tw::View<T> lying(std::vector<T>& values, std::int64_t rows, std::int64_t cols, bool by_columns) {
    return by_columns ? tw::View<T>(values.data(), rows, cols, 1, rows) : tw::View<T>(values.data(), rows, cols);
}

TYPED_TEST(PackedOperands, Rule38_GiveTheSameBits) {
    for (const auto& [m, n, k] : shapes)
        for (const int lie : {0, 1, 2, 3})
            for (const tw::Form of_c : {tw::Form::row_major, tw::Form::col_major}) {
                Product<TypeParam> p(m, n, k);
                const auto a = lying(p.a, m, k, lie & 1), b = lying(p.b, k, n, lie & 1);
                std::vector<TypeParam> packed_c(p.c.size(), 1);
                p.c = packed_c;
                const auto c = lying(p.c, m, n, lie & 2), to = lying(packed_c, m, n, lie & 2);
                const tw::Options options{.alpha = 0.5, .beta = 2, .epilogue = tw::relu(), .threads = 3};
                const tw::Packed of_b = tw::pack(b, {}, of_c), of_a = tw::pack_a(a, {}, of_c);
                tw::Options by_name = options;
                by_name.kernel = of_b.kernel_name();
                tw::multiply(a, b, c, by_name);
                tw::multiply(a, of_b, to, options);
                EXPECT_TRUE(same_bits(p.c, packed_c)) << "B of " << m << 'x' << n << 'x' << k << ", lie " << lie;
                packed_c.assign(packed_c.size(), 1);
                p.c = packed_c;
                by_name.kernel = of_a.kernel_name();
                tw::multiply(a, b, c, by_name);
                tw::multiply(of_a, b, to, options);
                EXPECT_TRUE(same_bits(p.c, packed_c)) << "A of " << m << 'x' << n << 'x' << k << ", lie " << lie;
            }
}

TYPED_TEST(PackedOperands, Rule38_GiveThemOnEveryRowThatTakesThem) {
    const tw::Backend& cpu = *tw::find_backend("cpu");
    int taken = 0;
    for (const tw::Kernel* kernel : cpu.ladder) {
        if (kernel->in != tw::type_of<TypeParam> || !kernel->packing || (kernel->needs & ~cpu.features())) continue;
        Product<TypeParam> p(60, 45, 530);
        std::vector<TypeParam> packed_c(p.c.size());
        const tw::Packed packed = tw::pack(p.bv(), {.kernel = kernel->name});
        EXPECT_STREQ(packed.kernel_name(), kernel->name);
        p.run(kernel->name);
        for (const int threads : {1, 2, 7}) {
            tw::multiply(p.av(), packed, tw::View(packed_c.data(), 60, 45),
                         {.threads = threads, .kernel = kernel->name});
            EXPECT_TRUE(same_bits(p.c, packed_c)) << kernel->name;
        }
        ++taken;
    }
    EXPECT_GT(taken, 0);
}

TYPED_TEST(PackedOperands, OutliveTheirMatrixAndMove) {
    Product<TypeParam> p(20, 30, 40);
    tw::Packed first = tw::pack(p.bv());
    p.run("");
    p.b.assign(p.b.size(), nan<TypeParam>);
    const tw::Packed packed = std::move(first);
    std::vector<TypeParam> c(p.c.size());
    tw::multiply(p.av(), packed, tw::View(c.data(), 20, 30));
    EXPECT_TRUE(same_bits(c, p.c));
    EXPECT_EQ(packed.rows(), 40);
    EXPECT_EQ(packed.cols(), 30);
    EXPECT_GE(packed.bytes(), 40 * 30 * sizeof(TypeParam));
}

TYPED_TEST(PackedOperands, ServeManyThreadsAtOnce) {
    Product<TypeParam> p(50, 60, 70);
    p.run("");
    const tw::Packed packed = tw::pack(p.bv());
    std::vector<std::vector<TypeParam>> results(6, std::vector<TypeParam>(p.c.size()));
    std::vector<std::thread> callers;
    for (auto& c : results)
        callers.emplace_back([&] {
            for (int round = 0; round < 5; ++round)
                tw::multiply(p.av(), packed, tw::View(c.data(), 50, 60), {.threads = 2});
        });
    for (std::thread& caller : callers) caller.join();
    for (const auto& c : results) EXPECT_TRUE(same_bits(c, p.c));
}

TEST(PackedOperands, NarrowOnesAreWidenedOnce) {
    std::vector<tw::bfloat16> a(6 * 40), b(40 * 9), c(6 * 9), packed_c = c;
    for (std::size_t i = 0; i < a.size(); ++i) a[i] = {static_cast<std::uint16_t>(0x3f00 + i)};
    for (std::size_t i = 0; i < b.size(); ++i) b[i] = {static_cast<std::uint16_t>(0x3e80 + i % 300)};
    const tw::View av(a.data(), 6, 40), bv(b.data(), 40, 9);
    tw::multiply(av, bv, tw::View(c.data(), 6, 9));
    tw::multiply(av, tw::pack(bv), tw::View(packed_c.data(), 6, 9));
    EXPECT_EQ(std::memcmp(c.data(), packed_c.data(), c.size() * sizeof c[0]), 0);
}

/// Whatever a kernel's panels hold of a narrow operand: its own elements, or, in slabs and of a kernel of f32, wide
/// ones.
template <class Narrow, class MakeNarrow>
void expect_narrow_panels(MakeNarrow narrow) {
    constexpr std::int64_t m = 6, n = 9, k = 64;
    std::vector<Narrow> a(m * k), b(k * n);
    for (std::size_t i = 0; i < a.size(); ++i) a[i] = narrow(static_cast<float>(static_cast<int>(i * 7 % 11) - 5));
    for (std::size_t i = 0; i < b.size(); ++i) b[i] = narrow(static_cast<float>(static_cast<int>(i * 5 % 7) - 3));
    const tw::View av(a.data(), m, k), bv(b.data(), k, n);
    int widened = 0;
    for (const tw::Kernel* row : tw::find_backend("cpu")->ladder)
        for (const int slabs : {0, 4}) {
            if (!row->packing) continue;
            const tw::Options options{.slabs = slabs, .threads = 1, .kernel = row->name};
            tw::Packed of_a, of_b;
            const tw::Status as_b = tw::try_pack(erase(bv), of_b, options),
                             as_a = tw::try_pack_a(erase(av), of_a, options);
            EXPECT_TRUE(as_b || as_b.code == tw::Code::unsupported) << row->name << ": " << as_b.text;
            EXPECT_EQ(as_a.code, as_b.code) << row->name;
            if (!as_a || !as_b) continue;
            std::vector<Narrow> plain(m * n), by_a(m * n), by_b(m * n);
            tw::multiply(av, bv, tw::View(plain.data(), m, n), options);
            ASSERT_TRUE(tw::try_multiply(of_a, erase(bv), erase(tw::View(by_a.data(), m, n)), options)) << row->name;
            ASSERT_TRUE(tw::try_multiply(erase(av), of_b, erase(tw::View(by_b.data(), m, n)), options)) << row->name;
            EXPECT_EQ(std::memcmp(plain.data(), by_a.data(), plain.size() * sizeof(Narrow)), 0) << row->name << slabs;
            EXPECT_EQ(std::memcmp(plain.data(), by_b.data(), plain.size() * sizeof(Narrow)), 0) << row->name << slabs;
            widened += slabs > 1 && row->in == tw::Type::f32;
        }
    EXPECT_GT(widened, 0) << "kernels of f32 take them in slabs";
}

TEST(PackedOperands, NarrowOnesHaveTheSameBitsOnEveryRowThatTakesThem) {
    expect_narrow_panels<tw::bfloat16>([](float x) { return tw::to_bfloat16(x); });
    expect_narrow_panels<tw::float16>([](float x) { return tw::to_float16(x); });
}

TEST(PackedOperands, EmptyShapesAreOperandsToo) {
    float c[6] = {1, 2, 3, 4, 5, 6}, a[4] = {};
    const tw::Packed thin = tw::pack(tw::View<float>(nullptr, 0, 3)), flat = tw::pack(tw::View<float>(nullptr, 2, 0));
    tw::multiply(tw::View<float>(nullptr, 2, 0), thin, tw::View(c, 2, 3), {.beta = 2});
    EXPECT_EQ(c[5], 12);
    tw::multiply(tw::View(a, 2, 2), flat, tw::View<float>(nullptr, 2, 0));
}

tw::Status refused(const tw::Packed& b, const tw::Options& options = {}, tw::Type of_a = tw::Type::f32) {
    static double x[64] = {}, c[64] = {};
    return tw::try_multiply({x, of_a, 3, 4, 4}, b, tw::Matrix{c, of_a, 3, 5, 5}, options);
}

TEST(PackedOperands, Rule39_SayWhatTheyCanNotDo) {
    std::vector<float> b(20, 1);
    const tw::Packed packed = tw::pack(tw::View(b.data(), 4, 5));
    EXPECT_TRUE(refused(packed).is_ok());
    EXPECT_EQ(refused(tw::Packed()).argument, tw::Argument::b);
    EXPECT_EQ(refused(packed, {}, tw::Type::f64).argument, tw::Argument::b);
    EXPECT_EQ(refused(packed, {.verify = true}).code, tw::Code::unsupported);
    EXPECT_EQ(refused(packed, {.accuracy = 1e-30}).code, tw::Code::unsupported);
    EXPECT_EQ(refused(packed, {.device = "cuda"}).code, tw::Code::unsupported);
    EXPECT_EQ(refused(packed, {.kernel = "r1_naive"}).code, tw::Code::unsupported);
    EXPECT_TRUE(refused(packed, {.reproducible = true, .device = "cpu", .kernel = packed.kernel_name()}).is_ok());
    EXPECT_EQ(refused(tw::pack_a(tw::View(b.data(), 4, 5))).argument, tw::Argument::b) << "an A is no B";
    EXPECT_EQ(refused(tw::pack(tw::View(b.data(), 5, 4))).argument, tw::Argument::b) << "5 rows meet no 4 columns";

    // The same panels of a row whose bits may differ from call to call, as some of CUDA's have it.
    tw::Kernel free_order = *tw::find_kernel(packed.kernel_name());
    free_order.order = 0;
    tw::Plan plan;
    ASSERT_TRUE(tw::try_plan({.m = 3, .n = 5, .k = 4}, {.kernel = free_order.name}, plan));
    plan.kernel = &free_order;
    const tw::Packed of_it = tw::PackedParts::make(plan, {b.data(), tw::Type::f32, 4, 5, 5}, {},
                                                   static_cast<std::byte*>(std::malloc(64)), 64);
    EXPECT_STREQ(refused(of_it, {.reproducible = true}).text, "the packed operand's kernel is not reproducible");

    tw::Packed none;
    EXPECT_EQ(tw::try_pack({nullptr, tw::Type::f32, 4, 5, 5}, none).argument, tw::Argument::b);
    EXPECT_EQ(tw::try_pack_a({b.data(), tw::Type::f32, -4, 5, 5}, none).argument, tw::Argument::a);
    EXPECT_EQ(tw::try_pack({b.data(), tw::Type::f32, 4, 5, INT64_MAX}, none).argument, tw::Argument::b);
    EXPECT_EQ(tw::try_pack({b.data(), tw::Type::f32, 4, 5, 5}, none, {.kernel = "r1_naive"}).code,
              tw::Code::unsupported);
    EXPECT_EQ(tw::try_pack({b.data(), tw::Type::f32, 4, 5, 5}, none, {.accuracy = 1e-30}).code, tw::Code::unsupported);
    EXPECT_EQ(tw::try_pack({b.data(), tw::Type::f32, 4, 5, 5}, none, {.device = "abacus"}).code, tw::Code::no_device);
    EXPECT_TRUE(none.is_empty());
    EXPECT_THROW(tw::pack(tw::View<float>(nullptr, 4, 5)), tw::Error);
}

}  // namespace
}  // namespace rules
