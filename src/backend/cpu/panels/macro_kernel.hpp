// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The macro-kernel: the five loops round a micro-kernel, once for every rung that works on packed panels. It knows
// block sizes, packing and threads; what a panel holds and how two of them are multiplied is the PanelKernel's affair.
#pragma once

#include "backend/contract.hpp"
#include "backend/cpu/product/slab_steps.hpp"

namespace tw::cpu {

/// What a kernel keeps from one tile of a block to the next.
struct TileState {
    bool is_waiting = false;  ///< the last tile has not been added to C yet
    alignas(64) std::byte of_the_kernel[17 << 10];
};

/// Some of a block of k: the part of a panel of B that stays in L1 while all panels of A stream past it.
struct Chunk {
    std::int64_t from, length, k;
    float* partial;  ///< what the chunks before gave, mr x nr, if there is more than one

    std::int64_t to() const { return from + length < k ? from + length : k; }
    bool is_first() const { return from == 0; }
    bool is_last() const { return from + length >= k; }
};

/// One panel of A times one of B, over one block of k or a chunk of it.
struct PanelTile {
    Chunk chunk;
    const std::byte *a, *b;
    Matrix c;   ///< rows and cols of it count: at most mr x nr
    int width;  ///< nr
    double alpha, beta;
    Matrix a_rows, b_cols;       ///< what the panels were packed from, for whoever has to look again
    bool is_turned;              ///< the product is computed as C^T = B^T A^T: A's panel is of the caller's B
    TileState* state = nullptr;  ///< null: the tile is added to C at once
    const std::byte* ahead =
        nullptr;  ///< a part of the next panel of B: it may be asked for while this tile is computed
    std::size_t ahead_bytes = 0;
    const SlabSteps* slabs = nullptr;  ///< the kernel's
};

struct PanelKernel {
    int mr, nr;
    std::int64_t (*k_block)(std::int64_t k);  ///< how k is cut: by k alone, so that all shapes sum alike
    std::size_t (*panel_bytes)(int width, std::int64_t k);
    /// At most mr rows x one block of k, or so many for each of the panels at once, `room` bytes apart; and such
    /// columns.
    void (*pack_a)(const Matrix& rows, std::byte* panel, std::size_t room);
    void (*pack_b)(const Matrix& cols, std::byte* panel, std::size_t room);
    void (*multiply)(const PanelTile& tile);
    void (*begin)() = nullptr;  ///< before a worker's tiles and after them, where a unit has a state of its own
    void (*end)() = nullptr;
    void (*finish_waiting)(TileState& state) = nullptr;  ///< adds the waiting tile to C; null: none ever waits
    /// How a block of k is cut; null: not at all. What stays in L2 is MC x KC then, and so more rows of a
    /// short k.
    std::int64_t (*chunk)(std::int64_t kc) = nullptr;
    int panels_at_once = 1;  ///< that are packed together: neighbours lie in the same lines of memory
    /// Tiles follow one another along rows of C, not along its columns: panels of B stream past one of A. Nothing else
    /// changes for the kernel but blocks: NC columns of B are what stays in L2. It has no packed
    /// operands.
    bool walks_rows = false;
    const SlabSteps* slabs = nullptr;  ///< k, one block of it, is in slabs: for the kernels that have such tiles
};

/// `blocks` is {MC, NC, 0}: a block of A that stays in L2, and a block of B that stays in L3; the
/// other way round for a kernel that walks rows.
std::size_t hierarchy_scratch_bytes(const PanelKernel& kernel, const Problem& problem, const Tile& blocks, int threads);
/// The same for a whole tree of slabs in one call (SlabSteps::pairs), by several threads; 0: it does not take one.
std::size_t hierarchy_bytes_in_slabs(const PanelKernel& kernel, const Problem& problem, const Tile& blocks, int threads,
                                     int nodes);
/// A whole operand in panels: all those of one block of k, then all of the next. It depends on neither the other
/// operand nor on blocks of m and n, so one copy serves every product.
struct PackedOperand {
    int width;
    std::int64_t panels, kc, blocks;
    std::size_t room;  ///< of a panel, in bytes

    PackedOperand(const PanelKernel& kernel, std::int64_t lines, std::int64_t k, bool on_left);
    std::size_t bytes() const { return static_cast<std::size_t>(blocks * panels) * room; }
    std::size_t offset(std::int64_t p, std::int64_t first_line) const {
        return static_cast<std::size_t>(p / kc * panels + first_line / width) * room;
    }
};

/// For a row's Packing.
std::size_t hierarchy_packed_bytes(const PanelKernel& kernel, std::int64_t width, std::int64_t k, bool on_left);
void pack_hierarchy(const PanelKernel& kernel, const Matrix& operand, bool on_left, const Call& threads, std::byte* to);

Status run_hierarchy(const PanelKernel& kernel, const Call& call, const Tile& blocks);

}  // namespace tw::cpu
