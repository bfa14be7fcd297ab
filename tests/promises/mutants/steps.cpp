// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The steps of an operand misread.
#include <cstdlib>

#include "promises/mutants/true_kernel.hpp"
#include "promises/mutants/wrong_kernels.hpp"

namespace tw::mutants {
namespace {

struct TransposesA : Correct {
    static constexpr const char* name = "reads A transposed";
    static float read_a(const Call& call, std::int64_t i, std::int64_t p) {
        const auto a = a_of(call);
        return a.rows == a.cols ? a(p, i) : a(i, p);
    }
};
struct TransposesB : Correct {
    static constexpr const char* name = "reads B transposed";
    static float read_b(const Call& call, std::int64_t p, std::int64_t j) {
        const auto b = b_of(call);
        return b.rows == b.cols ? b(j, p) : b(p, j);
    }
};
struct TransposesC : Correct {
    static constexpr const char* name = "writes C transposed when it is column-major";
    static void write_c(const Call& call, std::int64_t i, std::int64_t j, float value) {
        const auto c = c_of(call);
        const bool swapped = c.row_step == 1 && c.rows == c.cols;
        c(swapped ? j : i, swapped ? i : j) = value;
    }
};
struct TightA : Correct {
    static constexpr const char* name = "takes A's columns for its leading dimension";
    static float read_a(const Call& call, std::int64_t i, std::int64_t p) {
        const auto a = a_of(call);
        return a.col_step == 1 && a.row_step > 0 ? a.data[i * a.cols + p] : a(i, p);
    }
};
struct TightB : Correct {
    static constexpr const char* name = "takes B's rows for its leading dimension";
    static float read_b(const Call& call, std::int64_t p, std::int64_t j) {
        const auto b = b_of(call);
        return b.row_step == 1 ? b.data[p + j * b.rows] : b(p, j);
    }
};
struct LeadingDimensionOfA : Correct {
    static constexpr const char* name = "uses A's leading dimension for B";
    static float read_b(const Call& call, std::int64_t p, std::int64_t j) {
        const auto a = a_of(call), b = b_of(call);
        const bool both = a.col_step == 1 && b.col_step == 1 && a.row_step > 0 && a.row_step < b.row_step;
        return both ? b.data[p * a.row_step + j] : b(p, j);
    }
};
struct NoGapInB : Correct {
    static constexpr const char* name = "ignores B's column step when it is not 1";
    static float read_b(const Call& call, std::int64_t p, std::int64_t j) {
        const auto b = b_of(call);
        return b.row_step > b.col_step ? b.data[p * b.row_step + j] : b(p, j);
    }
};
struct DownwardOnly : Correct {
    static constexpr const char* name = "takes a negative row step for positive";
    static float read_a(const Call& call, std::int64_t i, std::int64_t p) {
        const auto a = a_of(call);
        return a.data[i * std::abs(a.row_step) + p * a.col_step];
    }
};
struct OffsetsOfAIn32Bits : Correct {
    static constexpr const char* name = "computes offsets into A in 32 bits";
    static float read_a(const Call& call, std::int64_t i, std::int64_t p) {
        const auto a = a_of(call);
        return a.data[static_cast<std::int32_t>(i * a.row_step + p * a.col_step)];
    }
};
struct OffsetsOfCIn32Bits : Correct {
    static constexpr const char* name = "computes offsets into C in 32 bits";
    static void write_c(const Call& call, std::int64_t i, std::int64_t j, float value) {
        const auto c = c_of(call);
        c.data[static_cast<std::int32_t>(i * c.row_step + j * c.col_step)] = value;
    }
};
struct TightC : Correct {
    static constexpr const char* name = "writes C without its padding";
    static void write_c(const Call& call, std::int64_t i, std::int64_t j, float value) {
        const auto c = c_of(call);
        if (c.col_step == 1 && c.row_step > 0) c.data[i * c.cols + j] = value;
        else c(i, j) = value;
    }
};

}  // namespace

Table wrong_in_steps() {
    return table<TransposesA, TransposesB, TransposesC, TightA, TightB, LeadingDimensionOfA, NoGapInB, DownwardOnly,
                 OffsetsOfAIn32Bits, OffsetsOfCIn32Bits, TightC>;
}

}  // namespace tw::mutants
