// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// What the costs choose on an H200 on paper, for shapes of docs/results/h200/survey.md where they once chose badly.
#include <gtest/gtest.h>

#include <string_view>

#include "backend/cuda/device/entry.hpp"
#include "plan/eligibility.hpp"
#include "rooms/backend/cuda/on_fake_runtime.hpp"

extern "C" const tw::Backend* tilewright_cuda_backend(unsigned long long stamp) noexcept;

namespace {

using namespace tw;

struct Shape {
    std::int64_t m, n, k;
    Form b = Form::row_major;
};
constexpr Form by_columns = Form::col_major;

class Costs : public test::OnFakeRuntime {
protected:
    /// order: that of the rows that may be taken; 0: any.
    const Kernel& cheapest(const Shape& shape, Type type, Accuracy accuracy = {}, int order = 0) const {
        const Problem problem{.m = shape.m,
                              .n = shape.n,
                              .k = shape.k,
                              .in = type,
                              .out = type,
                              .place = Place::cuda,
                              .accuracy = accuracy,
                              .b = shape.b};
        const Kernel* best = nullptr;
        for (const Kernel* kernel : backend.ladder)
            if ((order == 0 || kernel->order == order) && can_run(backend, *kernel, problem) &&
                keeps_promise(*kernel, problem) &&
                (!best || kernel->nanoseconds(problem, 1) < best->nanoseconds(problem, 1)))
                best = kernel;
        return *best;
    }
    bool is_of(const Kernel& kernel, std::string_view file) const {
        return std::string_view(kernel.name).substr(5).starts_with(file);
    }
    const Backend& backend = *tilewright_cuda_backend(cuda::contract_stamp);
};

// One block of r3 or r4 has nobody to hide its waits: r7 was quicker in all of these.
TEST_F(Costs, FewTilesOfF32AreNotForTheLowerRungs) {
    for (const Shape& shape : {Shape{44, 25, 68092},
                               {32, 1024, 4096, by_columns},
                               {102, 415, 3006, by_columns},
                               {448, 128, 1152},
                               {36, 1024, 1024, by_columns},
                               {35, 1262, 1128},
                               {320, 320, 320, by_columns},
                               {730, 730, 730},
                               {1500, 1500, 1500}})
        for (const Accuracy accuracy : {fp32, fp32_elementwise}) {
            const Kernel& kernel = cheapest(shape, Type::f32, accuracy);
            EXPECT_TRUE(kernel.rung >= Rung::hierarchical || kernel.rung == Rung::none)
                << kernel.name << ' ' << shape.m << 'x' << shape.n;
        }
}

TEST_F(Costs, FewRowsAlongKGoToTheKernelThatStreamsThem) {
    for (const std::int64_t m : {1, 8, 16})
        for (const Shape& shape : {Shape{m, 8192, 8192, by_columns}, {m, 14336, 4096, by_columns}}) {
            EXPECT_TRUE(is_of(cheapest(shape, Type::bf16), "few_rows")) << m << 'x' << shape.n;
            EXPECT_TRUE(is_of(cheapest(shape, Type::f32, fp32), "few_rows")) << m << 'x' << shape.n;
        }
}

// few_rows would gather their elements one by one: 33 us were seen; few_rows_fma takes 182 for 10995 x 9 x 1523.
TEST_F(Costs, FewLongRowsThatStartAnywhereAreNotGathered) {
    for (const Shape& shape : {Shape{16, 3068, 3022, by_columns}, {10995, 9, 1523, by_columns}}) {
        const Kernel& kernel = cheapest(shape, Type::f16);
        EXPECT_TRUE(is_of(kernel, "few_rows_anywhere")) << kernel.name;
    }
    EXPECT_TRUE(is_of(cheapest({16, 1068, 3022, by_columns}, Type::f16), "r9")) << "copies that L2 keeps";
}

// On an H200 remainders take .31 ms at 2048, r8 .33; they lose where C or the conversion costs more than the product.
TEST_F(Costs, LargeProductsOfDoublesGoByRemainders) {
    for (const Shape& shape : {Shape{2048, 2048, 2048}, {4096, 4096, 4096, by_columns}, {16384, 16384, 16384}})
        EXPECT_TRUE(is_of(cheapest(shape, Type::f64), "r10_split_remainders")) << shape.m;
    for (const Shape& shape : {Shape{1024, 1024, 1024}, {8192, 8192, 128}, {64, 8192, 8192}, {512, 512, 65600}})
        EXPECT_FALSE(is_of(cheapest(shape, Type::f64), "r10_split_remainders")) << shape.m << 'x' << shape.k;
}

TEST_F(Costs, SmallComplexProductsGoToRegistersAndToTheMatrixUnit) {
    for (const Shape& shape : {Shape{256, 256, 256}, {512, 512, 512, by_columns}}) {
        EXPECT_TRUE(is_of(cheapest(shape, Type::c64), "r7_hierarchical_complex")) << shape.m;
        EXPECT_TRUE(is_of(cheapest(shape, Type::c128), "r8_dmma_complex")) << shape.m;
    }
}

// c128 from about 1024 on, c64 from about 600 on: so it was on an H100.
TEST_F(Costs, LargeComplexProductsGoByRemainders) {
    for (const Type type : {Type::c64, Type::c128}) {
        for (const Shape& shape : {Shape{2048, 2048, 2048}, {8192, 8192, 8192, by_columns}})
            EXPECT_TRUE(is_of(cheapest(shape, type), "r10_split_remainders")) << shape.m;
        for (const Shape& shape : {Shape{256, 256, 256}, {16, 8192, 8192}, {512, 512, 65600}})
            EXPECT_FALSE(is_of(cheapest(shape, type), "r10_split_remainders")) << shape.m << 'x' << shape.k;
    }
}

// One tile of r7 or r10 takes microseconds for each hundred of k: 740 were seen for the first.
TEST_F(Costs, ALongProductOfFewTilesIsCut) {
    for (const Shape& shape : {Shape{103, 86, 52081}, {17, 16, 13661}, {155, 44, 80323, by_columns}, {128, 128, 1152}})
        for (const Accuracy accuracy : {fp32, fp32_elementwise}) {
            const Kernel& kernel = cheapest(shape, Type::f32, accuracy);
            EXPECT_TRUE(is_of(kernel, "few_tiles") || is_of(kernel, "few_rows_anywhere"))
                << kernel.name << ' ' << shape.m << 'x' << shape.n;
        }
    const Kernel& of_doubles = cheapest({100, 100, 50000}, Type::f64);
    EXPECT_TRUE(is_of(of_doubles, "few_tiles") || is_of(of_doubles, "r8_dmma")) << "which cuts them, too";
    EXPECT_TRUE(is_of(cheapest({26, 30, 289335}, Type::f16), "few_tiles"));
}

// 53 x 4096 x 4096 took 63 us by cuBLAS, 101 split before, 70 in parts by FMA.
TEST_F(Costs, WeightsOfF32AreSplitOnTheirWayToFewRows) {
    for (const std::int64_t m : {17, 33, 53, 64, 100})
        for (const Shape& shape :
             {Shape{m, 4096, 4096}, {m, 14336, 4096, by_columns}, {m, 4096, 14336}, {8192, m, 8192}})
            EXPECT_TRUE(is_of(cheapest(shape, Type::f32, fp32), "few_rows_split") ||
                        is_of(cheapest(shape, Type::f32, fp32), "few_rows_anywhere"))
                << m << " of " << shape.n;
    EXPECT_TRUE(is_of(cheapest({53, 4096, 4096}, Type::f32, fp32_elementwise), "few_rows_anywhere"));
}

// On an H100 r7 took 26, 50, 28, 60 and 110 us for these, slices of k 12, 29, 24, 44 and 78.
TEST_F(Costs, SmallProductsOfF32AreSlicedAmongWarps) {
    for (const Shape& shape : {Shape{384, 384, 384, by_columns},
                               {1536, 128, 1152, by_columns},
                               {686, 686, 686},
                               {21, 13763, 1011},
                               {18, 13998, 1903},
                               {311, 411, 2935},
                               {1183, 12, 14619, by_columns}}) {
        const Kernel& kernel = cheapest(shape, Type::f32, fp32_elementwise);
        EXPECT_TRUE(is_of(kernel, "few_tiles_sliced") || is_of(kernel, "few_tiles.f32.slices") ||
                    is_of(kernel, "few_rows_anywhere") || is_of(kernel, "few_steps"))
            << kernel.name << ' ' << shape.m << 'x' << shape.n;
    }
    for (const Shape& shape : {Shape{6167, 9044, 48, by_columns}, {128, 128, 64}, {56, 90, 2206}, {4096, 4096, 4096}})
        EXPECT_FALSE(is_of(cheapest(shape, Type::f32, fp32_elementwise), "few_tiles_sliced"))
            << shape.m << 'x' << shape.n << 'x' << shape.k;
}

// Rows that do one product at a time, three launches each, are not for shapes that come in batches.
// On an H200 slices took 5.6 and 8.2 us for 240 and 300 cubed, r7's little tile 5.4 and 7.4, tiles of 64 x 64 10.2 and
// 14.6.
TEST_F(Costs, SmallSquaresOfF32GoByR7sLittleTile) {
    for (const Shape& shape : {Shape{70, 92, 43}, {208, 208, 208}, {300, 300, 300, by_columns}})
        for (const Accuracy accuracy : {fp32, fp32_elementwise})
            EXPECT_TRUE(is_of(cheapest(shape, Type::f32, accuracy), "r7_hierarchical")) << shape.m;
    for (const Shape& shape : {Shape{16, 128, 128}, {16, 96, 192}})
        EXPECT_TRUE(is_of(cheapest(shape, Type::f32, fp32), "few_tiles_sliced")) << shape.n << ": few rows";
}

// 4096 x 4096 x 64 takes an H200 50 us by parts of tf32, r7 69; 96 x 192 x 512, 928 times, 409 and 752; 32 x 384 x 192,
// 415 times, 67 and by few_tiles_sliced 103.
TEST_F(Costs, AShortKAndBatchesAreOfFewSteps) {
    for (const Accuracy accuracy : {fp32, fp32_elementwise})
        for (const Shape& shape : {Shape{4096, 4096, 64, by_columns},
                                   {10354, 7564, 80, by_columns},
                                   {5127, 1251, 74, by_columns},
                                   {1024, 1024, 128},
                                   {512, 512, 80, by_columns},
                                   {96, 192, 512},
                                   {32, 384, 192, by_columns},
                                   {128, 128, 128},
                                   {512, 16, 32, by_columns}})
            EXPECT_TRUE(is_of(cheapest(shape, Type::f32, accuracy), "few_steps")) << shape.m << 'x' << shape.k;
    EXPECT_TRUE(is_of(cheapest({2544, 4586, 18}, Type::f32, fp32), "r7")) << "mostly C";
    EXPECT_TRUE(is_of(cheapest({48, 256, 16}, Type::f32, fp32), "r7")) << "mostly C";
}

// A B that lies across k: 128 x 64 x 128, 32 times, took an H200 4.4 us by few_steps_mma, 4.9 by r9, but 64 x 192 x
// 512, 290 times, 54 and 47; 7408 x 2484 x 16 27, by r7 44. Along k 128 x 128 x 128, 256 times, takes 15.5 by r9, 17.2
// by few_steps_mma.
TEST_F(Costs, SmallProductsAtTf32AreOfFewStepsMma) {
    for (const Shape& shape : {Shape{128, 64, 128}, {32, 100, 32}, {512, 32, 64}, {7408, 2484, 16}, {179, 3484, 139}})
        EXPECT_TRUE(is_of(cheapest(shape, Type::f32, tf32), "few_steps_mma")) << shape.m << 'x' << shape.k;
    for (const Shape& shape : {Shape{1024, 64, 1024},
                               {64, 192, 512},
                               {192, 384, 512},
                               {192, 128, 100},
                               {128, 128, 128, by_columns},
                               {2048, 2048, 80, by_columns}})
        EXPECT_TRUE(is_of(cheapest(shape, Type::f32, tf32), "r9")) << shape.m << 'x' << shape.k;
}

TEST_F(Costs, ShapesOfBatchesAreForRowsThatTakeThem) {
    for (const Shape& shape : {Shape{512, 512, 384},
                               {16, 128, 256, by_columns},
                               {48, 512, 512},
                               {1024, 128, 1024},
                               {1000, 64, 1000},
                               {1024, 1024, 128, by_columns},
                               {16, 384, 192, by_columns}})
        for (const Type type : {Type::f32, Type::bf16}) {
            const Kernel& kernel = cheapest(shape, type);
            EXPECT_TRUE(kernel.batching) << kernel.name << ' ' << shape.m << 'x' << shape.n << 'x' << shape.k;
        }
}

// Whichever way the weights lie, and whatever starts where; f32 in plain f32 where its parts would be made in memory.
TEST_F(Costs, FewRowsHaveTheirKernelsHoweverTheWeightsLie) {
    for (const std::int64_t m : {1, 4, 16}) {
        for (const Shape& shape : {Shape{m, 14336, 4096}, {m, 4096, 14336}, {m, 8192, 28672}}) {
            EXPECT_TRUE(is_of(cheapest(shape, Type::f32, fp32), "few_rows_fma")) << m << " of " << shape.n;
            EXPECT_TRUE(is_of(cheapest(shape, Type::f32, fp32_elementwise), "few_rows_fma")) << m << " of " << shape.n;
        }
        EXPECT_TRUE(m > 4 || is_of(cheapest({m, 10465, 2511}, Type::f32, fp32), "few_rows_anywhere"))
            << "rows that start anywhere";
    }
    EXPECT_TRUE(is_of(cheapest({28672, 1, 8192}, Type::f32, fp32), "few_rows_fma")) << "a column is contiguous";
    EXPECT_TRUE(is_of(cheapest({2, 1024, 1024, by_columns}, Type::f32, fp32_elementwise), "few_rows_fma"));
}

// A row of A has the bits of a large product's, at the pace of few rows.
TEST_F(Costs, ReproducibleFewRowsHaveARowOfR9sOrder) {
    const auto order = cheapest({4096, 4096, 4096}, Type::bf16).order;
    EXPECT_NE(order, 0);
    for (const std::int64_t m : {1, 16})
        for (const Form b : {Form::row_major, by_columns}) {
            const Kernel& kernel = cheapest({m, 4096, 4096, b}, Type::bf16, {}, order);
            EXPECT_TRUE(is_of(kernel, "few_rows_turned")) << kernel.name << ' ' << m;
        }
}

// The weights are read once: from 8 rows on tiles of 16 of the matrix unit are quicker.
TEST_F(Costs, FewRowsOfWideNumbersAreReadAtTheMemorysPace) {
    for (const Type type : {Type::f64, Type::c64, Type::c128})
        for (const std::int64_t m : {1, 2, 4})
            for (const Form b : {Form::row_major, by_columns})
                EXPECT_TRUE(is_of(cheapest({m, 4096, 4096, b}, type), "few_rows_wide")) << name_of(type) << ' ' << m;
    for (const std::int64_t m : {16, 24, 64})
        for (const Form b : {Form::row_major, by_columns}) {
            EXPECT_TRUE(is_of(cheapest({m, 8192, 8192, b}, Type::f64), "r8_dmma")) << m;
            EXPECT_TRUE(is_of(cheapest({m, 8192, 8192, b}, Type::c128), "r8_dmma_complex")) << m;
        }
}

TEST_F(Costs, ALongKOfComplexNumbersIsCut) {
    for (const Type type : {Type::c64, Type::c128}) {
        const Kernel& one = cheapest({64, 64, 20000, by_columns}, type);
        EXPECT_TRUE(is_of(one, "few_tiles") || one.cuts) << one.name;
        EXPECT_FALSE(is_of(cheapest({1024, 1024, 1024}, type), "few_tiles")) << name_of(type);
    }
}

}  // namespace
