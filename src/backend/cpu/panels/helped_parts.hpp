// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Parts of C, each of which one thread packs and multiplies for itself, until it is through: then it helps others. The
// cores of a virtual machine are not equally quick, and panels that many threads read are slow to be written again.
//
//      part 0  |pack B| rows | rows | rows |pack B| ...        block of k by block of k; a helper takes some of another
//      part 1  |pack B| rows | rows |  <-- 0 helps             part's rows and packs them, by B's panels that lie there
#pragma once

#include <atomic>
#include <cstdint>
#include <thread>

#include "base/pause.hpp"

namespace tw::cpu {

class HelpedParts {
public:
    static constexpr int most = 64;  // parts

    /// All of part `own`, whose pieces multiply(part, block, piece) computes: the first packs what the others need.
    void work(int own, std::int64_t blocks, const auto& pieces_of, const auto& multiply) noexcept {
        begun_.fetch_add(1, std::memory_order_relaxed);
        const std::int64_t pieces = pieces_of(own);
        std::int64_t by_others = 0;
        for (std::int64_t block = 0; block < blocks; ++block) {
            multiply(own, block, 0);
            parts_[own].next.store(block << bits | 1, std::memory_order_release);
            by_others += pieces - 1;
            for (Piece piece; take(own, pieces, piece); --by_others) multiply(own, block, piece.number);
            wait_for(parts_[own].done_by_others, by_others);
        }
        finished_.fetch_add(1, std::memory_order_relaxed);
    }
    /// Returns as soon as there seems to be nothing left to help with.
    void help(int own, int parts, const auto& pieces_of, const auto& multiply) noexcept {
        constexpr int most_looks = 4096;
        for (int looks = 0;
             looks < most_looks && finished_.load(std::memory_order_relaxed) < begun_.load(std::memory_order_relaxed);
             ++looks) {
            for (int at = 1; at < parts; ++at) {
                const int part = (own + at) % parts;
                for (Piece piece; take(part, pieces_of(part), piece); looks = 0) {
                    multiply(part, piece.block, piece.number);
                    parts_[part].done_by_others.fetch_add(1, std::memory_order_release);
                }
            }
            pause();
        }
    }

private:
    static constexpr int bits = 32;
    struct Piece {
        std::int64_t block, number;
    };
    /// `next`: the block of k, and its next piece; none before the owner has packed the first block. It may be counted
    /// past the last piece, and begins anew with the next block.
    struct alignas(64) Part {
        std::atomic<std::int64_t> next{1 << 30};
        alignas(64) std::atomic<std::int64_t> done_by_others{0};
    };

    bool take(int part, std::int64_t pieces, Piece& piece) noexcept {
        constexpr std::int64_t number = (std::int64_t{1} << bits) - 1;
        std::atomic<std::int64_t>& next = parts_[part].next;
        if ((next.load(std::memory_order_relaxed) & number) >= pieces) return false;
        const std::int64_t taken = next.fetch_add(1, std::memory_order_acq_rel);
        piece = {taken >> bits, taken & number};
        return piece.number < pieces;
    }
    /// With more threads than cores, the helper that is waited for may need this core.
    static void wait_for(const std::atomic<std::int64_t>& done, std::int64_t count) noexcept {
        constexpr int looks_before_yielding = 4096;
        for (int looks = 0; done.load(std::memory_order_acquire) < count; ++looks)
            looks < looks_before_yielding ? pause() : std::this_thread::yield();
    }

    alignas(64) std::atomic<int> begun_{0};
    std::atomic<int> finished_{0};
    Part parts_[most];
};

}  // namespace tw::cpu
