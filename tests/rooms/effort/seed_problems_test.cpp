// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The open problems that the first program of this kind listed, each with what must hold here.
#include <gtest/gtest.h>

#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "backend/cpu/backend.hpp"
#include "backend/effort_contract.hpp"
#include "base/cpu_features.hpp"
#include "plan/dial_store.hpp"
#include "rooms/effort/samples.hpp"
#include "support/sanitized.hpp"

namespace tw::effort_tests {
namespace {

constexpr EffortOptions by_layout{.dense = DenseSwitch::never};

struct Shape {
    std::int64_t inputs, outputs;
};
constexpr Shape small_shapes[] = {{1000, 3000}, {7, 5}, {1, 1}, {130, 257}, {33, 640}, {512, 96}};

std::vector<std::string> sets_here() {
    std::vector<std::string> names;
    for (const EffortKernel* row : cpu::backend().effort)
        if (row->is_dense && (row->needs & ~cpu_features()) == 0) names.emplace_back(row->kernels);
    return names;
}

TEST(QualityAtFullEffort, EveryRowIsRead) {
    const Weights weights(300, 200, Type::f16, 1);
    std::vector<float> v = gauss(200, 2);
    v[3] = v[77] = 0;
    for (const EffortLayout layout : every_layout) {
        const Answer a = product(build_effort(weights.matrix, {.layout = layout}), v, Budget::effort(1), by_layout);
        EXPECT_EQ(a.report.rows_read, a.report.rows);
        EXPECT_EQ(a.report.bytes_read, a.report.bytes);
    }
}

TEST(QualityAtFullEffort, TheDenseCopyTakesOverWhereOneIsKept) {
    const Weights weights(300, 200, Type::f16, 1);
    const std::vector<float> v = gauss(200, 2);
    for (const EffortLayout layout : every_layout) {
        const EffortMatrix kept = build_effort(weights.matrix, {.layout = layout, .dense = DenseCopy::kept});
        const Answer a = product(kept, v, Budget::effort(1));
        EXPECT_TRUE(a.report.dense);
        EXPECT_LE(relative_error(a.y, exact(weights.matrix, v)), 2e-6);
        EXPECT_FALSE(product(kept, v, Budget::effort(.5)).report.dense);
        EXPECT_TRUE(product(kept, v, Budget::error(1e-9)).report.dense) << "nothing else can keep this error";
    }
}

/// With more effort it stays dense, whichever set of kernels the machine has.
TEST(QualityAtFullEffort, TheDenseCopyTakesOverAsSoonAsItIsQuicker) {
    const Weights weights(600, 200, Type::f16, 1);
    const std::vector<float> v = gauss(200, 2);
    for (const EffortLayout layout : every_layout) {
        const EffortMatrix m = build_effort(weights.matrix, {.layout = layout, .dense = DenseCopy::kept});
        for (const std::string& set : sets_here()) {
            bool was_dense = false;
            for (const double effort : {.01, .2, .4, .6, .8, 1.}) {
                const EffortReport r =
                    product(m, v, Budget::effort(effort), {.dense = DenseSwitch::when_quicker, .kernels = set}).report;
                EXPECT_TRUE(r.dense || !was_dense) << set << ' ' << name_of(layout) << ' ' << effort;
                EXPECT_TRUE(effort > .01 || !r.dense);
                was_dense = r.dense;
            }
            EXPECT_TRUE(was_dense) << set << ' ' << name_of(layout);
        }
    }
}

TEST(QualityAtFullEffort, TiersAreTheDenseProductToTheBit) {
    for (const Type type : {Type::f16, Type::bf16, Type::f32})
        for (const Shape& shape : small_shapes) {
            if (shape.inputs == 1000 && type == Type::bf16) continue;
            const Weights weights(shape.outputs, shape.inputs, type, 3);
            const EffortMatrix m = build_effort(weights.matrix, {.layout = EffortLayout::tiers});
            const std::vector<float> v = gauss(shape.inputs, 4);
            for (const std::string& set : sets_here()) {
                const Answer dense = product(m, v, Budget::effort(1), {.kernels = set});
                const Answer tiers = product(m, v, Budget::effort(1), {.dense = DenseSwitch::never, .kernels = set});
                EXPECT_TRUE(dense.report.dense && !tiers.report.dense);
                EXPECT_EQ(0, std::memcmp(dense.y.data(), tiers.y.data(), dense.y.size() * sizeof(float)))
                    << set << ' ' << name_of(type) << ' ' << shape.inputs << " x " << shape.outputs;
            }
        }
}

/// In sizes that are no power of two, padding ties with weights that are zero: neither may cost another weight its
/// place.
TEST(QualityAtFullEffort, ZeroWeightsTiesAndPaddingCorruptNoBucket) {
    for (const int bucket : {8, 16, 32})
        for (const std::int64_t outputs : {5, 16, 50, 333, 600}) {
            const std::int64_t inputs = 23;
            Weights weights(outputs, inputs, Type::f32, 5);
            for (std::int64_t o = 0; o < outputs; ++o)
                for (std::int64_t i = 0; i < inputs; ++i) {
                    const std::int64_t kind = (o * 7 + i) % 5;
                    if (kind < 3) store_element(weights.matrix, o, i, kind == 0 ? 0. : kind == 1 ? -0.5 : 0.5);
                }
            std::vector<float> v = gauss(inputs, 6);
            const std::vector<double> y = exact(weights.matrix, v);
            for (const EffortLayout layout : every_layout) {
                const EffortMatrix m = build_effort(weights.matrix, {.layout = layout, .bucket = bucket});
                const double bar = layout == EffortLayout::tiers    ? 1e-6
                                   : layout == EffortLayout::planes ? .02
                                                                    : .0004 * bucket;
                for (const std::string& set : sets_here())
                    EXPECT_LE(relative_error(
                                  product(m, v, Budget::effort(1), {.dense = DenseSwitch::never, .kernels = set}).y, y),
                              bar)
                        << name_of(layout) << ' ' << bucket << ' ' << outputs << ' ' << set;
            }
        }
}

TEST(QualityAtFullEffort, AllZeroWeightsAndVectorsGiveZero) {
    Weights weights(40, 30, Type::f32, 1, 0.);
    for (const EffortLayout layout : every_layout)
        for (const double effort : {0., .3, 1.}) {
            const EffortMatrix m = build_effort(weights.matrix, {.layout = layout});
            for (const float y : product(m, gauss(30, 1), Budget::effort(effort), by_layout).y) EXPECT_EQ(y, 0.f);
            for (const float y : product(m, std::vector<float>(30), Budget::effort(effort), by_layout).y)
                EXPECT_EQ(y, 0.f);
            EXPECT_EQ(product(m, std::vector<float>(30), Budget::error(.1), by_layout).report.estimated_error, 0);
        }
}

TEST(DispatchNonDeterminism, SameBitsAtAnyThreadCount) {
    const Weights weights(3000, 400, Type::f16, 7);
    const std::vector<float> v = gauss(400, 8);
    for (const EffortLayout layout : every_layout) {
        const EffortMatrix alone = build_effort(weights.matrix, {.layout = layout, .threads = 1});
        const EffortMatrix shared = build_effort(weights.matrix, {.layout = layout, .threads = 5});
        for (const Budget budget : {Budget::effort(1), Budget::effort(.3), Budget::error(.1)}) {
            const Answer one = product(alone, v, budget, {.threads = 1});
            for (const int threads : {2, 3, 7})
                for (int again = 0; again < 2; ++again) {
                    const Answer many = product(shared, v, budget, {.threads = threads});
                    EXPECT_EQ(0, std::memcmp(one.y.data(), many.y.data(), one.y.size() * sizeof(float)))
                        << name_of(layout);
                    EXPECT_EQ(one.report.rows_read, many.report.rows_read);
                    EXPECT_EQ(one.report.cutoff, many.report.cutoff);
                }
        }
    }
}

TEST(DispatchNonDeterminism, EverySetOfKernelsAgrees) {
    for (const Type type : {Type::f16, Type::bf16, Type::f32})
        for (const Shape& shape : small_shapes)
            for (const EffortLayout layout : every_layout)
                for (const int bucket : {8, 16, 32}) {
                    if (layout != EffortLayout::buckets && bucket != 16) continue;
                    if (shape.inputs == 1000 && (type != Type::bf16 || bucket == 8)) continue;  // large: once is enough
                    if (!test::has_its_turn(4)) continue;
                    const Weights weights(shape.outputs, shape.inputs, type, 9);
                    const EffortMatrix m = build_effort(weights.matrix, {.layout = layout, .bucket = bucket});
                    const std::vector<float> v = gauss(shape.inputs, 10);
                    for (const double effort : {1., .3, .05}) {
                        const Answer plain =
                            product(m, v, Budget::effort(effort), {.dense = DenseSwitch::never, .kernels = "portable"});
                        for (const std::string& set : sets_here()) {
                            const Answer a =
                                product(m, v, Budget::effort(effort), {.dense = DenseSwitch::never, .kernels = set});
                            const std::vector<double> wanted(plain.y.begin(), plain.y.end());
                            EXPECT_LE(relative_error(a.y, wanted), layout == EffortLayout::planes ? 0 : 3e-6)
                                << set << ' ' << name_of(layout) << ' ' << shape.inputs << " x " << shape.outputs << ' '
                                << effort;
                        }
                    }
                }
}

TEST(EffortIsNotCost, RowsReadAreThoseAskedForToOneRow) { expect_rows_asked_for(by_layout); }

TEST(OneGoodShape, AnyShapeIsRight) {
    for (const Shape& shape : small_shapes)
        for (const EffortLayout layout : every_layout) {
            if (!test::has_its_turn(4)) continue;
            const Weights weights(shape.outputs, shape.inputs, Type::f32, 13);
            const std::vector<float> v = gauss(shape.inputs, 14);
            const std::vector<double> y = exact(weights.matrix, v);
            const EffortMatrix m = build_effort(weights.matrix, {.layout = layout});
            EXPECT_LE(relative_error(product(m, v, Budget::effort(1), by_layout).y, y), .02)
                << shape.inputs << " x " << shape.outputs;
            if (shape.inputs < 500) continue;
            EXPECT_LE(relative_error(product(m, v, Budget::effort(.5), by_layout).y, y), .2)
                << shape.inputs << " x " << shape.outputs;
        }
}

/// The shapes of large networks, with cheap weights: a row of ones times its input.
TEST(OneGoodShape, TheShapesOfLargeNetworks) {
    // The last one has fewer outputs than networks have: they are summed one by one.
    for (const Shape& shape : {Shape{4096, 4096}, Shape{4096, 14336}, Shape{14336, 1024}}) {
        if (!test::has_its_turn(3)) continue;
        std::vector<bfloat16> values(static_cast<std::size_t>(shape.inputs * shape.outputs));
        std::uint64_t state = 88172645463325252u;
        for (bfloat16& value : values) {
            state ^= state << 13, state ^= state >> 7, state ^= state << 17;
            value = {static_cast<std::uint16_t>(0x3f00 | (state & 0x807f))};  // 0.5 to 1, either sign
        }
        const Matrix weights{values.data(), Type::bf16, shape.outputs, shape.inputs, shape.inputs, 1};
        const EffortMatrix m = build_effort(weights, {.layout = EffortLayout::planes});
        const std::vector<float> v = gauss(shape.inputs, 15);
        const Answer a = product(m, v, Budget::effort(.5));
        double off = 0, whole = 0;
        for (std::int64_t o = 0; o < shape.outputs; o += 97) {
            double y = 0;
            for (std::int64_t i = 0; i < shape.inputs; ++i)
                y += load_element(weights, o, i) * static_cast<double>(v[static_cast<std::size_t>(i)]);
            const double d = static_cast<double>(a.y[static_cast<std::size_t>(o)]) - y;
            off += d * d, whole += y * y;
        }
        EXPECT_NEAR(std::sqrt(off / whole), a.report.estimated_error, .35 * a.report.estimated_error);
        EXPECT_LE(std::sqrt(off / whole), .1);
    }
}

/// A process reads its store once, so this asks a fresh one.
TEST(OneGoodShapeDeathTest, TheTuningStoreSaysWhenDenseIsQuicker) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    const auto is_dense_with = [](double byte_cost) {
        const std::string path = testing::TempDir() + "tilewright_dial_" + std::to_string(getpid());
        const Weights weights(48, 40, Type::f16, 29);
        const EffortMatrix m = build_effort(weights.matrix, {.dense = DenseCopy::kept});
        setenv("TW_STORE", path.c_str(), 1);
        const std::string set = sets_here().back();
        if (!store_tuning(path, {EffortLayout::planes, 48, 40, Type::f16, set.c_str()}, {byte_cost, 1 << 20}).empty())
            return -1;
        const Answer answer = product(m, gauss(40, 30), Budget::effort(.5), {.dense = DenseSwitch::when_quicker});
        unlink(path.c_str());
        unlink((path + ".lock").c_str());
        return static_cast<int>(answer.report.dense);
    };
    EXPECT_EXIT(_exit(is_dense_with(100)), testing::ExitedWithCode(1), "");
    EXPECT_EXIT(_exit(is_dense_with(.01)), testing::ExitedWithCode(0), "");
}

TEST(BucketSize, EightSixteenAndThirtyTwo) {
    const Weights weights(512, 1024, Type::f32, 16);
    const std::vector<float> v = gauss(1024, 17);
    const std::vector<double> y = exact(weights.matrix, v);
    double previous = 1;
    for (const int bucket : {8, 16, 32}) {
        const EffortMatrix m = build_effort(weights.matrix, {.layout = EffortLayout::buckets, .bucket = bucket});
        EXPECT_LE(relative_error(product(m, v, Budget::effort(1), by_layout).y, y), .00022 * bucket);
        const double quarter = relative_error(product(m, v, Budget::effort(.25), by_layout).y, y);
        EXPECT_LT(quarter, previous) << "more weights to choose among";
        previous = quarter;
    }
}

TEST(BucketSize, TheTruncatingFormIsTheSeeds) {
    const Weights weights(32, 9, Type::f16, 18);
    const std::vector<float> v = gauss(9, 19);
    const EffortMatrix m = build_effort(weights.matrix, {.layout = EffortLayout::buckets, .truncating = true});
    std::vector<float> y(32);
    for (std::int64_t i = 0; i < 9; ++i)
        for (std::int64_t o = 0; o < 32; ++o) {
            const auto bits = static_cast<const float16*>(weights.matrix.at(o, i))->bits;
            y[static_cast<std::size_t>(o)] +=
                v[static_cast<std::size_t>(i)] * widen(float16{static_cast<std::uint16_t>((bits & 0xfff0) | (o & 15))});
        }
    EXPECT_EQ(product(m, v, Budget::effort(1), {.dense = DenseSwitch::never, .kernels = "portable"}).y, y);
}

/// One choice for all of them, and each has the very product that the weights one below the other have.
TEST(HolesBetweenKernels, MatricesWithTheSameInputAreOneProduct) {
    const Weights all(500, 130, Type::f16, 26);
    const Weights turned(130, 70, Type::f16, 27);
    for (std::int64_t o = 0; o < 70; ++o)
        for (std::int64_t i = 0; i < 130; ++i) store_element(turned.matrix, i, o, load_element(all.matrix, 430 + o, i));
    const Matrix parts[] = {all.matrix.block(0, 0, 300, 130), all.matrix.block(300, 0, 130, 130),
                            turned.matrix.transposed()};
    const std::vector<float> v = gauss(130, 28);
    for (const EffortLayout layout : every_layout) {
        const Answer stack = product(build_effort_stack(parts, {.layout = layout}), v, Budget::effort(.4));
        const Answer whole = product(build_effort(all.matrix, {.layout = layout}), v, Budget::effort(.4));
        EXPECT_EQ(stack.y, whole.y) << name_of(layout);
        EXPECT_EQ(stack.report.rows_read, whole.report.rows_read);
    }
}

TEST(MixtureOfExperts, TheChosenExpertsOfATokenInOneCall) {
    const Weights first(200, 90, Type::f16, 20), second(200, 90, Type::f16, 21), third(200, 90, Type::f16, 22);
    const Matrix all[] = {first.matrix, second.matrix, third.matrix};
    const std::vector<int> chosen = {2, 0, 2};
    const std::vector<float> v = gauss(90 * 3, 23);
    for (const EffortLayout layout : every_layout) {
        const EffortMatrix m = build_effort(all, {.layout = layout});
        for (const bool shared : {true, false}) {
            std::vector<float> y(600);
            std::vector<EffortReport> reports(3);
            const Status status = try_matvec_experts(m, chosen, {v.data(), shared ? 1 : 3, 90}, {y.data(), 3, 200},
                                                     Budget::effort(.4), {}, reports);
            ASSERT_TRUE(status) << status.text;
            for (std::size_t c = 0; c < 3; ++c) {
                const std::vector<float> own(v.begin() + (shared ? 0 : 90 * static_cast<int>(c)),
                                             v.begin() + 90 + (shared ? 0 : 90 * static_cast<int>(c)));
                const std::vector<float> together(y.begin() + 200 * static_cast<int>(c),
                                                  y.begin() + 200 * static_cast<int>(c + 1));
                std::vector<float> alone(200);
                EffortReport report;
                ASSERT_TRUE(try_matvec_experts(m, {&chosen[c], 1}, {own.data(), 1, 90}, {alone.data(), 1, 200},
                                               Budget::effort(.4), {}, {&report, 1}));
                EXPECT_EQ(together, alone);
                EXPECT_EQ(reports[c].rows_read, report.rows_read);
                // In a matrix of its own an expert has falls of its own, which are much the same.
                const std::vector<double> exact_y = exact(all[chosen[c]], own);
                const Answer built_alone =
                    product(build_effort(all[chosen[c]], {.layout = layout}), own, Budget::effort(.4));
                EXPECT_NEAR(relative_error(together, exact_y), relative_error(built_alone.y, exact_y),
                            .03 * relative_error(built_alone.y, exact_y));
            }
        }
    }
}

TEST(Batches, OneToThreeVectorsTakeTheDialAndFourAreDense) {
    const Weights weights(300, 700, Type::f16, 24);
    const std::vector<float> v = gauss(700 * 9, 25);
    for (const DenseCopy copy : {DenseCopy::kept, DenseCopy::absent}) {
        const EffortMatrix m = build_effort(weights.matrix, {.layout = EffortLayout::planes, .dense = copy});
        for (const std::int64_t count : {1, 3, 4, 9}) {
            std::vector<float> y(static_cast<std::size_t>(300 * count));
            std::vector<EffortReport> reports(static_cast<std::size_t>(count));
            ASSERT_TRUE(
                try_matvec_batch(m, {v.data(), count, 700}, {y.data(), count, 300}, Budget::effort(.3), {}, reports));
            for (std::int64_t r = 0; r < count; ++r) {
                const EffortReport& report = reports[static_cast<std::size_t>(r)];
                EXPECT_EQ(report.rows_read == report.rows, count >= effort_dense_batch);
                EXPECT_EQ(report.dense, count >= effort_dense_batch && copy == DenseCopy::kept);
                const std::vector<float> own(v.begin() + 700 * r, v.begin() + 700 * (r + 1));
                const Answer alone = product(m, own, Budget::effort(count >= effort_dense_batch ? 1 : .3));
                EXPECT_EQ(std::vector<float>(y.begin() + 300 * r, y.begin() + 300 * (r + 1)), alone.y) << count;
            }
        }
    }
}

}  // namespace
}  // namespace tw::effort_tests
