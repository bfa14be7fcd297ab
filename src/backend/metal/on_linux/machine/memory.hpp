// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Shadow memory. Each scalar that a kernel may write has a cell that says which thread wrote it last, which read it
// since, and how many barriers had been passed then. Two accesses to a scalar, one of them a write, by threads that no
// barrier orders are a race, even if this run's order hides it.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tw::metal_check {

enum class Space : std::uint8_t { device, threadgroup };

/// Who accessed: 0 nobody, 1 + thread, or one of the marks below.
using Who = std::uint16_t;
inline constexpr Who many = 0xffff, by_atomic = 0xfffe, in_flight = 0xfffd;
inline constexpr Who whole_simdgroup = 0x8000;  // | its number: an async copy that has landed, or several of its lanes

struct Cell {
    Who writer, reader;
    std::uint32_t write_epoch, read_epoch;            // threadgroup barriers passed, of this core, ever
    std::uint32_t write_simd_epoch, read_simd_epoch;  // SIMD-group barriers passed, of the thread's SIMD-group
    std::uint32_t write_site, read_site;
    // Device memory outlives a threadgroup: the first to touch it, and what all together did.
    std::uint32_t first_group;  // 1 + its number
    bool other_group, plain_write, plain_read, atomic;
};

struct Region {
    char* base = nullptr;
    std::size_t bytes = 0;
    Space space = Space::device;
    bool read_only = false, counted = true;
    unsigned granule = 4;     ///< a power of two
    std::string name;         ///< "buffer 0 'a'", "threadgroup 'tile_a'"
    std::vector<Cell> cells;  ///< empty where nothing is written

    bool holds(const char* address, std::size_t size) const noexcept {
        return address >= base && address + size <= base + bytes;
    }
    /// Each access asks: a shift, since a processor divides for as long as all the rest takes.
    std::size_t cell_of(std::size_t offset) const noexcept { return offset >> std::countr_zero(granule); }
};

}  // namespace tw::metal_check
