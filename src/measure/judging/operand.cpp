// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "measure/judging/operand.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <new>

namespace tw::judging {
namespace {

struct Steps {
    std::int64_t row, col, reach;  ///< reach: elements from the lowest to the highest
};

Steps steps_of(std::int64_t rows, std::int64_t cols, const Placement& placement) {
    const std::int64_t stored_rows = placement.one_row ? std::min<std::int64_t>(rows, 1) : rows,
                       stored_cols = placement.one_column ? std::min<std::int64_t>(cols, 1) : cols;
    const std::int64_t major =
        std::max<std::int64_t>(1, (placement.columns ? stored_rows : stored_cols) * placement.gap) + placement.padding;
    const std::int64_t row = placement.columns ? placement.gap : major, col = placement.columns ? major : placement.gap;
    const std::int64_t reach = rows == 0 || cols == 0 ? 0 : (stored_rows - 1) * row + (stored_cols - 1) * col + 1;
    return {placement.one_row ? 0 : row, placement.one_column ? 0 : col, reach};
}

std::vector<std::byte> copy_of(std::span<const std::byte> bytes) { return {bytes.begin(), bytes.end()}; }

}  // namespace

Operand::Operand(Type type, std::int64_t rows, std::int64_t cols, const Placement& placement, std::int64_t products)
    : products_(products) {
    const Steps steps = steps_of(rows, cols, placement);
    const auto size = static_cast<std::int64_t>(size_of(type));
    step_ = steps.reach + placement.padding;
    const auto bytes = static_cast<std::size_t>((step_ * (products - 1) + steps.reach + placement.skew) * size);
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE)), inside = (bytes + page - 1) / page * page;
    void* memory = mmap(nullptr, inside + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    mapped_ = {static_cast<std::byte*>(memory), inside + 2 * page};
    if (inside > 0 && mprotect(mapped_.data() + page, inside, PROT_READ | PROT_WRITE) != 0) {
        munmap(memory, mapped_.size());
        throw std::bad_alloc();
    }
    bytes_ = mapped_.subspan(page + (placement.at_start ? 0 : inside - bytes), bytes);
    std::fill(bytes_.begin(), bytes_.end(), std::byte{0xff});
    first_ = {bytes_.data() + (placement.at_start ? placement.skew * size : 0), type, rows, cols, steps.row, steps.col};
    if (steps.reach == 0) return;
    if (placement.upside_down) first_.data = first_.at(rows - 1, 0), first_.row_step = -first_.row_step;
    if (placement.right_to_left) first_.data = first_.at(0, cols - 1), first_.col_step = -first_.col_step;
}

Operand::~Operand() { munmap(mapped_.data(), mapped_.size()); }

Matrix Operand::product(std::int64_t index) const noexcept {
    Matrix matrix = first_;
    matrix.data =
        static_cast<std::byte*>(first_.data) + index * step_ * static_cast<std::int64_t>(size_of(first_.type));
    return matrix;
}

void Operand::remember() { remembered_ = copy_of(bytes_); }

bool Operand::is_unchanged() const { return std::ranges::equal(remembered_, bytes_); }

bool Operand::holes_are_unchanged() const {
    std::vector<std::byte> wanted = remembered_;
    for (std::int64_t p = 0; p < products_; ++p) {
        const Matrix matrix = product(p);
        for (std::int64_t i = 0; i < matrix.rows; ++i)
            for (std::int64_t j = 0; j < matrix.cols; ++j) {
                const auto* at = static_cast<const std::byte*>(matrix.at(i, j));
                std::memcpy(wanted.data() + (at - bytes_.data()), at, size_of(matrix.type));
            }
    }
    return std::ranges::equal(wanted, bytes_);
}

std::vector<std::byte> elements_of(const Operand& operand, std::int64_t products) {
    std::vector<std::byte> elements;
    for (std::int64_t p = 0; p < products; ++p) {
        const Matrix matrix = operand.product(p);
        for (std::int64_t i = 0; i < matrix.rows; ++i)
            for (std::int64_t j = 0; j < matrix.cols; ++j) {
                const auto* at = static_cast<const std::byte*>(matrix.at(i, j));
                elements.insert(elements.end(), at, at + size_of(matrix.type));
            }
    }
    return elements;
}

}  // namespace tw::judging
