// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The effort dial on a CUDA device beside the CPU's: planes are what their codes say, and the same bits each time; the
// dense copy, experts and batches. Where there is no device all are skipped but the one that says what is answered
// then.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <tuple>

#include "backend/contract.hpp"
#include "rooms/effort/on_cuda.hpp"

namespace tw::effort_tests {
namespace {

TEST(EffortWithoutCuda, AProductSaysThatThereIsNoDevice) {
    if (cuda::backend().devices() > 0) GTEST_SKIP() << "there is a device";
    const Weights weights(40, 30, Type::f16, 1);
    const EffortMatrix m = build_effort(weights.matrix);
    const std::vector<float> v = gauss(30, 2);
    std::vector<float> y(40);
    EffortReport report;
    const Status status = try_matvec(m, v, y, Budget::effort(1), {.device = "cuda"}, report);
    EXPECT_EQ(status.code, Code::no_device);
    EXPECT_STREQ(status.text, cuda::backend().absence());
    EXPECT_EQ(try_place_effort(m, "cuda:0").code, Code::no_device);
    EXPECT_TRUE(try_place_effort(m, "cpu"));
}

TEST(EffortWithoutCuda, TheCpusPlanesAreWhatTheirCodesSay) {
    for (const std::int64_t outputs : {5, 300, 700}) {
        const Weights weights(outputs, 333, Type::f16, 17);
        const EffortMatrix m = build_effort(weights.matrix);
        const std::vector<float> v = gauss(333, 18);
        EXPECT_LE(relative_error(product(m, v, Budget::effort(1), on_cpu).y, decoded_product(m, v, Budget::effort(1))),
                  1e-3);
        EXPECT_LE(
            relative_error(product(m, v, Budget::effort(.3), on_cpu).y, decoded_product(m, v, Budget::effort(.3))),
            1.5e-2);
    }
}

TEST_F(EffortOnCuda, ReadsTheSameRowsAsTheCpuAndPlanesAreWhatTheirCodesSay) {
    const std::int64_t shapes[][2] = {{5, 7}, {1, 1}, {257, 130}, {640, 33}, {1000, 3000}};
    for (const auto& [outputs, inputs] : shapes)
        for (const Type type : {Type::f16, Type::bf16, Type::f32})
            for (const EffortLayout layout : every_layout) {
                const Weights weights(outputs, inputs, type, 3, 0.02);
                const EffortMatrix m = build_effort(weights.matrix, {.layout = layout});
                std::vector<float> v = gauss(inputs, 4);
                for (std::size_t i = 2; i < v.size(); i += 5) v[i] = 0.5f;  // ties
                SCOPED_TRACE(name_of(layout));
                for (const double effort : {0., .05, .25, .5, .999, 1.}) expect_alike(m, v, Budget::effort(effort));
                expect_alike(m, v, Budget::error(.1));
            }
}

/// The device searches the cutoff itself.
TEST_F(EffortOnCuda, RowsReadAreThoseAskedForToOneRow) { expect_rows_asked_for(on_cuda); }

/// A block chooses alone from up to 2048 and 4096 inputs, two do from up to 8192 and 16384, by one cluster or several;
/// what is more is chosen by a kernel of its own. Of nearly all rows a sample says little about the few that are not
/// read.
TEST_F(EffortOnCuda, AnyNumberOfInputsIsChosenFromAlike) {
    for (const std::int64_t inputs : {511, 1024, 2049, 4096, 4100, 5000, 8200, 14336, 16385}) {
        const Weights weights(20, inputs, Type::f16, 15);
        const EffortMatrix m = build_effort(weights.matrix);
        std::vector<float> v = gauss(inputs, 16);
        for (const double effort : {.1, .5, .998}) expect_alike(m, v, Budget::effort(effort), of_few);
        std::fill(v.begin() + 1, v.end(), 0.f);  // nearly all rows are worth the same
        expect_alike(m, v, Budget::effort(.3), of_few);
        std::fill(v.begin(), v.end(), 1.f);
        expect_alike(m, v, Budget::effort(.3), of_few);
    }
}

/// What planes count is found without the vector's scale unless its numbers are very large or small; and a few that are
/// not zero.
TEST_F(EffortOnCuda, VectorsOfAnyMagnitudeAreChosenFromAlike) {
    const Weights weights(20, 3000, Type::f16, 19);
    const EffortMatrix m = build_effort(weights.matrix);
    for (const float magnitude : {1e-30f, 1e-19f, 1e-17f, 1e17f, 1e19f, 1e25f}) {
        std::vector<float> v = gauss(3000, 20);
        for (float& x : v) x *= magnitude;
        for (const double effort : {.02, .3, .97}) expect_alike(m, v, Budget::effort(effort), of_few);
        std::fill(v.begin() + 300, v.end(), 0.f);
        for (const double effort : {.02, .3}) expect_alike(m, v, Budget::effort(effort), of_few);
    }
}

/// Many tiles and inputs: clusters that share a tile, beside each other and one after another.
TEST_F(EffortOnCuda, TilesThatClustersShareAreAddedUpInOneOrder) {
    for (const std::int64_t outputs : {256, 3000}) {
        const Weights weights(outputs, 4600, Type::f16, 21);
        const EffortMatrix m = build_effort(weights.matrix);
        const std::vector<float> v = gauss(4600, 22);
        const Answer first = product(m, v, Budget::effort(.4), on_cuda);
        EXPECT_LE(relative_error(first.y, decoded_product(m, v, Budget::effort(.4))), of_rounded_vectors);
        for (int again = test::is_thinned() ? 18 : 0; again < 20; ++again)
            ASSERT_EQ(0, std::memcmp(first.y.data(), product(m, v, Budget::effort(.4), on_cuda).y.data(),
                                     first.y.size() * sizeof(float)));
    }
}

/// More tiles than clusters find room at once: those that come later choose as the first ones have, by one block or by
/// two together.
TEST_F(EffortOnCuda, TilesThatFindNoRoomAtOnceAreReadAlike) {
    const std::int64_t shapes[][2] = {{18000, 300}, {8800, 4200}};
    for (const auto& [outputs, inputs] : shapes) {
        const Weights weights(outputs, inputs, Type::f16, 23);
        const EffortMatrix m = build_effort(weights.matrix);
        const std::vector<float> v = gauss(inputs, 24), other = gauss(inputs, 25);
        for (const double effort : {.3, 1.}) {
            expect_alike(m, v, Budget::effort(effort));
            const Answer first = product(m, v, Budget::effort(effort), on_cuda),
                         second = product(m, other, Budget::effort(effort), on_cuda);
            for (int again = test::is_thinned() ? 9 : 0; again < 10;
                 ++again) {  // nothing of one vector is left for another
                ASSERT_EQ(0, std::memcmp(second.y.data(), product(m, other, Budget::effort(effort), on_cuda).y.data(),
                                         second.y.size() * sizeof(float)));
                ASSERT_EQ(0, std::memcmp(first.y.data(), product(m, v, Budget::effort(effort), on_cuda).y.data(),
                                         first.y.size() * sizeof(float)));
            }
            EXPECT_LE(relative_error(second.y, decoded_product(m, other, Budget::effort(effort))), of_rounded_vectors);
        }
    }
}

TEST_F(EffortOnCuda, TheDenseCopyTakesOverAtFullEffortAndForBatches) {
    for (const Type type : {Type::f16, Type::bf16, Type::f32}) {
        const Weights weights(700, 333, type, 7);
        const EffortMatrix m = build_effort(weights.matrix, {.dense = DenseCopy::kept});
        const std::vector<float> v = gauss(333 * 5, 8);
        const Answer one = product(m, {v.begin(), v.begin() + 333}, Budget::effort(1), {.device = "cuda"});
        EXPECT_TRUE(one.report.dense);
        EXPECT_LE(relative_error(one.y, exact(weights.matrix, {v.begin(), v.begin() + 333})), 2e-6);
        std::vector<float> y(700 * 5);
        ASSERT_TRUE(
            try_matvec_batch(m, {v.data(), 5, 333}, {y.data(), 5, 700}, Budget::effort(.1), {.device = "cuda"}, {}));
        EXPECT_EQ(0, std::memcmp(y.data(), one.y.data(), one.y.size() * sizeof(float)));
    }
}

/// All multiprocessors read equal runs of a large copy, whichever tiles they begin and end in; a batch has the bits of
/// its vectors one by one.
TEST_F(EffortOnCuda, LargeDenseCopiesAreTheExactProductForAnyShape) {
    const std::tuple<std::int64_t, std::int64_t, Type> cases[] = {{2100, 3001, Type::f16},
                                                                  {700, 9001, Type::bf16},
                                                                  {13000, 500, Type::f16},
                                                                  {1000, 3303, Type::f32},
                                                                  {40000, 90, Type::f32}};
    for (const auto& [outputs, inputs, type] : cases) {
        const Weights first(outputs, inputs, type, 23), second(outputs, inputs, type, 24);
        const Matrix both[] = {first.matrix, second.matrix};
        const EffortMatrix m = build_effort(both, {.dense = DenseCopy::kept});
        const std::vector<float> v = gauss(inputs * 6, 25);
        const auto wide = static_cast<std::size_t>(outputs);
        std::vector<float> y(6 * wide), one(wide);
        const auto alone = [&, outputs = outputs, inputs = inputs](int expert, std::int64_t row) {
            EXPECT_TRUE(try_matvec_experts(m, {&expert, 1}, {v.data() + row * inputs, 1, inputs},
                                           {one.data(), 1, outputs}, Budget::effort(1), {.device = "cuda"}, {}));
            return one.data();
        };
        EXPECT_LE(
            relative_error({alone(0, 0), one.data() + wide}, exact(first.matrix, {v.begin(), v.begin() + inputs})),
            2e-6);
        EXPECT_LE(
            relative_error({alone(1, 0), one.data() + wide}, exact(second.matrix, {v.begin(), v.begin() + inputs})),
            2e-6);
        const int chosen[] = {1, 0, 1};
        ASSERT_TRUE(try_matvec_experts(m, chosen, {v.data(), 3, inputs}, {y.data(), 3, outputs}, Budget::effort(1),
                                       {.device = "cuda"}, {}));
        for (std::size_t p = 0; p < 3; ++p)
            EXPECT_EQ(0, std::memcmp(y.data() + p * wide, alone(chosen[p], static_cast<std::int64_t>(p)),
                                     wide * sizeof(float)));
        for (int again = 0; again < 5; ++again) {
            ASSERT_TRUE(try_matvec_batch(m, {v.data(), 6, inputs}, {y.data(), 6, outputs}, Budget::effort(1),
                                         {.device = "cuda"}, {}));
            for (std::int64_t row = 0; row < 6; ++row)
                EXPECT_EQ(0, std::memcmp(y.data() + static_cast<std::size_t>(row) * wide, alone(0, row),
                                         wide * sizeof(float)))
                    << outputs << " x " << inputs << ", " << row;
        }
    }
}

TEST_F(EffortOnCuda, ExpertsOfATokenAndVectorsOnTheDialAreTheSingleProducts) {
    const Weights first(300, 200, Type::f16, 9), second(300, 200, Type::f16, 10);
    const Matrix both[] = {first.matrix, second.matrix};
    const EffortMatrix m = build_effort(both);
    const std::vector<float> v = gauss(200, 11);
    std::vector<int> chosen;
    for (int i = 0; i < 19; ++i) chosen.push_back(i % 3 % 2);
    std::vector<float> y(300 * 19), same(300 * 19);
    std::vector<EffortReport> reports(19);
    ASSERT_TRUE(
        try_matvec_experts(m, chosen, {v.data(), 1, 200}, {y.data(), 19, 300}, Budget::effort(.3), on_cuda, reports));
    for (std::size_t p = 0; p < chosen.size(); ++p)
        ASSERT_TRUE(try_matvec_experts(m, {&chosen[p], 1}, {v.data(), 1, 200}, {same.data() + 300 * p, 1, 300},
                                       Budget::effort(.3), on_cuda, {}));
    EXPECT_EQ(0, std::memcmp(y.data(), same.data(), y.size() * sizeof(float)));
    for (int expert = 0; expert < 2; ++expert)
        EXPECT_LE(relative_error({y.begin() + 300 * expert, y.begin() + 300 * (expert + 1)},
                                 decoded_product(m, v, Budget::effort(.3), expert)),
                  of_rounded_vectors);
}

/// A copy of numbers of 4 bytes in the device's memory.
class There {
public:
    template <typename T>
    explicit There(const std::vector<T>& numbers)
        : count_(static_cast<std::int64_t>(numbers.size())), at_(cuda::backend().alloc(4 * numbers.size())) {
        EXPECT_TRUE(cuda::backend().copy(matrix(at_), matrix(const_cast<T*>(numbers.data())), nullptr));
    }
    ~There() { cuda::backend().free(at_); }
    There(const There&) = delete;
    There& operator=(const There&) = delete;

