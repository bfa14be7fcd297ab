// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Where element (i, j) lies: a layout maps coordinates to an offset, and never touches memory. Everything here is
// constexpr and may be called from device code; a Layout may be a template argument.
//
//   constexpr Layout block = row_major(64, 8);                       // As, in shared memory
//   constexpr Layout mine = block.tile(8, 1, warp_row, k);           // one of its tiles
//   to.distribute(row_major(32, 8), thread)                          // what this thread copies
//
// tile, vectorize and distribute are all one selection: rows first, first + step, ... and columns alike.
#pragma once

#include <cstdint>

#if defined(__CUDACC__)
#define TW_HOST_DEVICE __host__ __device__
#else
#define TW_HOST_DEVICE
#endif

namespace tw {

/// A thread's place in a layout of threads.
struct Coordinate {
    std::int64_t row = 0, col = 0;

    friend constexpr bool operator==(const Coordinate&, const Coordinate&) = default;
};

/// Evenly spaced rows and columns: `rows` of them from `first_row`, `row_stride` apart; columns alike.
struct Selection {
    std::int64_t rows = 0, cols = 0;
    std::int64_t first_row = 0, first_col = 0;
    std::int64_t row_stride = 1, col_stride = 1;

    friend constexpr bool operator==(const Selection&, const Selection&) = default;
};

/// Element (i, j) of rows x cols lies at offset + i * row_step + j * col_step.
struct Layout {
    std::int64_t rows = 0, cols = 0;
    std::int64_t row_step = 0, col_step = 1;
    std::int64_t offset = 0;

    friend constexpr bool operator==(const Layout&, const Layout&) = default;

    TW_HOST_DEVICE constexpr std::int64_t operator()(std::int64_t i, std::int64_t j) const noexcept {
        return offset + i * row_step + j * col_step;
    }

    TW_HOST_DEVICE constexpr std::int64_t size() const noexcept { return rows * cols; }

    TW_HOST_DEVICE constexpr Layout transposed() const noexcept { return {cols, rows, col_step, row_step, offset}; }

    /// The layout of what a selection picks. Selections of selections compose: the result is again a Layout.
    TW_HOST_DEVICE constexpr Layout select(const Selection& s) const noexcept {
        return {s.rows, s.cols, s.row_stride * row_step, s.col_stride * col_step, (*this)(s.first_row, s.first_col)};
    }

    /// Tile (i, j) of those that are tile_rows x tile_cols. At a ragged edge it is what is left; beyond it, empty.
    TW_HOST_DEVICE constexpr Layout tile(std::int64_t tile_rows, std::int64_t tile_cols, std::int64_t i,
                                         std::int64_t j) const noexcept {
        return select(
            {part(rows, i * tile_rows, tile_rows), part(cols, j * tile_cols, tile_cols), i * tile_rows, j * tile_cols});
    }

    /// The first elements of the vectors of vector_rows x vector_cols that fit whole: one load moves each.
    TW_HOST_DEVICE constexpr Layout vectorize(std::int64_t vector_rows, std::int64_t vector_cols) const noexcept {
        return select({rows / vector_rows, cols / vector_cols, 0, 0, vector_rows, vector_cols});
    }

    /// Dealt out to threads that stand as `threads` says, thread `id` gets every threads.rows-th row and every
    /// threads.cols-th column from its own place on: neighbours in a row of threads touch neighbours in memory.
    TW_HOST_DEVICE constexpr Layout distribute(const Layout& threads, std::int64_t id) const noexcept {
        const Coordinate mine = threads.place_of(id);
        return select({every(rows, mine.row, threads.rows), every(cols, mine.col, threads.cols), mine.row, mine.col,
                       threads.rows, threads.cols});
    }

