// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The effort dial's products through the table of calls: how many launches they are, and that no failing call is
// hidden.
#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

#include "backend/cuda/device/entry.hpp"
#include "backend/cuda/device/failure.hpp"
#include "backend/cuda/effort/effort.hpp"
#include "rooms/backend/cuda/on_fake_runtime.hpp"

extern "C" const tw::Backend* tilewright_cuda_backend(unsigned long long stamp) noexcept;

namespace {

using namespace tw;

class CudaEffort : public test::OnFakeRuntime {};

EffortPlaced matrix_of(EffortLayout layout, Type type, int bucket) {
    EffortPlaced m;
    m.layout = layout, m.type = type, m.outputs = 600, m.inputs = 300, m.units = 3, m.bucket = bucket, m.experts = 2;
    m.outputs_of_tile = layout == EffortLayout::planes ? 256 : 1024;
    m.tiles = (m.outputs + m.outputs_of_tile - 1) / m.outputs_of_tile, m.dense_tiles = 3;
    m.weights[0] = 5, m.weights[1] = 4, m.weights[2] = 8;
    return m;
}

struct Case {
    EffortPlaced matrix;
    bool is_chosen, is_dense;
    int launches;
};

std::vector<Case> cases() {
    std::vector<Case> all;
    for (const Type type : {Type::f16, Type::bf16, Type::f32}) {
        all.push_back({matrix_of(EffortLayout::tiers, type, 16), false, false, 1});
        all.push_back({matrix_of(EffortLayout::tiers, type, 16), false, true, 1});
    }
    for (const int bucket : {8, 16, 32})
        all.push_back({matrix_of(EffortLayout::buckets, Type::f16, bucket), false, false, 1});
    EffortPlaced long_buckets = matrix_of(EffortLayout::buckets, Type::f16, 16);
    long_buckets.units = 16, long_buckets.inputs = 14336;  // two blocks of a cluster choose together
    all.push_back({long_buckets, false, false, 1});
    EffortPlaced planes = matrix_of(EffortLayout::planes, Type::f16, 0);
    for (const int inputs : {300, 3000, 8000, 16384}) planes.inputs = inputs, all.push_back({planes, false, false, 1});
    planes.inputs = 16385;  // more than the blocks of a tile can choose from
    for (const bool is_chosen : {false, true}) all.push_back({planes, is_chosen, false, is_chosen ? 1 : 2});
    return all;
}

const EffortKernel& row_for(const Case& one) {
    for (const EffortKernel* row : cuda::effort_rows)
        if (one.is_dense ? row->is_dense : !row->is_dense && row->layout == one.matrix.layout) return *row;
    throw std::logic_error("no row");
}

Status run(const Case& one, int products, const int* experts_there = nullptr) {
    static const int experts[17] = {0, 1};
    static std::vector<float> v(25000), y(600 * 17);
    static std::vector<EffortChosen> chosen(17);
    static std::vector<EffortEntry> entries(17 * 16385);
    const EffortKernel& row = row_for(one);
    std::vector<std::byte> scratch(row.scratch_bytes(one.matrix, products));
    const EffortCall call{.matrix = one.matrix,
                          .products = products,
                          .experts = {experts, static_cast<std::size_t>(products)},
                          .experts_there = experts_there,
                          .v = v.data(),
                          .y = y.data(),
                          .y_step = 600,
                          .notes = {chosen.data(), entries.data()},
                          .is_chosen = one.is_chosen,
                          .reached = 100,
                          .affordable = 100,
                          .scratch = scratch};
    return row.run(call);
}

TEST_F(CudaEffort, TheBackendHasTheRows) {
    EXPECT_EQ(tilewright_cuda_backend(cuda::contract_stamp)->effort.data(), cuda::effort_rows);
}

TEST_F(CudaEffort, ACallIsTwoLaunchesOrOne) {
    for (const Case& one : cases()) {
        const int before = test::launches();
        ASSERT_TRUE(run(one, 16));
        EXPECT_EQ(test::launches() - before, one.launches) << name_of(one.matrix.layout) << ' ' << one.matrix.inputs;
    }
}

TEST_F(CudaEffort, ExpertsThatOnlyTheDeviceKnowsAreForPlanesOfOneLaunch) {
    const int there[16] = {};
    for (const Case& one : cases()) {
        const bool is_one_launch = one.matrix.layout == EffortLayout::planes && one.matrix.inputs <= 16384;
        const int before = test::launches();
        EXPECT_EQ(run(one, 16, there).code, is_one_launch ? Code::ok : Code::unsupported)
            << name_of(one.matrix.layout) << ' ' << one.matrix.inputs;
        EXPECT_EQ(test::launches() - before, is_one_launch ? 1 : 0);
    }
}

TEST_F(CudaEffort, EveryFailingCallIsReported) {
    constexpr cudaError_t errors[] = {cudaErrorInvalidValue, cudaErrorMemoryAllocation, cudaErrorLaunchFailure};
    for (const Case& one : cases()) {
        SetUp();
        ASSERT_TRUE(run(one, 2));
        const int calls = test::calls_made();
        int reported = 0;
        for (int j = 1; j <= calls; ++j)
            for (const cudaError_t error : errors) {
                cuda::revive();
                test::fail_call(j, error);
                const Status status = run(one, 2);
                if (status) continue;
                EXPECT_STRNE(status.text, "");
                ++reported;
            }
        EXPECT_GE(reported, one.launches * static_cast<int>(std::size(errors)))
            << name_of(one.matrix.layout) << " hides a failed launch";
    }
}

TEST_F(CudaEffort, ADeadDeviceAndCallsThatAreTooLargeAreRefused) {
    const Case one = cases().back();
    EXPECT_EQ(run(one, 17).code, Code::bad_argument);
    EXPECT_FALSE(cuda::status_of(cudaErrorIllegalAddress, cuda::Step::wait));
    EXPECT_EQ(run(one, 1).code, Code::device_failed);
}

}  // namespace
