// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
//            j                     x, y: vectors of signs. Sums are f64, and so exact beside what f32 leaves.
//         +--:--+                  off: C x is not A (B x) in row i       y^T C is not (y^T A) B in column j
//    i ...|..#..|...  off          A wrong element of C is off in both: made again, with its own bits
//         +--:--+                  A bit of A's panel: one row, many columns: that row again
//           off                    A bit of B's panel: one column, many rows: that column again
//
// Chance puts a right sum beyond its threshold now and then. That costs the time to make a row again, whose bits turn
// out to be what they were; it is no false alarm.
#include "multiply/correct.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <new>

#include "backend/contract.hpp"
#include "backend/direct.hpp"
#include "base/element.hpp"
#include "carry/execute.hpp"
#include "multiply/freivalds.hpp"
#include "plan/eligibility.hpp"
#include "plan/operands.hpp"
#include "plan/slabs.hpp"

namespace tw {
namespace {

constexpr Status no_memory{Code::out_of_memory, Argument::none, "no memory for the sums that tell wrong elements"};
constexpr Status wrong_twice{Code::verification_failed, Argument::c,
                             "the result fails its verification, and so does a second one by the reference kernel"};

constexpr int most_attempts = 4;                   // faults in what is made again, too
constexpr std::int64_t most_elements_judged = 64;  // where a wrong row crosses a wrong column

Workers workers_of(const Plan& plan) noexcept { return {plan.options.executor, plan.threads}; }

/// True when a part of C, computed by itself, has the bits that it has in the whole.
bool has_bits_of_its_own(const Plan& plan) noexcept {
    const bool may_cut = plan.kernel->cuts && !is_reproducible(plan.options);
    return plan.kernel->order != 0 && (!plan.of_shorter || plan.of_shorter->order != 0) &&
           !(may_cut && plan.kernel->cuts(plan.problem));
}

struct Block {
    std::int64_t row = 0, col = 0, rows = 0, cols = 0;

    /// Grows so far that the element is in it.
    void add(std::int64_t i, std::int64_t j) noexcept {
        if (rows == 0) row = i, col = j;
        const std::int64_t last_row = std::max(row + rows - 1, i), last_col = std::max(col + cols - 1, j);
        row = std::min(row, i), col = std::min(col, j);
        rows = last_row - row + 1, cols = last_col - col + 1;
    }
};

class Correcting {
public:
    Correcting(const Plan& plan, const Matrix& a, const Matrix& b, const Matrix& c, void* stream) noexcept
        : plan_(plan),
          a_(a),
          b_(b),
          c_(c),
          stream_(stream),
          certificate_(certificate_of(plan)),
          rows_(a, b, plan.options.alpha, plan.options.beta, certificate_, workers_of(plan)),
          cols_(b.transposed(), a.transposed(), plan.options.alpha, plan.options.beta, certificate_, workers_of(plan)) {
        allow(plan);
    }

    bool prepare() noexcept {
        const bool adds = plan_.options.beta != 0;
        lines_.reset(new (std::nothrow) std::int64_t[static_cast<std::size_t>(c_.rows + c_.cols)]);
        return lines_ && rows_.prepare(c_) && cols_.prepare((adds ? rows_.c0() : c_).transposed(), adds);
    }

    Status run(Corrections& done) noexcept {
        if (const Status failed = execute(plan_, a_, b_, c_, stream_); !failed) return failed;
        bool by_lines = false;
        find_suspects();
        for (int attempt = 0; attempt < most_attempts && has_suspects(); ++attempt) {
            const std::int64_t before = done.elements;
            changed_ = {};
            by_lines = by_lines || suspect_rows_ != 1 || suspect_cols_ != 1;
            if (const Status failed = by_lines ? make_lines(done) : make_element(done); !failed) return failed;
            if (done.elements != before) {
                if (const Status failed = make_line_of_changed(done); !failed) return failed;
                find_suspects();
            } else if (by_lines) break;
            else by_lines = true;
        }
        return {};
    }

    /// False when what is there can't be a right result, by chance or not.
    bool is_right() const noexcept {
        if (!has_suspects()) return true;
        std::int64_t judged = 0;
        for (std::int64_t r = 0; r < suspect_rows_; ++r)
            for (std::int64_t s = 0; s < suspect_cols_ && judged < most_elements_judged; ++s, ++judged)
                if (!rows_.element_is_right(c_, lines_.get()[r], suspect_col(s))) return false;
        return rows_.first_wrong_row(c_) < 0 && cols_.first_wrong_row(c_.transposed()) < 0;
    }

    Status run_second(const Plan& second) noexcept {
        if (plan_.options.beta != 0) convert(c_, rows_.c0());
        certificate_ = certificate_of(second);
        allow(second);
        plan_.kernel = second.kernel;  // whose chance it is now
        const Status status = execute(second, a_, b_, c_, stream_);
        if (status) find_suspects();
        return status;
    }

private:
    void allow(const Plan& by) noexcept {
        const Losses losses = losses_of(*by.kernel, by.backend->place);
        rows_.allow(certificate_, losses), cols_.allow(certificate_, losses);
    }
    void find_suspects() noexcept {
        const double usual = usual_error(*plan_.kernel, a_.cols);
        suspect_rows_ = rows_.find_suspects(c_, usual, lines_.get());
        suspect_cols_ = cols_.find_suspects(c_.transposed(), usual, lines_.get() + c_.rows);
    }
    bool has_suspects() const noexcept { return suspect_rows_ + suspect_cols_ > 0; }
    std::int64_t suspect_col(std::int64_t number) const noexcept { return lines_.get()[c_.rows + number]; }