    /// Where offset `id` stands in a dense layout such as row_major and col_major make: the inverse of operator().
    TW_HOST_DEVICE constexpr Coordinate place_of(std::int64_t id) const noexcept {
        return {(id - offset) / row_step % rows, (id - offset) / col_step % cols};
    }

private:
    TW_HOST_DEVICE static constexpr std::int64_t part(std::int64_t extent, std::int64_t first,
                                                      std::int64_t most) noexcept {
        const std::int64_t left = extent - first;
        return left < 0 ? 0 : left < most ? left : most;
    }
    TW_HOST_DEVICE static constexpr std::int64_t every(std::int64_t extent, std::int64_t first,
                                                       std::int64_t step) noexcept {
        return first < extent ? (extent - first + step - 1) / step : 0;
    }
};

TW_HOST_DEVICE constexpr Layout row_major(std::int64_t rows, std::int64_t cols) noexcept {
    return {rows, cols, cols, 1, 0};
}

TW_HOST_DEVICE constexpr Layout col_major(std::int64_t rows, std::int64_t cols) noexcept {
    return {rows, cols, 1, rows, 0};
}

/// Blocks within blocks: `inside` lays out each block, `blocks` the order of the blocks in memory. It is how packed
/// panels lie: row_major(m / MR, 1) blocks of col_major(MR, KC).
struct BlockedLayout {
    Layout blocks, inside;

    friend constexpr bool operator==(const BlockedLayout&, const BlockedLayout&) = default;

    TW_HOST_DEVICE constexpr std::int64_t rows() const noexcept { return blocks.rows * inside.rows; }
    TW_HOST_DEVICE constexpr std::int64_t cols() const noexcept { return blocks.cols * inside.cols; }

    TW_HOST_DEVICE constexpr std::int64_t operator()(std::int64_t i, std::int64_t j) const noexcept {
        return blocks(i / inside.rows, j / inside.cols) * inside.size() + inside(i % inside.rows, j % inside.cols);
    }

    /// Block (i, j) by itself, where it lies.
    TW_HOST_DEVICE constexpr Layout block(std::int64_t i, std::int64_t j) const noexcept {
        Layout one = inside;
        one.offset += blocks(i, j) * inside.size();
        return one;
    }
};

TW_HOST_DEVICE constexpr BlockedLayout compose(const Layout& blocks, const Layout& inside) noexcept {
    return {blocks, inside};
}

/// Elements that somebody else owns, and where they lie.
template <class T>
struct Tensor {
    T* data = nullptr;
    Layout layout{};

    TW_HOST_DEVICE constexpr T& operator()(std::int64_t i, std::int64_t j) const noexcept { return data[layout(i, j)]; }
    TW_HOST_DEVICE constexpr std::int64_t rows() const noexcept { return layout.rows; }
    TW_HOST_DEVICE constexpr std::int64_t cols() const noexcept { return layout.cols; }

    TW_HOST_DEVICE constexpr Tensor tile(std::int64_t tile_rows, std::int64_t tile_cols, std::int64_t i,
                                         std::int64_t j) const noexcept {
        return {data, layout.tile(tile_rows, tile_cols, i, j)};
    }
    TW_HOST_DEVICE constexpr Tensor vectorize(std::int64_t vector_rows, std::int64_t vector_cols) const noexcept {
        return {data, layout.vectorize(vector_rows, vector_cols)};
    }
    TW_HOST_DEVICE constexpr Tensor distribute(const Layout& threads, std::int64_t id) const noexcept {
        return {data, layout.distribute(threads, id)};
    }
};

template <class T>
Tensor(T*, Layout) -> Tensor<T>;

/// Element by element; both have one shape. With distribute() on both sides it is the copy that a block shares.
template <class To, class From>
TW_HOST_DEVICE constexpr void copy(const Tensor<To>& to, const Tensor<From>& from) noexcept {
    for (std::int64_t i = 0; i < to.rows(); ++i)
        for (std::int64_t j = 0; j < to.cols(); ++j) to(i, j) = static_cast<To>(from(i, j));
}

}  // namespace tw
