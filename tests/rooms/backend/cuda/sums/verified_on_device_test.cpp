// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Verified products of operands that lie on the device: the bits of unverified ones, whatever is wrong on the way, or a
// refusal.
#include <array>
#include <cstring>
#include <limits>
#include <utility>

#include "multiply/verify.hpp"
#include "multiply/verify_on_device.hpp"
#include "rooms/backend/cuda/on_device.hpp"

namespace on_device {
namespace {

class VerifiedOnDevice : public OnDevice {};

constexpr Verify::Level levels[] = {Verify::check, Verify::correct};

/// Rows, columns, and steps that are neither.
Matrix laid(const Values& values, int how, std::int64_t rows, std::int64_t cols) {
    if (how == 0) return values.rows(rows, cols);
    return how == 1 ? values.columns(rows, cols) : values.steps(rows, cols, 2 * cols + 1, 2);
}

struct Trial {
    std::int64_t m, n, k;
    Values a, b, c, bias;

    Trial(Type in, Type out, std::int64_t rows, std::int64_t cols, std::int64_t terms)
        : m(rows),
          n(cols),
          k(terms),
          a(in, m * (2 * k + 1), 1),
          b(in, k * (2 * n + 1), 2),
          c(out, m * (2 * n + 1), 3),
          bias(out, n, 4) {}
    /// What C is before a product.
    std::vector<std::byte> old_c() {
        Values original(c.on_host().type, m * (2 * n + 1), 3);
        return original.bring();
    }
    Status run(int how, const Options& options) {
        const auto original = old_c();
        std::memcpy(c.on_host().data, original.data(), original.size());
        c.send();
        return try_multiply(laid(a, how, m, k), laid(b, how, k, n), laid(c, how, m, n), options);
    }
    std::vector<std::byte> result(int how, const Options& options) {
        const Status status = run(how, options);
        EXPECT_TRUE(status.is_ok()) << status.text;
        return c.bring();
    }
    /// True when the kernel for 16 bits has the epilogue in it.
    bool has_own_epilogue(int how, const Options& options) {
        Plan plan;
        const Problem problem = problem_of(laid(a, how, m, k), laid(b, how, k, n), laid(c, how, m, n), options);
        EXPECT_TRUE(try_plan(problem, options, plan).is_ok());
        return !options.epilogue.is_empty() && size_of(plan.kernel->in) == 2 && plan.kernel->fuses_epilogue;
    }
};

TEST_F(VerifiedOnDevice, HasTheBitsOfTheUnverifiedOrIsRefused) {
    constexpr std::array<Type, 2> types[] = {{Type::f32, Type::f32},
                                             {Type::f64, Type::f64},
                                             {Type::bf16, Type::bf16},
                                             {Type::bf16, Type::f32},
                                             {Type::f16, Type::f16}};
    constexpr std::pair<bool, Activation> epilogues[] = {
        {false, Activation::none}, {true, Activation::relu}, {true, Activation::gelu}, {true, Activation::silu}};
    for (const auto& [in, out] : types)
        for (const std::array<std::int64_t, 3>& shape : {std::array<std::int64_t, 3>{1, 1, 1}, {70, 51, 130}})
            for (int how = 0; how < 3; ++how)
                for (const double beta : {0.0, -0.3})
                    for (const auto& [finishes, activation] : epilogues) {
                        if (!has_its_turn(11)) continue;
                        Trial trial(in, out, shape[0], shape[1], shape[2]);
                        Options options{.alpha = 0.7, .beta = beta};
                        if (finishes)
                            options.epilogue = {.bias = trial.bias.data(),
                                                .bias_type = out,
                                                .bias_size = trial.n,
                                                .activation = activation};
                        const bool is_refused = trial.has_own_epilogue(how, options);
                        const auto plain = trial.result(how, options);
                        for (const Verify::Level level : levels) {
                            options.verify = level;
                            const Status status = trial.run(how, options);
                            EXPECT_EQ(status.code, is_refused ? Code::unsupported : Code::ok) << status.text;
                            EXPECT_TRUE(trial.c.bring() == (is_refused ? trial.old_c() : plain))
                                << name_of(in) << " to " << name_of(out) << ", " << shape[0] << " rows, laid " << how
                                << ", beta " << beta << ", epilogue " << finishes << ", verify "
                                << static_cast<int>(level);
                        }
                    }
}

/// A plan by the device's choice, and a kernel in its place that spoils one element, so many times.
struct Faulty {
    Plan plan, second;
    Kernel kernel{};
    static inline const Kernel* right = nullptr;
    static inline int faults = 0;

