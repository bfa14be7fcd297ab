// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Every row on operands, results and scratch that each end where their allocation does: a few products only, so that
// compute-sanitizer can watch each of them (tools/cuda_sanitized).
#include <algorithm>

#include "reference/judge.hpp"
#include "rooms/backend/cuda/on_device.hpp"

namespace on_device {
namespace {

struct Product {
    std::int64_t m, n, k;
    bool b_by_columns, c_by_columns;
    double beta;
};
/// Less than a tile and more than one, k odd and even, and shapes that the skinny kernels take, from both sides.
constexpr Product products[] = {{45, 67, 70, true, false, 0},     {130, 264, 136, true, false, 0},
                                {150, 97, 33, false, false, 0.5}, {136, 72, 200, false, true, 0},
                                {7, 100, 1032, true, false, 0},   {16, 40, 260, true, false, 0.5},
                                {75, 3, 264, true, false, 0}};

/// Device memory that is given back; at least a byte.
struct Bytes {
    explicit Bytes(std::size_t count) : size(count), data(cuda().alloc(count ? count : 1)) {}
    ~Bytes() { cuda().free(data); }
    Bytes(const Bytes&) = delete;
    Bytes& operator=(const Bytes&) = delete;
    std::size_t size;
    void* data;
};

Matrix in(void* data, Type type, std::int64_t rows, std::int64_t cols, bool by_columns) {
    return by_columns ? Matrix{data, type, rows, cols, 1, rows} : Matrix{data, type, rows, cols, cols, 1};
}

/// Of small tiles two and a piece of a third are enough: racecheck looks at every access.
Product of_a_few(const Tile& tile, Product w) {
    if (tile == Tile{}) return w;
    w.m = std::min(w.m, 2 * std::int64_t{tile.m} + 13), w.n = std::min(w.n, 2 * std::int64_t{tile.n} + 3);
    // Where k of a tile is no length, but says how tiles are walked or k is cut, so many suffice.
    const std::int64_t depth = tile.k > 0 ? tile.k : 16;
    w.k = std::min(w.k, 4 * depth + w.k % 2 + 4);
    return w;
}

/// False where the row does not take it.
bool judged(const Kernel& kernel, const Product& w, const Tile& tile) {
    const Problem problem{.m = w.m,
                          .n = w.n,
                          .k = w.k,
                          .in = kernel.in,
                          .out = kernel.out,
                          .place = Place::cuda,
                          .b = w.b_by_columns ? Form::col_major : Form::row_major,
                          .c = w.c_by_columns ? Form::col_major : Form::row_major};
    if (kernel.takes && !kernel.takes(problem)) return false;
    Values a(kernel.in, w.m * w.k, 1), b(kernel.in, w.k * w.n, 2), c(kernel.out, w.m * w.n, 3);
    const std::vector<std::byte> before = c.bring();
    const Bytes scratch(kernel.scratch_bytes ? kernel.scratch_bytes(problem, tile, 1) : 0);
    const Call call{.a = a.rows(w.m, w.k),
                    .b = w.b_by_columns ? b.columns(w.k, w.n) : b.rows(w.k, w.n),
                    .c = w.c_by_columns ? c.columns(w.m, w.n) : c.rows(w.m, w.n),
                    .alpha = 0.75,
                    .beta = w.beta,
                    .scratch = {static_cast<std::byte*>(scratch.data), scratch.size}};
    const Status status = kernel.run(call, tile);
    EXPECT_TRUE(status.is_ok()) << status.text;
    c.bring();
    std::vector<std::byte> c0 = before;
    const reference::Question question{in(a.on_host().data, kernel.in, w.m, w.k, false),
                                       in(b.on_host().data, kernel.in, w.k, w.n, w.b_by_columns),
                                       in(c0.data(), kernel.out, w.m, w.n, w.c_by_columns), call.alpha, call.beta};
    const reference::Verdict verdict = judge(question, in(c.on_host().data, kernel.out, w.m, w.n, w.c_by_columns),
                                             {.bound = certificate(kernel, w.k), .flush = kernel.scheme->flush_loss});
    EXPECT_TRUE(verdict.ok) << w.m << 'x' << w.n << 'x' << w.k << " tile " << tile.n << ": " << verdict.sentence();
    return true;
}

class TightMemory : public testing::TestWithParam<const Kernel*> {};

TEST_P(TightMemory, HoldsEveryReadAndWrite) {
    const Kernel& kernel = *GetParam();
    if (cuda().devices() == 0) GTEST_SKIP() << cuda().absence();
    if (!runs(kernel)) GTEST_SKIP() << "this device lacks what it needs";
    constexpr std::size_t few_tiles = 8;
    int taken = 0;
    for (const Product& product : products)
        for (const Tile& tile : kernel.tiles)
            if (kernel.tiles.size() < few_tiles || has_its_turn(3))
                taken += judged(kernel, of_a_few(tile, product), tile);
    if (taken == 0) GTEST_SKIP() << kernel.name << " takes none of these shapes: the sweep has shapes of its own";
}

std::string name_of_row(const testing::TestParamInfo<const Kernel*>& info) {
    std::string name = info.param->name;
    for (char& letter : name)
        if (letter == '.') letter = '_';
    return name;
}

INSTANTIATE_TEST_SUITE_P(Rows, TightMemory, testing::ValuesIn(cuda().ladder.begin(), cuda().ladder.end()), name_of_row);

}  // namespace
}  // namespace on_device
