// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "support/guarded_matrix.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace tw::test {
namespace {

/// Above this a matrix is mostly holes, and only its elements are ever touched.
constexpr std::size_t sparse_from = std::size_t{1} << 28;
constexpr int poison = 0xff;  // all ones: NaN in every type

struct Steps {
    std::int64_t row, col;
};

Steps steps_of(std::int64_t rows, std::int64_t cols, const Lie& lie) {
    const std::int64_t major = (lie.columns ? rows : cols) * lie.gap + lie.padding;
    const Steps steps = lie.columns ? Steps{lie.gap, major} : Steps{major, lie.gap};
    return {lie.reversed ? -steps.row : steps.row, steps.col};
}

std::size_t extent_bytes(Type type, std::int64_t rows, std::int64_t cols, const Lie& lie) {
    const Steps steps = steps_of(rows, cols, lie);
    const std::int64_t down = (rows - 1) * (lie.reversed ? -steps.row : steps.row);
    return static_cast<std::size_t>(down + (cols - 1) * steps.col + 1) * size_of(type);
}

bool same_bytes(std::span<const std::byte> x, std::span<const std::byte> y) {
    return x.size() == y.size() && (x.empty() || std::memcmp(x.data(), y.data(), x.size()) == 0);
}

/// run(at, bytes) for the elements of a matrix: a row or a column at once where it has no gaps.
template <class Run>
void by_runs(const Matrix& m, Run run) {
    const std::size_t size = size_of(m.type);
    const bool rows = m.col_step == 1, columns = !rows && m.row_step == 1;
    const std::int64_t down = columns ? 1 : m.rows, across = rows ? 1 : m.cols;
    const std::size_t bytes = size * static_cast<std::size_t>(rows ? m.cols : columns ? m.rows : 1);
    for (std::int64_t i = 0; i < down; ++i)
        for (std::int64_t j = 0; j < across; ++j) run(static_cast<const std::byte*>(m.at(i, j)), bytes);
}

}  // namespace

std::string Lie::text() const {
    std::string words = columns ? "column-major" : "row-major";
    if (padding) words += " +" + std::to_string(padding);
    if (gap != 1) words += " step " + std::to_string(gap);
    if (reversed) words += " upside down";
    if (conj) words += " conjugate";
    return words;
}

std::span<std::byte> extent_of(const Matrix& m) noexcept {
    const auto size = static_cast<std::int64_t>(size_of(m.type));
    const std::int64_t down = (m.rows - 1) * m.row_step, across = (m.cols - 1) * m.col_step;
    const std::int64_t low = std::min<std::int64_t>(down, 0) + std::min<std::int64_t>(across, 0);
    const std::int64_t high = std::max<std::int64_t>(down, 0) + std::max<std::int64_t>(across, 0);
    return {static_cast<std::byte*>(m.data) + low * size, static_cast<std::size_t>((high - low + 1) * size)};
}

GuardedPages::GuardedPages(std::size_t bytes, bool at_start) {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const std::size_t inside = (bytes + page - 1) / page * page;
    void* memory = mmap(nullptr, inside + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return;
    auto* first = static_cast<std::byte*>(memory);
    mapped_ = {first, inside + 2 * page};
    if (mprotect(first + page, inside, PROT_READ | PROT_WRITE) != 0) return;
    bytes_ = {first + page + (at_start ? 0 : inside - bytes), bytes};
}

GuardedPages::~GuardedPages() {
    if (!mapped_.empty()) munmap(mapped_.data(), mapped_.size());
}

GuardedPages::GuardedPages(GuardedPages&& other) noexcept
    : mapped_(std::exchange(other.mapped_, {})), bytes_(std::exchange(other.bytes_, {})) {}

GuardedMatrix::GuardedMatrix(Type type, std::int64_t rows, std::int64_t cols, const Lie& lie)
    : pages_(extent_bytes(type, rows, cols, lie), lie.at_start) {
    const Steps steps = steps_of(rows, cols, lie);
    matrix_ = {pages_.bytes().data(), type, rows, cols, steps.row, steps.col, lie.conj};
    if (!exists()) return;
    if (lie.reversed) matrix_.data = matrix_.at(1 - rows, 0);
    if (!is_sparse()) std::memset(pages_.bytes().data(), poison, pages_.bytes().size());
}

bool GuardedMatrix::is_sparse() const noexcept { return pages_.bytes().size() >= sparse_from; }

void GuardedMatrix::remember() {
    if (!is_sparse()) remembered_.assign(pages_.bytes().begin(), pages_.bytes().end());
}

bool GuardedMatrix::is_unchanged() const noexcept { return is_sparse() || same_bytes(remembered_, pages_.bytes()); }

bool GuardedMatrix::padding_is_unchanged() const {
    if (is_sparse()) return true;
    std::vector<std::byte> wanted = remembered_;
    by_runs(matrix_, [&](const std::byte* at, std::size_t bytes) {
        std::memcpy(wanted.data() + (at - pages_.bytes().data()), at, bytes);
    });
    return same_bytes(wanted, pages_.bytes());
}

}  // namespace tw::test
