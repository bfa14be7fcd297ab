// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Shapes that do not divide: rows, columns and terms lost at the ends.
#include "promises/mutants/true_kernel.hpp"
#include "promises/mutants/wrong_kernels.hpp"

namespace tw::mutants {
namespace {

struct SkipsLastRow : Correct {
    static constexpr const char* name = "skips the last row";
    static std::int64_t rows(const Call& call) { return call.m() - 1; }
};
struct SkipsLastColumn : Correct {
    static constexpr const char* name = "skips the last column";
    static std::int64_t cols(const Call& call) { return call.n() - 1; }
};
struct DropsLastTerm : Correct {
    static constexpr const char* name = "drops the last k";
    static std::int64_t depth(const Call& call) { return call.k() - 1; }
};
struct WholeRowBlocksOnly : Correct {
    static constexpr const char* name = "leaves out the rows beyond the last whole block";
    static std::int64_t row_blocks(std::int64_t m) { return m / BM; }
};
struct WholeColumnBlocksOnly : Correct {
    static constexpr const char* name = "leaves out the columns beyond the last whole block";
    static std::int64_t col_blocks(std::int64_t n) { return n / BN; }
};
struct WholeDepthBlocksOnly : Correct {
    static constexpr const char* name = "leaves out the terms beyond the last whole block";
    static std::int64_t depth_blocks(std::int64_t k) { return k / BK; }
};
struct LosesAFullLastRowBlock : Correct {
    static constexpr const char* name = "loses the last block of rows when it is full";
    static std::int64_t row_blocks(std::int64_t m) { return m % BM == 0 && m > BM ? m / BM - 1 : (m + BM - 1) / BM; }
};
struct LosesAFullLastColumnBlock : Correct {
    static constexpr const char* name = "loses the last block of columns when it is full";
    static std::int64_t col_blocks(std::int64_t n) { return n % BN == 0 && n > BN ? n / BN - 1 : (n + BN - 1) / BN; }
};
struct LosesAFullLastDepthBlock : Correct {
    static constexpr const char* name = "loses the last block of terms when it is full";
    static std::int64_t depth_blocks(std::int64_t k) { return k % BK == 0 && k > BK ? k / BK - 1 : (k + BK - 1) / BK; }
};
struct OneShortPastTheFirstBlock : Correct {
    static constexpr const char* name = "one row short when there is more than one block";
    static std::int64_t rows(const Call& call) { return call.m() > BM ? call.m() - 1 : call.m(); }
};
struct WrongBeyond256 : Correct {
    static constexpr const char* name = "stops summing at k = 256";
    static std::int64_t depth(const Call& call) { return std::min<std::int64_t>(call.k(), 256); }
};
struct DepthIn16Bits : Correct {
    static constexpr const char* name = "counts k in 16 bits";
    static std::int64_t depth(const Call& call) { return static_cast<std::uint16_t>(call.k()); }
};
struct ColumnsIn8Bits : Correct {
    static constexpr const char* name = "counts columns in 8 bits";
    static std::int64_t cols(const Call& call) { return call.n() % 256 == 0 ? call.n() : call.n() % 256; }
};
struct OddWidthInAVector : Correct {
    static constexpr const char* name = "a single row loses the last column of an odd number";
    static std::int64_t cols(const Call& call) { return call.m() == 1 && call.n() > 1 ? call.n() / 2 * 2 : call.n(); }
};
struct SquareOnly : Correct {
    static constexpr const char* name = "takes C for square when it is tall";
    static std::int64_t rows(const Call& call) { return std::min(call.m(), call.n() + BM); }
};
struct EdgeTermsTwice : Correct {
    static constexpr const char* name = "adds the last partial block of terms twice";
    static int times(std::int64_t block, std::int64_t blocks) { return block > 1 && block + 1 == blocks ? 2 : 1; }
};

}  // namespace

Table wrong_at_edges() {
    return table<SkipsLastRow, SkipsLastColumn, DropsLastTerm, WholeRowBlocksOnly, WholeColumnBlocksOnly,
                 WholeDepthBlocksOnly, LosesAFullLastRowBlock, LosesAFullLastColumnBlock, LosesAFullLastDepthBlock,
                 OneShortPastTheFirstBlock, WrongBeyond256, DepthIn16Bits, ColumnsIn8Bits, OddWidthInAVector,
                 SquareOnly, EdgeTermsTwice>;
}

}  // namespace tw::mutants
