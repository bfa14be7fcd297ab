// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// One random product as plain numbers: all that its bits may depend on. It can be drawn from a seed, written down, and
// made smaller field by field.
#pragma once

#include <cstdint>
#include <string>

#include "reference/fill.hpp"
#include "tilewright/multiply.hpp"

namespace tw::judging {

/// How an operand lies in memory: between two pages without access, its holes full of NaN.
struct Placement {
    bool columns = false;                             ///< column-major
    std::int64_t gap = 1;                             ///< step within a row (column)
    std::int64_t padding = 0;                         ///< elements between the end of a row (column) and the next
    std::int64_t skew = 0;                            ///< elements between the operand and the page's edge
    bool upside_down = false, right_to_left = false;  ///< negative steps
    bool one_row = false, one_column = false;         ///< repeated by a step of 0; never of C
    bool at_start = false;                            ///< it begins behind a page, else it ends before one

    friend bool operator==(const Placement&, const Placement&) = default;
};

enum class Door : std::uint8_t { call, plan, packed_a, packed_b, batch };

/// Who runs the tasks: the library's pool, an executor, or an executor whose threads are in another floating-point
/// mode.
enum class Runner : std::uint8_t { pool, executor, odd_executor };

struct Case {
    std::uint64_t seed = 1;  ///< of the values
    Door door = Door::call;
    std::int64_t m = 1, n = 1, k = 1;
    std::int64_t products = 1;                ///< of a batch
    bool shares_a = false, shares_b = false;  ///< a batch's operand, by a step of 0
    bool conj_a = false, conj_b = false;      ///< of complex operands
    Type in = Type::f32, out = Type::f32;
    Placement a, b, c;
    reference::Fill fill = reference::Fill::integers;
    int specials = 0;  ///< elements of A, B and C that are Inf, NaN, -0 or subnormal
    double alpha = 1, beta = 0;
    double alpha_imag = 0, beta_imag = 0;  ///< of complex operands
    std::string accuracy;                  ///< "": nobody's
    double scale = 1;
    bool bias = false, residual = false;
    Activation activation = Activation::none;
    int slabs = 0;
    int threads = 1;
    Runner runner = Runner::pool;
    bool odd_mode = false;  ///< of the caller
    bool reproducible = false, verify = false;
    std::int64_t scratch = -1;  ///< of the caller's, that many bytes behind an aligned address; -1: none

    /// Of those that are verified, every other one is corrected, too.
    Verify verify_level() const noexcept { return verify && seed % 2 ? Verify(Verify::correct) : Verify(verify); }

    friend bool operator==(const Case&, const Case&) = default;
};

/// The same for the same seed, on every machine. `largest`: longer extents are folded into 1 to it; 0: as drawn.
Case draw(std::uint64_t seed, std::int64_t largest = 0);

/// In one line, what is as it usually is left out.
std::string spelled(const Case& one);

const char* name_of(Door door) noexcept;

}  // namespace tw::judging
