// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Products in panels: what is chosen fits, and what comes out does not depend on it.
#include "cli/product/panels.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "base/rounding.hpp"
#include "cli/files/npy_file.hpp"
#include "cli/product/product.hpp"
#include "rooms/cli/files/npy_bytes.hpp"
#include "rooms/cli/run_tw.hpp"

namespace {

using tw::cli::choose_panels;
using tw::cli::PanelProblem;
using tw::cli::Panels;
using tw::test::read_file;
using tw::test::write_file;

TEST(Panels, WhatFitsIsNotCut) {
    const PanelProblem problem{.m = 1000, .n = 1200, .k = 900};
    const auto whole = static_cast<std::int64_t>(tw::cli::panel_bytes(problem, {1000, 1200, 900}));
    EXPECT_EQ(whole, 4 * (1000 * 900 + 900 * 1200 + 1000 * 1200));
    EXPECT_EQ(choose_panels(problem, whole), (Panels{1000, 1200, 900}));
    EXPECT_NE(choose_panels(problem, whole - 1), (Panels{1000, 1200, 900}));
}

TEST(Panels, FitIntoWhatTheyAreGiven) {
    for (const tw::Type type : {tw::Type::f64, tw::Type::f32, tw::Type::bf16})
        for (const std::int64_t m : {0, 1, 777, 100000})
            for (const std::int64_t k : {0, 1, 3000, 200000})
                for (const std::int64_t bytes : {std::int64_t{1} << 22, std::int64_t{1} << 30})
                    for (const bool may_split : {true, false}) {
                        const PanelProblem problem{.m = m, .n = 5000, .k = k, .type = type, .may_split_k = may_split};
                        const auto panels = choose_panels(problem, bytes);
                        ASSERT_TRUE(panels) << m << " " << k;
                        EXPECT_LE(tw::cli::panel_bytes(problem, *panels), static_cast<double>(bytes));
                        EXPECT_GE(std::min({panels->m, panels->n, panels->k}), 1);
                        if (panels->k < k) {
                            EXPECT_TRUE(may_split);
                            EXPECT_EQ(panels->k % 1024, 0);
                        }
                    }
}

TEST(Panels, SaysWhenNotEvenOneRowFits) {
    EXPECT_FALSE(choose_panels({.m = 10, .n = 10, .k = 1 << 20, .may_split_k = false}, 1 << 20));
    EXPECT_TRUE(choose_panels({.m = 10, .n = 10, .k = 1 << 20, .may_split_k = true}, 1 << 20));
}

TEST(Panels, AreSquareWhenEverythingIsLarge) {
    const auto panels = choose_panels({.m = 50000, .n = 50000, .k = 50000}, std::int64_t{1} << 28);
    ASSERT_TRUE(panels);
    EXPECT_GE(panels->m, 1000);  // slivers would read the files thousands of times
    EXPECT_GE(panels->n, 1000);
}

/// What is chosen of many problems, as text: how long a row is, how it is read, and what a cut costs all count in it.
std::string chosen() {
    std::string text;
    for (const tw::Type type : {tw::Type::f32, tw::Type::f64, tw::Type::bf16})
        for (const auto& [m, n, k] : {std::array<std::int64_t, 3>{30000, 30000, 30000},
                                      {200000, 512, 4096},
                                      {512, 200000, 4096},
                                      {4096, 4096, 300000},
                                      {100, 50000, 20000}})
            for (const std::int64_t bytes : {std::int64_t{1} << 24, std::int64_t{1} << 27})
                for (int ways = 0; ways < 4; ++ways) {
                    const auto panels = choose_panels({.m = m,
                                                       .n = n,
                                                       .k = k,
                                                       .type = type,
                                                       .a_by_rows = (ways & 1) != 0,
                                                       .b_by_rows = (ways & 2) != 0},
                                                      bytes);
                    text += panels ? fmt::format("{}x{}x{} ", panels->m, panels->n, panels->k) : "none ";
                }
    return text;
}

TEST(Panels, AreCutSo) {
    EXPECT_EQ(chosen(),
              "1875x469x1024 938x469x2048 938x938x1024 469x1875x1024 3750x1875x2048 1875x1875x4096 "
              "3750x1875x2048 1875x3750x2048 1563x512x1024 391x512x4096 1563x512x1024 391x512x4096 "
              "6250x512x4096 6250x512x4096 6250x512x4096 6250x512x4096 512x391x4096 512x391x4096 512x1563x1024 "
              "512x1563x1024 512x6250x4096 512x6250x4096 512x6250x4096 512x6250x4096 1024x1024x1024 "
              "1024x1024x1024 1024x1024x1024 1024x1024x1024 4096x2048x2048 2048x2048x5120 4096x2048x2048 "
              "2048x4096x2048 100x98x20000 100x98x20000 100x3125x1024 100x3125x1024 100x1563x20000 "
              "100x1563x20000 100x25000x1024 100x25000x1024 469x469x1024 469x469x1024 469x469x1024 "
              "469x469x1024 1875x1875x2048 1875x1875x2048 1875x1875x2048 1875x1875x2048 782x256x1024 "
              "391x64x4096 391x512x1024 391x512x1024 3125x512x4096 3125x512x4096 3125x512x4096 3125x512x4096 "
              "256x196x4096 256x196x4096 512x391x1024 256x782x1024 512x3125x4096 512x3125x4096 512x3125x4096 "
              "512x3125x4096 512x512x1024 512x512x1024 512x512x1024 512x512x1024 2048x2048x2048 2048x2048x2048 "
              "2048x2048x2048 2048x2048x2048 100x391x3072 100x782x2048 100x1563x1024 100x1563x1024 "
              "100x391x20000 100x391x20000 100x12500x1024 100x12500x1024 1875x235x1024 469x469x2048 "
              "938x469x1024 235x1875x1024 3750x1875x2048 1875x1875x4096 3750x1875x2048 1875x3750x2048 "
              "1563x256x1024 98x512x4096 782x512x1024 98x512x4096 12500x512x1024 3125x512x4096 12500x512x1024 "
              "3125x512x4096 512x98x4096 512x98x4096 512x782x1024 256x1563x1024 512x3125x4096 512x3125x4096 "
              "512x12500x1024 512x12500x1024 1024x512x1024 512x512x2048 1024x512x1024 512x1024x1024 "
              "4096x1024x3072 2048x2048x3072 4096x2048x1024 1024x4096x3072 100x25x20000 100x25x20000 "
              "100x1563x1024 100x1563x1024 100x782x20000 100x782x20000 100x12500x1024 100x12500x1024 ")
        << "f32, f64, bf16; five shapes; 16 and 128 MiB; A, B, both by rows. Another model of the cost makes others";
}

TEST(Panels, WidenedCopiesOfNarrowOperandsAreCounted) {
    const tw::cli::Panels panels{.m = 10, .n = 20, .k = 30};
    constexpr double operands = 10 * 30 + 30 * 20, result = 10 * 20;
    const auto bytes = [&](tw::Type type) {
        return tw::cli::panel_bytes({.m = 10, .n = 20, .k = 30, .type = type}, panels);
    };
    EXPECT_EQ(bytes(tw::Type::f64), 8 * (operands + result));
    EXPECT_EQ(bytes(tw::Type::f32), 4 * (operands + result));
    EXPECT_EQ(bytes(tw::Type::bf16), (2 + 4) * operands + 4 * result);
    EXPECT_EQ(bytes(tw::Type::f16), (2 + 4) * operands + 4 * result);
}

TEST(Panels, MemoryIsFound) {
    EXPECT_GT(tw::cli::available_memory(), 1 << 20);
    EXPECT_GT(tw::cli::available_memory(-1), 1 << 20) << "no group limits it";
    EXPECT_EQ(tw::cli::available_memory(1000), 1000) << "what the group leaves";
}

struct Order {
    bool fortran = false, transposed = false;
};

/// A file of rows x cols (as the product sees it) whose element (i, j) is value(i, j).
template <class T, class Value>
std::string operand_file(const char* descr, int rows, int cols, Order order, Value value) {
    const int file_rows = order.transposed ? cols : rows, file_cols = order.transposed ? rows : cols;
    std::vector<T> elements;
    for (int outer = 0; outer < (order.fortran ? file_cols : file_rows); ++outer)
        for (int inner = 0; inner < (order.fortran ? file_rows : file_cols); ++inner) {
            const int i = order.fortran ? inner : outer, j = order.fortran ? outer : inner;
            elements.push_back(order.transposed ? value(j, i) : value(i, j));
        }
    const std::string shape = fmt::format("({}, {})", file_rows, file_cols);
    return tw::test::npy_padded(1, tw::test::npy_dictionary(descr, order.fortran, shape)) +
           tw::test::bytes_of(elements);
}

float a_value(int i, int p) { return static_cast<float>((i * 7 + p * 3) % 5 - 2); }
float b_value(int p, int j) { return static_cast<float>((p * 5 + j) % 7 - 3); }
float c_value(int i, int j) { return static_cast<float>((i + j) % 4); }

constexpr int m = 13, n = 11, k = 17;

float expected_at(int i, int j) {
    float sum = 0;
    for (int p = 0; p < k; ++p) sum += a_value(i, p) * b_value(p, j);
    return 2 * sum - 3 * c_value(i, j);
}

template <class T, class Narrow>
void expect_same_in_all_panels(const char* descr, Narrow narrow) {
    const tw::test::Folder folder;
    const std::string expected =
        operand_file<T>(descr, m, n, {}, [&](int i, int j) { return narrow(expected_at(i, j)); });
    const auto path = [&](const char* name) { return folder.path(name); };
    for (const Order order : {Order{false, false}, Order{true, false}, Order{false, true}, Order{true, true}}) {
        write_file(path("a"), operand_file<T>(descr, m, k, order, [&](int i, int p) { return narrow(a_value(i, p)); }));
        write_file(path("b"), operand_file<T>(descr, k, n, order, [&](int p, int j) { return narrow(b_value(p, j)); }));
        write_file(path("c0"), operand_file<T>(descr, m, n, {order.fortran, false},
                                               [&](int i, int j) { return narrow(c_value(i, j)); }));
        for (const Panels panels : {Panels{m, n, k}, Panels{4, n, k}, Panels{m, 3, k}, Panels{5, 4, k}, Panels{5, 4, 6},
                                    Panels{m, n, 1}, Panels{1, 1, 1}, Panels{100, 100, 100}}) {
            tw::cli::Product product{{tw::cli::NpyFile(path("a"), tw::cli::Vector::row), order.transposed},
                                     {tw::cli::NpyFile(path("b"), tw::cli::Vector::column), order.transposed},
                                     tw::cli::NpyFile(path("c0"), tw::cli::Vector::row),
                                     {.alpha = 2, .beta = -3, .verify = true}};
            tw::cli::OutputFile output(path("c"));
            multiply_files(product, panels, output);
            output.keep();
            ASSERT_EQ(read_file(path("c")), expected) << panels.m << " " << panels.n << " " << panels.k;
        }
    }
}

TEST(Panels, GiveTheSameResultHoweverTheyAreCut) {
    expect_same_in_all_panels<float>("<f4", [](float x) { return x; });
    expect_same_in_all_panels<double>("<f8", [](float x) { return static_cast<double>(x); });
    expect_same_in_all_panels<std::uint16_t>("<f2", [](float x) { return tw::to_float16(x).bits; });
    expect_same_in_all_panels<std::uint16_t>("<V2", [](float x) { return tw::to_bfloat16(x).bits; });
}

/// C and the old C longer than what is read and written at once.
template <class T, class Narrow>
void expect_long_results(const char* descr, Narrow narrow) {
    const tw::test::Folder folder;
    constexpr int rows = 600, cols = 1000, terms = 2;
    const auto value = [&](int i, int j) {
        float sum = 0;
        for (int p = 0; p < terms; ++p) sum += a_value(i, p) * b_value(p, j);
        return narrow(2 * sum - 3 * c_value(i, j));
    };
    const std::string expected = operand_file<T>(descr, rows, cols, {}, value);
    const auto path = [&](const char* name) { return folder.path(name); };
    const auto write = [&](const char* name, int height, int width, Order order, auto of) {
        write_file(path(name),
                   operand_file<T>(descr, height, width, order, [&](int i, int j) { return narrow(of(i, j)); }));
    };
    write("a", rows, terms, {}, a_value), write("b", terms, cols, {}, b_value);
    for (const bool fortran : {false, true})
        for (const Panels panels : {Panels{rows, cols, terms}, Panels{rows - 1, cols - 1, terms}}) {
            write("c0", rows, cols, {fortran, false}, c_value);
            tw::cli::Product product{{tw::cli::NpyFile(path("a"), tw::cli::Vector::row), false},
                                     {tw::cli::NpyFile(path("b"), tw::cli::Vector::column), false},
                                     tw::cli::NpyFile(path("c0"), tw::cli::Vector::row),
                                     {.alpha = 2, .beta = -3}};
            tw::cli::OutputFile output(path("c"));
            multiply_files(product, panels, output);
            output.keep();
            EXPECT_TRUE(read_file(path("c")) == expected) << descr << ' ' << fortran << ' ' << panels.m;
        }
}

TEST(Panels, ReadAndWriteLongResultsInStrips) {
    expect_long_results<float>("<f4", [](float x) { return x; });
    expect_long_results<std::uint16_t>("<V2", [](float x) { return tw::to_bfloat16(x).bits; });
}

TEST(Panels, KeepTheCommandWithinItsMemory) {
    const tw::test::Folder folder;
    const std::string a = folder.path("a.npy"), c = folder.path("c.npy");
    constexpr std::size_t rows = 3000, cols = 300;
    write_file(a, tw::test::npy_file<float>("<f4", "(3000, 300)", std::vector<float>(rows * cols, 1)));
    const std::size_t files = 4 * (2 * rows * cols + rows * rows);
    // A process begins with the peak of the one that made it: what is expected is built after the runs, not before.
    const auto is_right = [&] {
        return read_file(c) == tw::test::npy_file<float>("<f4", "(3000, 3000)", std::vector<float>(rows * rows, cols));
    };

    const auto whole = tw::test::run_tw({"multiply", a, a, "--transpose-b", "-o", c});
    EXPECT_EQ(whole.code, 0) << whole.error;
    EXPECT_TRUE(is_right());
    EXPECT_TRUE(tw::test::keeps_within(whole, files)) << whole.peak_bytes;

    const auto cut = tw::test::run_tw({"multiply", a, a, "--transpose-b", "-o", c, "--memory", "46M"});
    EXPECT_EQ(cut.code, 0) << cut.error;
    EXPECT_TRUE(is_right());
    EXPECT_TRUE(tw::test::peaks_below(cut, whole.peak_bytes)) << cut.peak_bytes << " and " << whole.peak_bytes;
    EXPECT_TRUE(tw::test::keeps_within(cut, 0)) << cut.peak_bytes;
}

TEST(Panels, TheLibrarysCodesBecomeExitCodes) {
    using tw::cli::Exit;
    EXPECT_EQ(tw::cli::exit_for(tw::Code::verification_failed), Exit::wrong_result);
    EXPECT_EQ(tw::cli::exit_for(tw::Code::unsupported), Exit::bad_input);
    EXPECT_EQ(tw::cli::exit_for(tw::Code::no_device), Exit::bad_input);
    EXPECT_EQ(tw::cli::exit_for(tw::Code::out_of_memory), Exit::failed);
    EXPECT_EQ(tw::cli::exit_for(tw::Code::device_failed), Exit::failed);
}

}  // namespace
