// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

#include "tilewright/types.hpp"

namespace tw {

/// Anything that answers as std::mdspan of rank 2 does: extent(d), stride(d) and data_handle().
template <class S>
concept MdspanLike = requires(const S& span) {
    { span.extent(0) } -> std::convertible_to<std::int64_t>;
    { span.stride(1) } -> std::convertible_to<std::int64_t>;
    { *span.data_handle() };
    requires S::rank() == 2;
};

/// A matrix that somebody else owns: element (i, j) is data[i * row_step + j * col_step], or its conjugate.
template <class T>
struct View {
    using element_type = T;

    T* data = nullptr;
    std::int64_t rows = 0, cols = 0;
    std::int64_t row_step = 0, col_step = 1;
    bool is_conj = false;  ///< a product reads the conjugates of what lies there; real numbers are their own

    constexpr View() = default;
    constexpr View(T* elements, std::int64_t row_count, std::int64_t col_count) noexcept
        : View(elements, row_count, col_count, col_count) {}
    constexpr View(T* elements, std::int64_t row_count, std::int64_t col_count, std::int64_t step_of_rows,
                   std::int64_t step_of_cols = 1) noexcept
        : data(elements), rows(row_count), cols(col_count), row_step(step_of_rows), col_step(step_of_cols) {}

    template <MdspanLike S>
        requires std::convertible_to<decltype(std::declval<const S&>().data_handle()), T*>
    constexpr View(const S& span) noexcept
        : View(span.data_handle(), static_cast<std::int64_t>(span.extent(0)), static_cast<std::int64_t>(span.extent(1)),
               static_cast<std::int64_t>(span.stride(0)), static_cast<std::int64_t>(span.stride(1))) {}

    /// The element as it lies there, conjugate or not.
    constexpr T& operator()(std::int64_t i, std::int64_t j) const noexcept { return data[i * row_step + j * col_step]; }

    constexpr View transposed() const noexcept { return of(data, cols, rows, col_step, row_step); }

    /// The same memory, read as its conjugates. A real matrix is its own.
    constexpr View conjugated() const noexcept {
        View made = *this;
        made.is_conj = is_complex(type_of<T>) && !is_conj;
        return made;
    }
    /// The conjugate transpose.
    constexpr View adjoint() const noexcept { return transposed().conjugated(); }

    /// The rows x cols block whose corner is (i, j): the same memory, nothing is copied.
    constexpr View block(std::int64_t i, std::int64_t j, std::int64_t row_count,
                         std::int64_t col_count) const noexcept {
        return of(data + i * row_step + j * col_step, row_count, col_count, row_step, col_step);
    }

    constexpr operator View<const T>() const noexcept
        requires(!std::is_const_v<T>)
    {
        View<const T> made(data, rows, cols, row_step, col_step);
        made.is_conj = is_conj;
        return made;
    }

private:
    constexpr View of(T* from, std::int64_t row_count, std::int64_t col_count, std::int64_t step_of_rows,
                      std::int64_t step_of_cols) const noexcept {
        View made(from, row_count, col_count, step_of_rows, step_of_cols);
        made.is_conj = is_conj;
        return made;
    }
};

template <class S>
    requires MdspanLike<S>
View(const S&) -> View<std::remove_reference_t<decltype(*std::declval<const S&>().data_handle())>>;

/// Column-major, as BLAS stores it: ld elements from one column to the next.
template <class T>
constexpr View<T> column_major(T* data, std::int64_t rows, std::int64_t cols, std::int64_t ld) noexcept {
    return {data, rows, cols, 1, ld};
}

/// A View without its type: what every layer below the front door handles.
struct Matrix {
    void* data = nullptr;
    Type type = Type::f32;
    std::int64_t rows = 0, cols = 0;
    std::int64_t row_step = 0, col_step = 1;
    bool is_conj = false;  ///< of a complex type: its elements count as their conjugates

    constexpr Matrix transposed() const noexcept { return {data, type, cols, rows, col_step, row_step, is_conj}; }

    void* at(std::int64_t i, std::int64_t j) const noexcept {
        return static_cast<char*>(data) + (i * row_step + j * col_step) * static_cast<std::int64_t>(size_of(type));
    }

    Matrix block(std::int64_t i, std::int64_t j, std::int64_t row_count, std::int64_t col_count) const noexcept {
        return {at(i, j), type, row_count, col_count, row_step, col_step, is_conj};
    }
};

template <Element T>
constexpr Matrix erase(View<T> view) noexcept {
    return {
        const_cast<std::remove_const_t<T>*>(view.data), type_of<T>, view.rows, view.cols, view.row_step, view.col_step,
        view.is_conj && is_complex(type_of<T>)};
}

/// What a View can be made of: a View, or what looks like std::mdspan; its elements have a Type.
template <class T>
concept Viewable = requires(const T& matrix) { erase(View(matrix)); };

/// The typed face of an erased matrix; the caller vouches for the type.
template <Element T>
View<T> typed(const Matrix& matrix) noexcept {
    View<T> made(static_cast<T*>(matrix.data), matrix.rows, matrix.cols, matrix.row_step, matrix.col_step);
    made.is_conj = matrix.is_conj;
    return made;
}

}  // namespace tw
