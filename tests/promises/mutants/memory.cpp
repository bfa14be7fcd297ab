// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Bytes that belong to somebody else.
#include "promises/mutants/true_kernel.hpp"
#include "promises/mutants/wrong_kernels.hpp"

namespace tw::mutants {
namespace {

/// Reads and forgets: only a page without access notices.
void touch(const float* at) { [[maybe_unused]] const volatile float seen = *static_cast<const volatile float*>(at); }

struct WritesPadding : Correct {
    static constexpr const char* name = "writes one element beyond each row of C, where there is padding";
    static void write_c(const Call& call, std::int64_t i, std::int64_t j, float value) {
        const auto c = c_of(call);
        c(i, j) = value;
        if (c.col_step == 1 && c.row_step > c.cols && j + 1 == c.cols && i + 1 < c.rows) c(i, j + 1) = value;
    }
};
struct ReadsBeyondB : Correct {
    static constexpr const char* name = "reads a whole vector at the end of B";
    static void before(const Call& call) {
        const auto b = b_of(call);
        if (b.col_step == 1 && b.row_step > 0) touch(&b(b.rows - 1, (b.cols + 7) / 8 * 8 - 1));
    }
};
struct ReadsBeforeA : Correct {
    static constexpr const char* name = "prefetches the element before A by loading it";
    static void before(const Call& call) {
        const auto a = a_of(call);
        if (a.row_step > 0) touch(a.data - 1);
    }
};
struct ReadsCAtTheEnd : Correct {
    static constexpr const char* name = "loads a whole vector of C in the last row";
    static void before(const Call& call) {
        const auto c = c_of(call);
        if (call.beta != 0 && c.col_step == 1 && c.row_step > 0) touch(&c(c.rows - 1, (c.cols + 3) / 4 * 4 - 1));
    }
};
struct WritesBeyondC : Correct {
    static constexpr const char* name = "stores a whole vector at the end of C";
    static void before(const Call& call) {
        const auto c = c_of(call);
        if (c.col_step == 1 && c.row_step > 0) c(c.rows - 1, (c.cols + 3) / 4 * 4 - 1) = 0;
    }
};
struct ScalesAInPlace : Correct {
    static constexpr const char* name = "scales A in place by alpha";
    static void before(const Call& call) {
        const auto a = typed<float>(call.a);
        if (call.alpha != 1) a(0, 0) *= alpha(call);
    }
    static float read_a(const Call& call, std::int64_t i, std::int64_t p) {
        return i == 0 && p == 0 && call.alpha != 1 ? a_of(call)(i, p) / alpha(call) : a_of(call)(i, p);
    }
};
struct MarksB : Correct {
    static constexpr const char* name = "leaves a mark in the padding of B";
    static void before(const Call& call) {
        const auto b = typed<float>(call.b);
        if (b.col_step == 1 && b.row_step > b.cols && b.rows > 1) b(0, b.cols) = 0;
    }
};
struct WritesBeyondScratch : Correct {
    static constexpr const char* name = "uses more scratch than it asked for";
    static void before(const Call& call) { call.scratch.data()[call.scratch.size()] = std::byte{1}; }
};
struct DoesNothing : Correct {
    static constexpr const char* name = "does nothing";
    static std::int64_t rows(const Call&) { return 0; }
};

}  // namespace

Table wrong_in_memory() {
    return table<WritesPadding, ReadsBeyondB, ReadsBeforeA, ReadsCAtTheEnd, WritesBeyondC, ScalesAInPlace, MarksB,
                 WritesBeyondScratch, DoesNothing>;
}

}  // namespace tw::mutants