    template <typename T>
    T* as() const {
        return static_cast<T*>(at_);
    }
    std::vector<float> here() const {
        std::vector<float> numbers(static_cast<std::size_t>(count_));
        EXPECT_TRUE(cuda::backend().copy(matrix(numbers.data()), matrix(at_), nullptr));
        EXPECT_TRUE(cuda::backend().wait(nullptr));
        return numbers;
    }

private:
    Matrix matrix(void* at) const { return {at, Type::f32, 1, count_, count_}; }

    std::int64_t count_;
    void* at_;
};

/// The bits that they have when the host names them, with one block that chooses and with two; no expert, no number.
TEST_F(EffortOnCuda, ExpertsThatOnlyTheDeviceKnowsAreTakenFromItsMemory) {
    for (const std::int64_t inputs : {200, 4600}) {
        const Weights first(300, inputs, Type::f16, 9), second(300, inputs, Type::f16, 10);
        const Matrix both[] = {first.matrix, second.matrix};
        const EffortMatrix m = build_effort(both, {.dense = DenseCopy::kept});
        std::vector<int> chosen;
        for (int i = 0; i < 19; ++i) chosen.push_back(i % 3 % 2);
        const There v(gauss(inputs * 19, 11)), known(std::vector<float>(300 * 19)), y(std::vector<float>(300 * 19)),
            experts(chosen);
        for (const std::int64_t rows : {19, 1})
            for (const double effort : {.02, .3, 1.}) {
                const View<const float> of_v{v.as<float>(), rows, inputs};
                ASSERT_TRUE(try_matvec_experts(m, chosen, of_v, {known.as<float>(), 19, 300}, Budget::effort(effort),
                                               on_cuda, {}));
                ASSERT_TRUE(try_matvec_experts(m, {experts.as<int>(), 19}, of_v, {y.as<float>(), 19, 300},
                                               Budget::effort(effort), {.device = "cuda"}, {}));
                EXPECT_EQ(0, std::memcmp(known.here().data(), y.here().data(), 300 * 19 * 4))
                    << inputs << " " << effort;
            }
        for (const int none : {2, -1, std::numeric_limits<int>::max()}) {
            const There wrong(std::vector<int>{1, none});
            ASSERT_TRUE(try_matvec_experts(m, {wrong.as<int>(), 2}, {v.as<float>(), 1, inputs}, {y.as<float>(), 2, 300},
                                           Budget::effort(1), on_cuda, {}));
            const int there[] = {1, 0};  // as many products: clusters that share a tile are more where they are few
            ASSERT_TRUE(try_matvec_experts(m, there, {v.as<float>(), 1, inputs}, {known.as<float>(), 2, 300},
                                           Budget::effort(1), on_cuda, {}));
            const std::vector<float> found = y.here();
            EXPECT_EQ(0, std::memcmp(found.data(), known.here().data(), 1200));
            for (std::size_t i = 300; i < 600; ++i) EXPECT_NE(found[i], found[i]);
        }
    }
}

TEST_F(EffortOnCuda, ExpertsInItsMemoryThatNoKernelTakesAreRefused) {
    const There v(gauss(200, 11)), y(std::vector<float>(300)), experts(std::vector<int>{0});
    const Weights weights(300, 200, Type::f16, 9);
    std::vector<float> here(300);
    const auto code_of = [&](const EffortMatrix& m, const float* from, float* to, Budget budget, EffortOptions how) {
        return try_matvec_experts(m, {experts.as<int>(), 1}, {from, 1, 200}, {to, 1, 300}, budget, how, {}).code;
    };
    const EffortMatrix planes = build_effort(weights.matrix);
    EXPECT_EQ(code_of(planes, here.data(), y.as<float>(), Budget::effort(1), on_cuda), Code::bad_argument);
    EXPECT_EQ(code_of(planes, v.as<float>(), here.data(), Budget::effort(1), on_cuda), Code::bad_argument);
    EXPECT_EQ(code_of(planes, v.as<float>(), y.as<float>(), Budget::error(.1), on_cuda), Code::unsupported);
    EXPECT_EQ(code_of(planes, here.data(), here.data(), Budget::effort(1), on_cpu), Code::bad_argument);
    EXPECT_EQ(code_of(build_effort(weights.matrix, {.layout = EffortLayout::tiers}), v.as<float>(), y.as<float>(),
                      Budget::effort(.5), on_cuda),
              Code::unsupported);
}

TEST_F(EffortOnCuda, MemoryOfTheDeviceIsTakenAsItIs) {
    const Backend& backend = cuda::backend();
    const Weights weights(300, 200, Type::f16, 12);
    const EffortMatrix m = build_effort(weights.matrix);
    std::vector<float> v = gauss(200, 13);
    auto* far_v = static_cast<float*>(backend.alloc(800));
    auto* far_y = static_cast<float*>(backend.alloc(1200));
    ASSERT_TRUE(far_v && far_y);
    const auto answer = [&](std::vector<float>& y, EffortReport& report) {
        ASSERT_TRUE(backend.copy({far_v, Type::f32, 1, 200, 200}, {v.data(), Type::f32, 1, 200, 200}, nullptr));
        ASSERT_TRUE(try_matvec(m, {far_v, 200}, {far_y, 300}, Budget::effort(.5), on_cuda, report));
        ASSERT_TRUE(backend.copy({y.data(), Type::f32, 1, 300, 300}, {far_y, Type::f32, 1, 300, 300}, nullptr));
        ASSERT_TRUE(backend.wait(nullptr));
    };
    std::vector<float> y(300);
    EffortReport report;
    answer(y, report);
    EXPECT_EQ(0, std::memcmp(y.data(), product(m, v, Budget::effort(.5), on_cuda).y.data(), 1200));
    EXPECT_EQ(report.rows_read, -1);
    EXPECT_EQ(report.rows, 600);
    EXPECT_EQ(try_matvec(m, {far_v, 200}, {far_y, 300}, Budget::error(.5), on_cuda, report).code, Code::unsupported);
    EXPECT_EQ(try_matvec(m, {far_v, 200}, {far_y, 300}, Budget::effort(.5), on_cpu, report).code, Code::bad_argument);
    v[50] = std::numeric_limits<float>::infinity();
    answer(y, report);
    for (const float value : y) EXPECT_NE(value, value);
    backend.free(far_v), backend.free(far_y);
}

TEST_F(EffortOnCuda, ADeviceThatIsNotThereIsRefused) {
    const Weights weights(10, 10, Type::f16, 14);
    const EffortMatrix m = build_effort(weights.matrix);
    EXPECT_EQ(try_place_effort(m, "cuda:99").code, Code::no_device);
    EXPECT_EQ(try_place_effort(m, "cuda:x").code, Code::no_device);
    EXPECT_TRUE(try_place_effort(m, "cuda:0"));
}

}  // namespace
}  // namespace tw::effort_tests
