// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Panels there and tiles back through a small ring, on a device that is late with everything.
#include "carry/conveyor.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "plan/registry.hpp"
#include "rooms/carry/late_device.hpp"

namespace {

using namespace tw;

constexpr int first_event = 10, ready = 0, gone = 1;

struct Panel {
    std::vector<float> numbers;
    Matrix view;

    Panel(std::int64_t rows, std::int64_t cols, std::int64_t row_step, std::int64_t col_step, float first)
        : numbers(static_cast<std::size_t>((rows - 1) * row_step + (cols - 1) * col_step + 1), -1),
          view{numbers.data(), Type::f32, rows, cols, row_step, col_step} {
        if (first < 0) return;
        for (std::int64_t i = 0; i < rows; ++i)
            for (std::int64_t j = 0; j < cols; ++j) *at(i, j) = first++;
    }
    Panel(const Panel&) = delete;
    float* at(std::int64_t i, std::int64_t j) const { return static_cast<float*>(view.at(i, j)); }
};

void start(std::size_t page_locked, unsigned seed = 1, const void* locked = nullptr) {
    test::start(
        {.kernel = find_backend("cpu")->ladder.front(), .page_locked = page_locked, .locked = locked, .seed = seed});
}

const Call two_threads{.a = {}, .b = {}, .c = {}, .threads = 2}, many_threads{.a = {}, .b = {}, .c = {}, .threads = 32};

/// There, marked as ready, and back to another place of the host.
Status there_and_back(const Matrix& from, const Matrix& device, const Matrix& back, const Call& call = two_threads) {
    Conveyor conveyor(test::late_backend(), call, first_event);
    const auto all = [&]() -> Status {
        if (const Status bad = conveyor.open(); !bad) return bad;
        if (const Status bad = conveyor.send(device, from); !bad) return bad;
        if (const Status bad = test::late_backend().async_copies->record(ready, conveyor.upload_stream()); !bad)
            return bad;
        if (const Status bad = conveyor.fetch(back, device, ready, gone); !bad) return bad;
        if (const Status bad = conveyor.enqueue_up_to(0); !bad) return bad;
        return conveyor.drain();
    };
    const Status ended = all();
    if (!ended) conveyor.stop();
    return ended;
}

void expect_equal(const Panel& got, const Panel& wanted) {
    for (std::int64_t i = 0; i < wanted.view.rows; ++i)
        for (std::int64_t j = 0; j < wanted.view.cols; ++j)
            ASSERT_EQ(*got.at(i, j), *wanted.at(i, j)) << i << ", " << j;
}

// Pieces of which each thread has a part: rows where they go round, else columns, and lines of the cache are whole.
TEST(Conveyor, ManyThreadsShareAPiece) {
    for (const std::int64_t rows : {1, 20, 63, 64, 100}) {
        start(std::size_t{24} << 20);
        const std::int64_t cols = 40001, pitch = cols + 9;
        const Panel from(rows, cols, pitch, 1, 1), device(rows, cols, cols, 1, -1), back(rows, cols, pitch, 1, -1);
        ASSERT_TRUE(there_and_back(from.view, device.view, back.view, many_threads));
        EXPECT_TRUE(test::is_idle());
        expect_equal(back, from);
    }
}

// Many times round the ring; a row that is longer than a piece; steps of every kind, and what lies between is left
// alone.
TEST(Conveyor, BringsEveryElementThereAndBack) {
    struct Steps {
        std::int64_t rows, cols, row_step, col_step;
    };
    for (const Steps& s : {Steps{40, 33, 33, 1}, {40, 33, 50, 1}, {33, 40, 1, 33}, {20, 10, 64, 3}, {2, 3000, 3000, 1}})
        for (const unsigned seed : {1u, 2u, 3u, 4u}) {
            start(4096, seed);
            const Panel from(s.rows, s.cols, s.row_step, s.col_step, 1);
            const bool by_columns = s.row_step == 1;
            const Panel device(s.rows, s.cols, by_columns ? 1 : s.cols, by_columns ? s.rows : 1, -1);
            const Panel back(s.rows, s.cols, s.row_step, s.col_step, -1);
            ASSERT_TRUE(there_and_back(from.view, device.view, back.view));
            EXPECT_TRUE(test::is_idle());
            expect_equal(device, from);
            expect_equal(back, from);
            if (s.col_step == 1 && s.row_step > s.cols) {
                EXPECT_EQ(back.numbers[static_cast<std::size_t>(s.cols)], -1) << "between rows";
            }
        }
}

// Elements that lie apart on the host go one by one, whole, and what lies between them is left alone.
TEST(Conveyor, BringsElementsOfEverySize) {
    constexpr std::int64_t rows = 20, cols = 10, row_step = 64, col_step = 3;
    constexpr std::byte untouched{0xee};
    constexpr std::size_t no_nan = 96;
    for (const Type type : {Type::f16, Type::bf16, Type::f32, Type::f64, Type::c64, Type::c128}) {
        start(4096);
        const std::size_t size = size_of(type);
        std::vector<std::byte> numbers(rows * row_step * size), there(rows * cols * size),
            again(numbers.size(), untouched);
        for (std::size_t at = 0; at < numbers.size(); ++at)
            numbers[at] = static_cast<std::byte>(at * at % 251 % no_nan);
        const Matrix from{numbers.data(), type, rows, cols, row_step, col_step},
            back{again.data(), type, rows, cols, row_step, col_step};
        ASSERT_TRUE(there_and_back(from, {there.data(), type, rows, cols, cols}, back));
        std::vector<std::byte> wanted(numbers.size(), untouched);
        for (std::int64_t i = 0; i < rows; ++i)
            for (std::int64_t j = 0; j < cols; ++j) {
                const auto at = static_cast<std::size_t>(i * row_step + j * col_step) * size;
                std::memcpy(&wanted[at], &numbers[at], size);
            }
        EXPECT_EQ(again, wanted) << name_of(type);
    }
}

TEST(Conveyor, PageLockedMemoryGoesWithoutTheRing) {
    const Panel from(64, 64, 64, 1, 1), device(64, 64, 64, 1, -1), back(64, 64, 64, 1, -1);
    start(4096);
    ASSERT_TRUE(there_and_back(from.view, device.view, back.view));
    const int through_the_ring = test::calls_for_work();
    start(4096, 1, from.view.data);
    ASSERT_TRUE(there_and_back(from.view, device.view, back.view));
    EXPECT_LT(test::calls_for_work(), through_the_ring);
    expect_equal(back, from);
}

TEST(Conveyor, NeedsARing) {
    const Panel from(4, 4, 4, 1, 1), device(4, 4, 4, 1, -1);
    start(0);
    EXPECT_EQ(there_and_back(from.view, device.view, from.view).code, Code::out_of_memory);
}

// Whichever call fails, the failure is told, and nothing is under way afterwards.
TEST(Conveyor, AfterAnyFailureNothingMoves) {
    const Panel from(40, 33, 33, 1, 1), device(40, 33, 33, 1, -1), back(40, 33, 33, 1, -1);
    start(4096);
    ASSERT_TRUE(there_and_back(from.view, device.view, back.view));
    const int calls = test::calls_for_work();
    for (int failing = 1; failing <= calls; ++failing) {
        test::start(
            {.kernel = find_backend("cpu")->ladder.front(), .page_locked = 4096, .seed = 1, .failing_call = failing});
        EXPECT_EQ(there_and_back(from.view, device.view, back.view).code, Code::device_failed) << failing;
        EXPECT_TRUE(test::is_idle()) << failing;
    }
}

}  // namespace
