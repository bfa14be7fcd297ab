// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Each piece of each block is computed once, after all of the block before, whoever helps.
#include "backend/cpu/panels/helped_parts.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <thread>
#include <vector>

namespace {

constexpr int parts = 5, most_pieces = 7;
constexpr std::int64_t blocks = 40;

/// Plain memory: the parts alone keep its readers from its writers.
struct Pieces {
    std::array<std::array<int, most_pieces>, parts> blocks_of{};
    std::atomic<int> wrong{0};

    static std::int64_t count(int part) { return part + most_pieces - parts + 1; }
    void compute(int part, std::int64_t block, std::int64_t piece) {
        auto& of = blocks_of[static_cast<std::size_t>(part)];
        if (of[static_cast<std::size_t>(piece)] != block) ++wrong;
        if (of[0] != block + (piece > 0)) ++wrong;  // what the first piece packs is there, and of this block
        ++of[static_cast<std::size_t>(piece)];
    }
};

void expect_all(int threads) {
    tw::cpu::HelpedParts shared;
    Pieces pieces;
    std::atomic<int> next{0};
    std::vector<std::thread> workers;
    const auto compute = [&](int part, std::int64_t block, std::int64_t piece) { pieces.compute(part, block, piece); };
    for (int thread = 0; thread < threads; ++thread)
        workers.emplace_back([&] {
            for (int own; (own = next.fetch_add(1)) < parts;) {
                shared.work(own, blocks, Pieces::count, compute);
                shared.help(own, parts, Pieces::count, compute);
            }
        });
    for (std::thread& worker : workers) worker.join();
    EXPECT_EQ(pieces.wrong, 0);
    for (int part = 0; part < parts; ++part)
        for (std::int64_t piece = 0; piece < Pieces::count(part); ++piece)
            EXPECT_EQ(pieces.blocks_of[static_cast<std::size_t>(part)][static_cast<std::size_t>(piece)], blocks);
}

TEST(HelpedParts, EachPieceOnceAndBlockAfterBlock) {
    for (const int threads : {1, 2, 3, 5})
        for (int turn = 0; turn < 20; ++turn) expect_all(threads);
}

}  // namespace
