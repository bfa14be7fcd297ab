// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "plan/dial_store.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

namespace tw {
namespace {

struct File {
    std::string path = testing::TempDir() + "tilewright_dial_store_" + std::to_string(getpid());
    ~File() {
        unlink(path.c_str());
        unlink((path + ".lock").c_str());
    }
};

TEST(DialStore, WhatIsRememberedIsFoundAgainForThatMatrixAlone) {
    const File file;
    const DialMatrix planes{EffortLayout::planes, 14336, 4096, Type::f16, "avx512"};
    EXPECT_EQ(store_tuning(file.path, planes, {9, 1 << 20}), "");
    EXPECT_EQ(store_tuning(file.path, planes, {1.37, 300'000}), "");
    const Store store = read_store(file.path, dial_store_key());
    ASSERT_EQ(store.records.size(), 1u) << "the second takes the first one's place";
    const DialTuning found = tuning_in(store, planes);
    EXPECT_DOUBLE_EQ(found.byte_cost, 1.37);
    EXPECT_EQ(found.bytes_a_thread, 293 * 1024);
    for (DialMatrix other : {DialMatrix{EffortLayout::tiers, 14336, 4096, Type::f16, "avx512"},
                             DialMatrix{EffortLayout::planes, 14336, 4097, Type::f16, "avx512"},
                             DialMatrix{EffortLayout::planes, 4096, 4096, Type::f16, "avx512"},
                             DialMatrix{EffortLayout::planes, 14336, 4096, Type::f32, "avx512"},
                             DialMatrix{EffortLayout::planes, 14336, 4096, Type::f16, "cuda"}})
        EXPECT_EQ(tuning_in(store, other).byte_cost, 0) << other.kernels;
}

TEST(DialStore, ItsRecordsAndThoseOfProductsLeaveEachOtherAlone) {
    const File file;
    const Tuned product{.m = 10,
                        .n = 1,
                        .k = 20,
                        .in = Type::f16,
                        .out = Type::f16,
                        .accuracy = fp32,
                        .kernel = "cpu.r7_hierarchical.f32.avx2"};
    ASSERT_EQ(add_to_store(file.path, store_key(), {&product, 1}), "");
    ASSERT_EQ(store_tuning(file.path, {EffortLayout::tiers, 10, 20, Type::f16, "avx2"}, {3, 0}), "");
    const Store products = read_store(file.path, store_key()), dials = read_store(file.path, dial_store_key());
    ASSERT_EQ(products.records.size(), 1u);
    EXPECT_EQ(products.records.front().kernel, product.kernel);
    EXPECT_EQ(products.trouble, "");
    EXPECT_EQ(dials.records.size(), 1u);
    EXPECT_EQ(dials.trouble, "");
}

}  // namespace
}  // namespace tw