    Status make_element(Corrections& done) noexcept { return make_again({lines_[0], suspect_col(0), 1, 1}, done); }

    /// What was wrong in one row alone, or one column, may have come from a panel: the rest of that line may be off by
    /// less than a sum tells.
    Status make_line_of_changed(Corrections& done) noexcept {
        const Block was = changed_;
        if (was.rows == 1)
            if (const Status failed = make_again({was.row, 0, 1, c_.cols}, done); !failed) return failed;
        return was.cols == 1 ? make_again({0, was.col, c_.rows, 1}, done) : Status{};
    }

    /// A single row or a single column, whatever else is off in it; else what is less. Where only one kind is off,
    /// that.
    Status make_lines(Corrections& done) noexcept {
        const std::int64_t by_rows = suspect_rows_ * c_.cols, by_cols = suspect_cols_ * c_.rows;
        const bool rows_are_better = suspect_rows_ == 1 || (suspect_cols_ != 1 && by_rows <= by_cols);
        const bool takes_rows = suspect_cols_ == 0 || (suspect_rows_ > 0 && rows_are_better);
        if (2 * (takes_rows ? by_rows : by_cols) > c_.rows * c_.cols) return make_again({0, 0, c_.rows, c_.cols}, done);
        const std::int64_t count = takes_rows ? suspect_rows_ : suspect_cols_;
        const std::int64_t* lines = lines_.get() + (takes_rows ? 0 : c_.rows);
        for (std::int64_t first = 0, last = 0; first < count; first = last) {
            for (last = first + 1; last < count && lines[last] == lines[last - 1] + 1;) ++last;
            const Block block = takes_rows ? Block{lines[first], 0, last - first, c_.cols}
                                           : Block{0, lines[first], c_.rows, last - first};
            if (const Status failed = make_again(block, done); !failed) return failed;
        }
        return {};
    }

    /// Computes the block beside C, or all of C where no part has bits of its own, and takes over what differs.
    Status make_again(Block block, Corrections& done) noexcept {
        const bool in_parts = has_bits_of_its_own(plan_);
        if (!in_parts) block = {0, 0, c_.rows, c_.cols};
        const bool is_whole = block.rows == c_.rows && block.cols == c_.cols;
        Plan part = plan_;
        part.problem.m = block.rows, part.problem.n = block.cols;
        part.problem.c = form_of(c_) == Form::col_major ? Form::col_major : Form::row_major;
        part.options.reproducible = plan_.options.reproducible || (in_parts && !is_whole);
        if (!can_run(*part.backend, *part.kernel, problem_of_kernel(part.problem, part.options))) return {};

        const auto bytes = static_cast<std::size_t>(block.rows * block.cols) * size_of(c_.type);
        const std::unique_ptr<std::byte[]> memory(new (std::nothrow) std::byte[bytes]);
        if (!memory) return no_memory;
        const bool by_cols = part.problem.c == Form::col_major;
        const Matrix again{
            memory.get(), c_.type, block.rows, block.cols, by_cols ? 1 : block.cols, by_cols ? block.rows : 1};
        if (plan_.options.beta != 0) convert(again, rows_.c0().block(block.row, block.col, block.rows, block.cols));
        if (const Status failed = execute(part, a_.block(block.row, 0, block.rows, a_.cols),
                                          b_.block(0, block.col, b_.rows, block.cols), again, stream_);
            !failed)
            return failed;
        take_over(again, block, done);
        return {};
    }

    /// Of a NaN any bits will do.
    void take_over(const Matrix& again, const Block& block, Corrections& done) noexcept {
        const Matrix c = c_.block(block.row, block.col, block.rows, block.cols);
        const std::size_t size = size_of(c.type);
        done.made_again += c.rows * c.cols;
        for (std::int64_t i = 0; i < c.rows; ++i)
            for (std::int64_t j = 0; j < c.cols; ++j) {
                if (std::memcmp(c.at(i, j), again.at(i, j), size) == 0) continue;
                if (std::isnan(load_element(c, i, j)) && std::isnan(load_element(again, i, j))) continue;
                std::memcpy(c.at(i, j), again.at(i, j), size);
                ++done.elements;
                changed_.add(block.row + i, block.col + j);
            }
    }

    Plan plan_;
    Matrix a_, b_, c_;
    void* stream_;
    double certificate_;
    Freivalds rows_, cols_;
    std::unique_ptr<std::int64_t[]> lines_;  // rows that are off, and from place m on columns
    std::int64_t suspect_rows_ = 0, suspect_cols_ = 0;
    Block changed_;  // where a look found bits to change
};

}  // namespace

/// Roundings go up and down: after a path of so many additions they amount to its square root; so do what splitting
/// loses of each operand.
double usual_error(const Kernel& kernel, std::int64_t k) noexcept {
    const double unit = range_of(kernel.sum).unit, steps = kernel.sum_bound(k) / unit;
    return 1.5 * unit * std::sqrt(steps) + 6 * kernel.scheme->split_loss / std::sqrt(static_cast<double>(k));
}

Status run_corrected(const Plan& plan, const Plan& second, const Matrix& a, const Matrix& b, const Matrix& c,
                     void* stream, Corrections& done) noexcept {
    Correcting correcting(plan, a, b, c, stream);
    if (!correcting.prepare()) return no_memory;
    if (const Status failed = correcting.run(done); !failed) return failed;
    if (correcting.is_right()) return {};
    done.by_second = true;
    if (const Status failed = correcting.run_second(second); !failed) return failed;
    return correcting.is_right() ? Status{} : wrong_twice;
}

}  // namespace tw
