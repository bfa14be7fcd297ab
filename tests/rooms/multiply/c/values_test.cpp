// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Every field of the C interface's structs arrives, and none that an older caller's struct does not have.
#include "multiply/c/values.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>

#include "tilewright/batch.hpp"

namespace {

using tw::c_face::from_c;

TEST(CValues, EveryOptionArrives) {
    int stream = 0;
    std::byte scratch[64];
    const tw_executor own{&stream, [](void*, int, void (*)(void*, int), void*) {}};
    tw_options c = tw_default_options();
    c.alpha = 2, c.beta = 3;
    c.accuracy = "tf32", c.device = "cpu", c.kernel = "r1_naive";
    c.stream = &stream, c.executor = &own;
    c.scratch = scratch, c.scratch_bytes = sizeof scratch;
    c.threads = 5, c.reproducible = 1, c.verify = 1, c.slabs = 8;
    tw::Options options;
    tw::Executor executor;
    ASSERT_TRUE(from_c(&c, executor, options));
    EXPECT_EQ(options.alpha, 2);
    EXPECT_EQ(options.beta, 3);
    EXPECT_EQ(options.accuracy, tw::tf32);
    EXPECT_EQ(options.device, "cpu");
    EXPECT_EQ(options.kernel, "r1_naive");
    EXPECT_EQ(options.stream, &stream);
    ASSERT_EQ(options.executor, &executor);
    EXPECT_EQ(executor.self, &stream);
    EXPECT_EQ(executor.run, own.run);
    EXPECT_EQ(options.scratch.data(), scratch);
    EXPECT_EQ(options.scratch.size(), sizeof scratch);
    EXPECT_EQ(options.threads, 5);
    EXPECT_TRUE(options.reproducible);
    EXPECT_EQ(options.verify, tw::Verify::check);
    for (const auto& [number, level] :
         {std::pair{TW_VERIFY_OFF, tw::Verify::off}, {TW_VERIFY_CORRECT, tw::Verify::correct}}) {
        c.verify = number;
        ASSERT_TRUE(from_c(&c, executor, options));
        EXPECT_EQ(options.verify, level);
    }
    c.verify = -1;  // once any number but 0 did
    ASSERT_TRUE(from_c(&c, executor, options));
    EXPECT_EQ(options.verify, tw::Verify::check);
    EXPECT_EQ(options.slabs, 8);
}

TEST(CValues, WhatAnOlderStructHasNotIsTheDefault) {
    tw_options c = tw_default_options();
    std::memset(reinterpret_cast<std::byte*>(&c) + offsetof(tw_options, threads), 0x5a,
                sizeof c - offsetof(tw_options, threads));
    c.size = offsetof(tw_options, threads);
    tw::Options options;
    tw::Executor executor;
    ASSERT_TRUE(from_c(&c, executor, options));
    EXPECT_EQ(options.threads, 0);
    EXPECT_FALSE(options.reproducible);
    EXPECT_FALSE(options.verify);
    // The first version ended in padding behind `verify`, which may hold anything.
    static_assert(offsetof(tw_options, slabs) == (offsetof(tw_options, verify) + sizeof(int) + 7) / 8 * 8);
    c.size = offsetof(tw_options, slabs);
    ASSERT_TRUE(from_c(&c, executor, options));
    EXPECT_EQ(options.slabs, 0);
    c.size = 1;
    EXPECT_EQ(from_c(&c, executor, options).code, tw::Code::bad_argument);
}

TEST(CValues, AnOlderBatchHasNoPointers) {
    float a[4] = {1, 2, 3, 4}, one[4] = {1, 0, 0, 1}, c[8] = {};
    const tw_matrix am{a, TW_F32, 2, 2, 2, 1}, bm{one, TW_F32, 2, 2, 2, 1}, cm{c, TW_F32, 2, 2, 2, 1};
    tw_batch batch;
    std::memset(&batch, 0x5a, sizeof batch);  // an older caller's memory goes on behind its struct
    batch.size = offsetof(tw_batch, a);
    batch.count = 2, batch.a_step = 0, batch.b_step = 0, batch.c_step = 4;
    ASSERT_EQ(tw_multiply_batch(&am, &bm, &cm, &batch, nullptr), TW_OK) << tw_last_error();
    for (int i = 0; i < 8; ++i) EXPECT_EQ(c[i], a[i % 4]);
}

}  // namespace