    Faulty(const Matrix& a, const Matrix& b, const Matrix& c, const Options& options, int how_often) {
        EXPECT_TRUE(try_plan(problem_of(a, b, c, options), options, plan).is_ok());
        EXPECT_TRUE(plan_second(plan, second).is_ok());
        right = plan.kernel, faults = how_often;
        kernel = *right;
        kernel.run = [](const Call& call, const Tile& tile) {
            const Status status = right->run(call, tile);
            if (!status || faults-- <= 0) return status;
            float spoilt = 1e4f;
            const Matrix one{&spoilt, Type::f32, 1, 1, 1};
            const Status put = cuda().copy(call.c.block(call.m() / 2, call.n() / 3, 1, 1), one, call.stream);
            return put ? cuda().wait(call.stream) : put;
        };
        plan.kernel = &kernel;
    }
};

TEST_F(VerifiedOnDevice, RightProductsPassByTheirSumsAlone) {
    for (const Type in : {Type::f32, Type::f64, Type::bf16, Type::f16})
        for (const Accuracy accuracy : {Accuracy{}, tf32, fp32_elementwise})
            for (const double beta : {0.0, 0.5})
                for (const Verify::Level level : levels) {
                    if ((in != Type::f32 && accuracy != Accuracy{}) || !has_its_turn(5)) continue;
                    Trial trial(in, in, 600, 520, 1100);
                    const Options options{.beta = beta, .accuracy = accuracy, .verify = level};
                    const Matrix a = trial.a.rows(600, 1100), b = trial.b.columns(1100, 520),
                                 c = trial.c.rows(600, 520);
                    const Faulty none(a, b, c, options, 0);
                    Corrections done;
                    ASSERT_TRUE(
                        run_until_right_on_device(none.plan, none.second, a, b, c, nullptr, *sums_of("cuda"), done)
                            .is_ok());
                    EXPECT_TRUE(done.made_again == 0 && !done.whole && !done.by_second)
                        << name_of(in) << " by " << Faulty::right->name << ", beta " << beta;
                }
}

TEST_F(VerifiedOnDevice, Fault09_WhatIsSpoiltIsMadeAgain) {
    for (const Verify::Level level : levels)
        for (const double beta : {0.0, 0.5})
            for (const int how_often : {1, 2, 100}) {
                Trial trial(Type::f32, Type::f32, 130, 90, 200);
                const Options options{.beta = beta, .verify = level};
                const Matrix a = trial.a.rows(130, 200), b = trial.b.rows(200, 90), c = trial.c.rows(130, 90);
                const Values original(Type::f32, 130 * 181, 3);
                ASSERT_TRUE(try_multiply(a, b, c, {.beta = beta}).is_ok());
                const auto plain = trial.c.bring();
                ASSERT_TRUE(cuda().copy(trial.c.there(), original.there(), nullptr).is_ok());
                const Faulty spoilt(a, b, c, options, how_often);
                Corrections done;
                ASSERT_TRUE(
                    run_until_right_on_device(spoilt.plan, spoilt.second, a, b, c, nullptr, *sums_of("cuda"), done)
                        .is_ok());
                EXPECT_EQ(done.whole, how_often == 1);
                if (how_often == 100) continue;  // another kernel made C
                EXPECT_EQ(trial.c.bring(), plain) << beta << ", faults " << how_often;
            }
}

TEST_F(VerifiedOnDevice, WhatSumsCannotTellIsSettledAllTheSame) {
    for (const double value : {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()})
        for (const Verify::Level level : levels) {
            Trial trial(Type::f32, Type::f32, 40, 30, 50);
            store_element(trial.a.on_host(), 0, 77, value);
            trial.a.send();
            const auto plain = trial.result(0, {});
            EXPECT_EQ(trial.result(0, {.verify = level}), plain) << value;
        }
}

TEST_F(VerifiedOnDevice, IsRefusedWhileItsStreamIsCaptured) {
    Trial trial(Type::f32, Type::f32, 8, 8, 8);
    const Plan plan = [&] {
        Plan made;
        const Options options{.verify = true};
        EXPECT_TRUE(
            try_plan(problem_of(trial.a.rows(8, 8), trial.b.rows(8, 8), trial.c.rows(8, 8), options), options, made)
                .is_ok());
        return made;
    }();
    EXPECT_TRUE(can_verify_on_device(plan, nullptr).is_ok());
    Backend other = cuda();
    other.captures = [](void*) { return true; };
    Plan captured = plan;
    captured.backend = &other;
    EXPECT_EQ(can_verify_on_device(captured, nullptr).code, Code::unsupported);
    other.name = "metal";
    EXPECT_EQ(can_verify_on_device(captured, nullptr).code, Code::unsupported);
}

}  // namespace
}  // namespace on_device
