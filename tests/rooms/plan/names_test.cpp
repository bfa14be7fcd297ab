// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// What a person may call a kernel: wherever a name is taken.
#include "plan/names.hpp"

#include <gtest/gtest.h>

#include <string>

#include "plan/registry.hpp"

namespace tw {
namespace {

Kernel called(const char* name, Rung rung) {
    Kernel kernel = *find_backend("cpu")->ladder.front();
    kernel.name = name, kernel.rung = rung;
    return kernel;
}

void expect_names(const Kernel& kernel, std::initializer_list<const char*> names,
                  std::initializer_list<const char*> names_of_others) {
    for (const char* name : names) EXPECT_TRUE(answers_to(kernel, name)) << name << " for " << kernel.name;
    for (const char* name : names_of_others) EXPECT_FALSE(answers_to(kernel, name)) << name << " for " << kernel.name;
}

TEST(Names, AKernelAnswersToItsRungItsNumberAndPrefixesOfItsOwn) {
    expect_names(called("cpu.r10_split.f32.bf16x6.amx", Rung::split),
                 {"r10", "r10_split", "cpu", "cpu.r10_split", "r10_split.f32", "r10_split.f32.bf16x6.amx",
                  "cpu.r10_split.f32.bf16x6.amx"},
                 {"", "r", "r1", "r10_", "10", "split", "cpu.", "r10_split.f", "cuda.r10_split", "r10.f32"});
    expect_names(called("cpu.r1_naive.f64", Rung::naive), {"r1", "naive", "r1_naive"}, {"r10", "coalescing"});
}

TEST(Names, EveryKernelAnswersToTheNameOfItsFileAndOfItsRung) {
    for (const BackendSource& source : backends())
        for (const Kernel* kernel : source().ladder) {
            EXPECT_TRUE(answers_to(*kernel, file_of(*kernel))) << kernel->name;
            EXPECT_TRUE(answers_to(*kernel, stem_of(*kernel))) << kernel->name;
            EXPECT_TRUE(file_of(*kernel).starts_with(stem_of(*kernel)) ||
                        file_of(*kernel).substr(0, 3) == std::string_view(stem_of(*kernel)).substr(0, 3))
                << kernel->name;
            EXPECT_EQ(find_kernel(kernel->name), kernel);
        }
}

/// Few rows and few tiles are classes of shapes, beside the climb: no number means them.
TEST(Names, KernelsForFewRowsHaveNoRung) {
    for (const BackendSource& source : backends())
        for (const Kernel* kernel : source().ladder) {
            const bool is_beside_the_climb = file_of(*kernel).starts_with("few_");
            EXPECT_EQ(kernel->rung == Rung::none, is_beside_the_climb) << kernel->name;
            if (is_beside_the_climb) expect_names(*kernel, {"few_rows"}, {"few", "r6", "r8", "r9", "r10", "r0"});
        }
}

TEST(Names, NamesOfEarlierVersionsStillMeanTheirKernels) {
    expect_names(
        called("cpu.few_rows.f32.avx512", Rung::none),
        {"few_rows", "few_rows.f32", "r6_skinny", "r6_skinny.f32", "cpu.r6_skinny", "cpu.r6_skinny.f32.avx512"},
        {"r6_vectorized", "r8_skinny", "r6", "cuda.r6_skinny", "r6_skinny.f64", "r6_skin", "few_rows_async"});
    expect_names(called("cuda.few_rows.bf16.f32", Rung::none),
                 {"r8_skinny", "r8_skinny.bf16", "cuda.r8_skinny", "r8_matrix_unit.bf16.f32.skinny",
                  "cuda.r8_matrix_unit.bf16.f32.skinny"},
                 {"r8_matrix_unit", "r8_matrix_unit.bf16", "cuda.r8_matrix_unit.bf16.f32", "r9_skinny",
                  "cuda.r8_matrix_unit.bf16.skinny", "few_rows_async"});
    expect_names(called("cuda.few_rows_async.f32", Rung::none),
                 {"few_rows", "few_rows_async", "r9_skinny", "r9_skinny.f32", "cuda.r9_async_pipeline.f32.skinny"},
                 {"r8_skinny", "r9_async_pipeline", "r9_async_pipeline.f32", "cuda.few_rows"});
    for (const char* name : {"metal.few_rows.f16", "metal-check.few_rows.f16"})
        expect_names(called(name, Rung::none), {"r10_split", "r10_split.f16", "few_rows"}, {"r10", "r10_split.f32"});
    expect_names(
        called("cpu.r10_split_int8.f32.int8x8.avx512", Rung::split),
        {"r10", "r10_split", "r10_split_int8", "cpu.r10_split", "r10_split.f32", "cpu.r10_split.f32.int8x8.avx512"},
        {"cpu.r10_split.f32.int8x6.avx512", "r10_split_sampled"});
    expect_names(called("cpu.r10_split_sampled.f32.amx", Rung::split),
                 {"r10", "r10_split", "r10_split_sampled", "cpu.r10_split.f32.sampled.amx", "r10_split.f32.sampled"},
                 {"r10_split_int8"});
}

TEST(Names, AFullNameOfAnEarlierVersionFindsItsKernelAndNoOther) {
    const Kernel* const now = find_kernel("cpu.few_rows.f32.portable");
    ASSERT_TRUE(now);
    EXPECT_EQ(find_kernel("cpu.r6_skinny.f32.portable"), now);
    EXPECT_EQ(find_kernel("cpu.r6_skinny.f32"), nullptr);
    EXPECT_EQ(find_kernel("r6_skinny.f32.portable"), nullptr);
    EXPECT_EQ(find_kernel("cpu-check.r10_split.f32.sampled"), find_kernel("cpu-check.r10_split_sampled.f32"));
    EXPECT_TRUE(is_called(called("cuda.few_rows_async.f16.f32", Rung::none), "cuda.r9_async_pipeline.f16.f32.skinny"));
    EXPECT_FALSE(is_called(called("cuda.few_rows.f16.f32", Rung::none), "cuda.r9_async_pipeline.f16.f32.skinny"));
}

}  // namespace
}  // namespace tw
