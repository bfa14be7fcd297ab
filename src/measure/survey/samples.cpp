// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "measure/survey/samples.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "base/element.hpp"
#include "reference/random.hpp"

namespace tw::measure {
namespace {

constexpr std::int64_t most_lines = 16, least_lines = 6;
constexpr double terms_judged = 0x1p22, most_line_elements = 0x1p22;

constexpr Status no_memory{Code::out_of_memory, Argument::none, "the survey's memory does not hold the samples"};

/// All lines if so many are wanted; else the first, the last, and random ones.
std::vector<std::int64_t> lines_of(std::int64_t size, std::int64_t wanted, std::uint64_t seed) {
    if (size <= wanted) {
        std::vector<std::int64_t> all(static_cast<std::size_t>(size));
        std::iota(all.begin(), all.end(), std::int64_t{0});
        return all;
    }
    std::vector<std::int64_t> lines{0, size - 1};
    reference::Random random(seed);
    for (std::int64_t i = 2; i < wanted; ++i) lines.push_back(random.whole(0, size - 1));
    std::ranges::sort(lines);
    lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
    return lines;
}

Matrix dense(void* data, Type type, std::int64_t rows, std::int64_t cols) { return {data, type, rows, cols, cols}; }

/// Of complex numbers, as of real ones: either part.
bool has_nan(const Matrix& matrix, std::int64_t i, std::int64_t j) {
    const std::complex<double> x = load_complex(matrix, i, j);
    return std::isnan(x.real()) || std::isnan(x.imag());
}

bool is_nan_everywhere(const Matrix& matrix) {
    if (is_complex(matrix.type))
        return is_nan_everywhere(real_parts(matrix)) && is_nan_everywhere(imaginary_parts(matrix));
    for (std::int64_t i = 0; i < matrix.rows; ++i)
        for (std::int64_t j = 0; j < matrix.cols; ++j)
            if (!std::isnan(load_element(matrix, i, j))) return false;
    return true;
}

}  // namespace

Status Samples::fetch(const OperandMemory& operands, const Case& what, const Set& set) {
    operands_ = &operands, what_ = &what, set_ = &set;
    const auto k = static_cast<double>(what.k), widest = static_cast<double>(std::max({what.k, what.n, what.m}));
    const double wanted = std::min(std::sqrt(terms_judged / k), most_line_elements / widest);
    const auto lines = std::clamp(static_cast<std::int64_t>(wanted), least_lines, most_lines);
    rows_ = lines_of(what.m, lines, 1), cols_ = lines_of(what.n, lines, 2);
    parts_.clear();
    for (const std::int64_t product : lines_of(what.products, 3, 3)) {
        parts_.push_back({.product = product});
        if (const Status bad = fetch_part(parts_.back()); !bad) return bad;
    }
    return {};
}

/// Fetches a matrix whose rows may be anywhere, row after row, through the device's memory.
Status Samples::fetch_lines(const Matrix& from, std::vector<std::byte>& to) const {
    const Queue& queue = operands_->queue();
    const std::size_t bytes = static_cast<std::size_t>(from.cols) * size_of(from.type), at = to.size();
    to.resize(at + bytes);
    if (!queue.backend().alloc) return queue.copy(dense(to.data() + at, from.type, 1, from.cols), from);
    const std::span<std::byte> between = operands_->rest();
    if (between.size() < bytes) return no_memory;
    const Matrix packed = dense(between.data(), from.type, 1, from.cols);
    if (const Status bad = queue.copy(packed, from); !bad) return bad;
    if (const Status bad = queue.copy(dense(to.data() + at, from.type, 1, from.cols), packed); !bad) return bad;
    return queue.wait();
}

Status Samples::fetch_part(Part& part) const {
    const Matrix a = set_->a_of(part.product), b = set_->b_of(part.product).transposed();
    for (const std::int64_t row : rows_)
        if (const Status bad = fetch_lines(a.block(row, 0, 1, a.cols), part.a); !bad) return bad;
    for (const std::int64_t col : cols_)
        if (const Status bad = fetch_lines(b.block(col, 0, 1, b.cols), part.b); !bad) return bad;
    bool is_whole = true;
    return what_->beta == 0 ? Status{} : fetch_crossings(part.product, part.old_c, is_whole);
}

Matrix Samples::matrix_of_crossings(std::vector<std::byte>& crossings) const {
    return dense(crossings.data(), what_->kind->type, static_cast<std::int64_t>(rows_.size()),
                 static_cast<std::int64_t>(cols_.size()));
}

/// C's elements in the sampled rows and columns. Whole rows are fetched, because none of their elements may be NaN,
/// which would mean unwritten.
Status Samples::fetch_crossings(std::int64_t product, std::vector<std::byte>& crossings, bool& is_whole) const {
    const Matrix c = set_->c_of(product);
    crossings.resize(rows_.size() * cols_.size() * size_of(c.type));
    std::vector<std::byte> row;
    for (std::size_t r = 0; r < rows_.size(); ++r) {
        row.clear();
        if (const Status bad = fetch_lines(c.block(rows_[r], 0, 1, c.cols), row); !bad) return bad;
        const Matrix whole = dense(row.data(), c.type, 1, c.cols);
        for (std::int64_t j = 0; j < c.cols && is_whole; ++j) is_whole = !has_nan(whole, 0, j);
        for (std::size_t j = 0; j < cols_.size(); ++j)
            std::memcpy(matrix_of_crossings(crossings).at(static_cast<std::int64_t>(r), static_cast<std::int64_t>(j)),
                        whole.at(0, cols_[j]), size_of(c.type));
    }
    return {};
}

/// Checks that everything between C's lines and after its last element is still NaN.
Status Samples::check_surroundings(bool& is_untouched) const {
    const Queue& queue = operands_->queue();
    std::vector<std::byte> behind;
    const auto count = static_cast<std::int64_t>(guarded_bytes / 2);
    if (const Status bad = fetch_lines(dense(set_->c_memory + set_->c_bytes, Type::bf16, 1, count), behind); !bad)
        return bad;
    is_untouched = std::ranges::all_of(behind, [](std::byte one) { return one == std::byte{0xff}; });
    const OperandInMemory laid = lay_out(*what_).c;
    for (const Part& part : parts_) {
        if (!is_untouched || !laid.has_gaps_of_its_own(what_->products)) return {};
        const Matrix c = set_->c_of(part.product), lines = laid.lay.by_columns ? c.transposed() : c;
        const std::int64_t gap = laid.lay.pitch - laid.width(), last = lines.rows - 1;
        const Matrix gaps{lines.at(0, lines.cols), lines.type, last, gap, laid.lay.pitch};
        if (last < 1) continue;
        // Transposed on the way, so that a kernel gathers the elements: the copy engine is slow with short lines.
        std::vector<std::byte> host(static_cast<std::size_t>(last * gap) * size_of(c.type));
        const std::span<std::byte> between = operands_->rest();
        if (between.size() < host.size()) return no_memory;
        const Matrix turned{queue.backend().alloc ? between.data() : host.data(), c.type, last, gap, 1, last};
        if (const Status bad = queue.copy(turned, gaps); !bad) return bad;
        const Matrix here = dense(host.data(), c.type, 1, last * gap);
        if (queue.backend().alloc)
            if (const Status bad = queue.copy(here, dense(between.data(), c.type, 1, last * gap)); !bad) return bad;
        if (const Status bad = queue.wait(); !bad) return bad;
        is_untouched = is_nan_everywhere(here);
    }
    return {};
}

Status Samples::judge(double bound, int threads, Found& found) const {
    const Kind& kind = *what_->kind;
    found = {};
    for (const Part& part : parts_) {
        std::vector<std::byte> crossings, a = part.a, b = part.b, old_c = part.old_c;
        bool is_whole = true;
        if (const Status bad = fetch_crossings(part.product, crossings, is_whole); !bad) return bad;
        const auto rows = static_cast<std::int64_t>(rows_.size()), cols = static_cast<std::int64_t>(cols_.size());
        reference::Question question{.a = dense(a.data(), kind.type, rows, what_->k),
                                     .b = dense(b.data(), kind.type, cols, what_->k).transposed(),
                                     .beta = what_->beta};
        if (what_->beta != 0) question.c0 = matrix_of_crossings(old_c);
        const reference::Verdict verdict =
            reference::judge(question, matrix_of_crossings(crossings), {.bound = bound}, {.threads = threads});
        found.error_over_bound = std::max(found.error_over_bound, verdict.worst);
        if (!verdict.ok) found.trouble = verdict.sentence();
        else if (!is_whole) found.trouble = "an element of C was not written";
        if (!found.trouble.empty()) return {};
    }
    bool is_untouched = true;
    if (const Status bad = check_surroundings(is_untouched); !bad) return bad;
    if (!is_untouched) found.trouble = "something was written beside C";
    return {};
}

}  // namespace tw::measure
