// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// A verified product has the bits of one that is not, and keeps what `reproducible` promises.
#include <array>

#include "backend/contract.hpp"
#include "base/element.hpp"
#include "multiply/verify.hpp"
#include "rooms/multiply/each_row.hpp"

namespace rules {
namespace {

/// Operands of any type, and everything that an epilogue may read.
struct Operands {
    std::int64_t m, n, k;
    std::vector<std::byte> memory[3];
    std::vector<float> bias, residual;
    tw::Matrix a, b, c;

    Operands(tw::Type in, tw::Type out, std::int64_t rows, std::int64_t cols, std::int64_t inner)
        : m(rows),
          n(cols),
          k(inner),
          bias(random_values<float>(static_cast<std::size_t>(cols), 3)),
          residual(random_values<float>(static_cast<std::size_t>(rows * cols), 4)) {
        a = matrix(0, in, m, k), b = matrix(1, in, k, n), c = matrix(2, out, m, n);
    }
    tw::Matrix matrix(int which, tw::Type type, std::int64_t rows, std::int64_t cols) {
        memory[which].resize(static_cast<std::size_t>(rows * cols) * tw::size_of(type));
        return {memory[which].data(), type, rows, cols, cols};
    }
    void fill() {
        unsigned seed = 1;
        for (const tw::Matrix& x : {a, b, c}) {
            const auto values = random_values<double>(static_cast<std::size_t>(x.rows * x.cols), seed++);
            for (std::int64_t i = 0; i < x.rows; ++i)
                for (std::int64_t j = 0; j < x.cols; ++j)
                    tw::store_element(x, i, j, values[static_cast<std::size_t>(i * x.cols + j)]);
        }
    }
    tw::Epilogue epilogue(tw::Activation activation) {
        tw::Epilogue made = tw::with(tw::bias(bias), activation);
        made.scale = 0.75;
        made.residual = erase(tw::View(residual.data(), m, n));
        return made;
    }
    std::vector<std::byte> result(const tw::Options& options) {
        fill();
        const tw::Status status = tw::try_multiply(a, b, c, options);
        EXPECT_TRUE(status) << status.text;
        return memory[2];
    }
};

struct Types2 {
    tw::Type in, out;
};
constexpr Types2 types[] = {{tw::Type::f64, tw::Type::f64},   {tw::Type::f32, tw::Type::f32},
                            {tw::Type::f16, tw::Type::f16},   {tw::Type::f16, tw::Type::f32},
                            {tw::Type::bf16, tw::Type::bf16}, {tw::Type::bf16, tw::Type::f32}};

void expect_the_same_bits(Operands& p, tw::Options options, const std::string& what) {
    const auto plain = p.result(options);
    options.verify = true;
    EXPECT_EQ(p.result(options), plain) << what;
}

TEST(VerifiedBits, AreThoseWithoutVerification) {
    for (const char* device : {"cpu", "cpu-check"})
        for (const auto& [in, out] : types)
            for (const double beta : {0.0, 1.0, -0.3})
                for (const auto activation : {tw::Activation::none, tw::Activation::relu, tw::Activation::gelu})
                    for (const auto& [m, n, k] : {std::array<std::int64_t, 3>{1, 1, 1}, {7, 33, 20}, {70, 50, 130}}) {
                        Operands p(in, out, m, n, k);
                        tw::Options options{.alpha = 0.7, .beta = beta, .device = device};
                        p.fill();
                        if (!tw::try_multiply(p.a, p.b, p.c, options)) continue;  // cpu-check has no f64
                        const std::string what = std::string(device) + ' ' + tw::name_of(in) + ", beta " +
                                                 std::to_string(beta) + ", m " + std::to_string(m);
                        expect_the_same_bits(p, options, what);
                        options.epilogue = p.epilogue(activation);
                        expect_the_same_bits(p, options, what + ", with an epilogue");
                        if (activation != tw::Activation::gelu) continue;
                        p.c = p.matrix(2, out, n, m).transposed();
                        expect_the_same_bits(p, options, what + ", with an epilogue, C by columns");
                    }
}

TEST(VerifiedBits, OfEachRowAreThoseWithoutVerification) {
    for (const tw::Kernel* kernel : tw::find_backend("cpu")->ladder)
        for (const tw::Type type : {kernel->in, tw::Type::bf16}) {
            if (tw::is_complex(type)) continue;  // complex products are not verified
            Operands p(type, type == kernel->in ? kernel->out : type, 30, 40, 50);
            tw::Options options{.accuracy = tw::Accuracy(1e9), .kernel = kernel->name};
            p.fill();
            if (!tw::try_multiply(p.a, p.b, p.c, options)) continue;  // not on this machine, or not of this type
            options.epilogue = p.epilogue(tw::Activation::silu);
            expect_the_same_bits(p, options, kernel->name);
        }
}

TEST(VerifiedBits, WithReproducibleAreThoseOfReproducible) {
    for (const auto& [in, out] : types)
        for (const auto& [m, n, k] : {std::array<std::int64_t, 3>{1, 1, 1}, {3, 200, 90}, {70, 50, 130}}) {
            Operands p(in, out, m, n, k);
            expect_the_same_bits(p, {.reproducible = true}, tw::name_of(in));
        }
}

const tw::Kernel* honest = nullptr;
int times_wrong = 0;

tw::Status wrong_sometimes(const tw::Call& call, const tw::Tile& tile) {
    const tw::Status status = honest->run(call, tile);
    const std::int64_t last = call.m() - 1;
    constexpr double error = 1000;  // beyond what rounding C to bf16 may be off
    if (times_wrong-- > 0) tw::store_element(call.c, last, 0, tw::load_element(call.c, last, 0) + error);
    return status;
}

TEST(VerifiedBits, AfterARepairAreThoseOfReproducible) {
    for (const tw::Type type : {tw::Type::f32, tw::Type::bf16})
        for (const double beta : {0.0, 0.5}) {
            Operands p(type, type, 30, 40, 300);
            const tw::Options options{
                .beta = beta, .reproducible = true, .epilogue = p.epilogue(tw::Activation::gelu), .threads = 1};
            const auto right = p.result(options);
            tw::Plan plan, second;
            ASSERT_TRUE(tw::try_plan(tw::problem_of(p.a, p.b, p.c, options), options, plan));
            ASSERT_TRUE(tw::plan_second(plan, second));
            EXPECT_EQ(second.kernel->order, plan.kernel->order);
            const bool is_alone = std::string_view(plan.kernel->name).ends_with(".amx");  // no other row has its order
            if (!is_alone) {
                EXPECT_STRNE(second.kernel->name, plan.kernel->name) << "another row sums in that order, too";
            }
            tw::Kernel wrong = *plan.kernel;
            honest = plan.kernel, wrong.run = wrong_sometimes;
            plan.kernel = &wrong;
            for (const int times : {0, 1}) {
                times_wrong = times;
                p.fill();
                EXPECT_TRUE(tw::run_verified(plan, second, p.a, p.b, p.c, nullptr));
                EXPECT_EQ(p.memory[2], right) << tw::name_of(type) << ", wrong " << times << " times";
            }
        }
}

}  // namespace
}  // namespace rules
