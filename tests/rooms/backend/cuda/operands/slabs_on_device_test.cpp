// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Rule 40 on the device: halves of k by themselves, and the whole, by every row that `reproducible` takes.
#include <algorithm>

#include "rooms/backend/cuda/on_device.hpp"

namespace on_device {
namespace {

class SlabsOnDevice : public OnDevice {};

/// The rows by their names, of one type of operands, and choose()'s own: "".
std::vector<std::string> reproducible_rows(Type in) {
    std::vector<std::string> names{""};
    const Type sum = in == Type::f64 ? Type::f64 : Type::f32;
    const Problem large{.m = 4096, .n = 4096, .k = 64, .in = in, .out = sum, .place = Place::cuda};
    for (const Kernel* kernel : cuda().ladder)
        if (kernel->order != 0 && kernel->in == in && kernel->out == sum && runs(*kernel) &&
            (!kernel->takes || kernel->takes(large)))
            names.emplace_back(kernel->name);
    return names;
}

void compare(Type in, const std::string& row, std::int64_t m, std::int64_t n, std::int64_t k, double scale = 1) {
    const Type sum = in == Type::f64 ? Type::f64 : Type::f32;
    Values a(in, m * k, 1);
    const Values b(in, k * n, 2);
    for (std::int64_t i = 0; i < m * k; ++i) store_element(a.on_host(), 0, i, scale * a[i]);
    a.send();
    Values whole(sum, m * n, 3), left(sum, m * n, 4), right(sum, m * n, 5);
    const std::int64_t half = (k + 1) / 2;
    const Matrix am = a.rows(m, k), bm = b.columns(k, n);
    const auto run = [&](const Matrix& x, const Matrix& y, const Values& to, int slabs) {
        const Status status = try_multiply(x, y, to.rows(m, n), {.slabs = slabs, .kernel = row});
        ASSERT_TRUE(status.is_ok()) << row << ": " << status.text;
    };
    run(am, bm, whole, 8);
    run(am.block(0, 0, m, half), bm.block(0, 0, half, n), left, 4);
    run(am.block(0, half, m, k - half), bm.block(half, 0, k - half, n), right, 4);
    whole.bring(), left.bring(), right.bring();
    for (std::int64_t i = 0; i < m * n; ++i) {
        const double exact = left[i] + right[i];
        ASSERT_EQ(whole[i], sum == Type::f64 ? exact : static_cast<double>(static_cast<float>(exact)))
            << row << ", " << name_of(in) << ", k " << k << ", element " << i;
    }
}

TEST_F(SlabsOnDevice, Rule40_HalvesOfKHaveTheBitsOfHalvesOfTheTree) {
    for (const Type in : {Type::f32, Type::f64, Type::bf16, Type::f16})
        for (const std::string& row : reproducible_rows(in)) {
            if (!has_its_turn(3)) continue;
            compare(in, row, 70, 136, 1024);
            compare(in, row, 33, 20, 1027);
        }
}

// One kernel takes all slabs of a tile where they are of one length: with several waves of tiles, steps that are not
// whole, rows that are split late, and sums below 2^-126, which the L2 does not add.
TEST_F(SlabsOnDevice, Rule40_OneKernelAddsThatTree) {
    const std::string row = "cuda.r10_split.f32.fp16x3";
    const std::vector<std::string> rows = reproducible_rows(Type::f32);
    if (std::find(rows.begin(), rows.end(), row) == rows.end()) GTEST_SKIP() << row << " does not run here";
    compare(Type::f32, row, 1537, 1345, 8 * 134);
    compare(Type::f32, row, 200, 300, 8 * 40, 0x1p-130);
    if (test::is_thinned()) return;
    compare(Type::f32, row, 2600, 4200, 8 * 40);
    compare(Type::f32, row, 4000, 3100, 8);
}

TEST_F(SlabsOnDevice, ANarrowCAndTheScalarsComeAfterTheTree) {
    constexpr std::int64_t m = 40, n = 56, k = 320;
    const Values a(Type::bf16, m * k, 1), b(Type::bf16, k * n, 2);
    Values sums(Type::f32, m * n, 3), c(Type::bf16, m * n, 4), right(Type::bf16, m * n, 4);
    ASSERT_TRUE(try_multiply(a.rows(m, k), b.rows(k, n), sums.rows(m, n), {.slabs = 4}).is_ok());
    sums.bring();
    for (std::int64_t i = 0; i < m * n; ++i)
        store_element(right.on_host(), 0, i, static_cast<double>(static_cast<float>(0.5 * sums[i] + 2 * c[i])));
    ASSERT_TRUE(try_multiply(a.rows(m, k), b.rows(k, n), c.rows(m, n), {.alpha = 0.5, .beta = 2, .slabs = 4}).is_ok());
    c.bring();
    for (std::int64_t i = 0; i < m * n; ++i) ASSERT_EQ(c[i], right[i]) << i;
}

}  // namespace
}  // namespace on_device
