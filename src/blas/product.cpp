// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "blas/product.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "blas/counts.hpp"
#include "blas/crossover.hpp"
#include "blas/settings.hpp"
#include "tilewright/multiply.hpp"

namespace tw::blas {
namespace {

constexpr std::int64_t diagonal_block = 48;  // its product lies on the stack: 18 KiB in f64, 36 in c128

Options options_of(Scalar alpha, Scalar beta) noexcept {
    return {.alpha = alpha.real(),
            .alpha_imag = alpha.imag(),
            .beta = beta.real(),
            .beta_imag = beta.imag(),
            .accuracy = settings().accuracy,
            .reproducible = settings().reproducible,
            .device = settings().device};
}

template <class T>
T scaled(Scalar beta, T x) noexcept {
    return static_cast<T>(beta.real()) * x;
}
/// The plain product, or of a real beta with each part.
template <class Part>
std::complex<Part> scaled(Scalar beta, std::complex<Part> x) noexcept {
    const auto re = static_cast<Part>(beta.real()), im = static_cast<Part>(beta.imag());
    if (im == 0) return {re * x.real(), re * x.imag()};
    return {re * x.real() - im * x.imag(), re * x.imag() + im * x.real()};
}

/// C's triangle = alpha * A * B + beta * C's triangle, through a block of its own.
template <class T>
void multiply_diagonal(const Matrix& a, const Matrix& b, const Matrix& c, Scalar alpha, Scalar beta,
                       bool of_upper) noexcept {
    T block[diagonal_block * diagonal_block];
    const View<T> product(block, c.rows, c.cols), to = typed<T>(c);
    multiply(a, b, erase(product), alpha, 0);
    for (std::int64_t i = 0; i < c.rows; ++i) {
        const std::int64_t first = of_upper ? i : 0, last = of_upper ? c.cols : i + 1;
        for (std::int64_t j = first; j < last; ++j)
            to(i, j) = beta == 0.0 ? product(i, j) : static_cast<T>(product(i, j) + scaled(beta, to(i, j)));
    }
}

/// Where product i's operand begins, when the array of pointers is null and when it is not.
template <class Pointer>
Matrix of_product(Matrix first, const Pointer* array, std::int64_t step, std::int64_t i) noexcept {
    if (array) std::memcpy(&first.data, array + i, sizeof first.data);
    else if (first.data)
        first.data = static_cast<char*>(first.data) + i * step * static_cast<std::int64_t>(size_of(first.type));
    return first;
}

/// The first product that try_multiply_batch() has left as it was.
std::int64_t first_undone(const Status& status) noexcept {
    return status.code == Code::bad_argument || status.product < 0 ? 0 : status.product;
}

}  // namespace

void multiply(const Matrix& a, const Matrix& b, const Matrix& c, Scalar alpha, Scalar beta) noexcept {
    if (beta == 1.0 && (alpha == 0.0 || a.cols == 0)) return;  // netlib leaves such a C alone, a null one too
    Options options = options_of(alpha, beta);
    if (settings().device_by_size && !is_complex(c.type)) {
        Crossing crossing(a, c);
        const bool crosses = crossing.where() != Where::cpu;
        if (crosses) options.device = "cuda";
        const bool well = try_multiply(a, b, c, options).is_ok();
        crossing.ended(well);
        if (well && crosses) count_on_device();
        if (well) return;
    } else if (try_multiply(a, b, c, options)) {
        if (options.device != "cpu") count_on_device();
        return;
    }
    if (!settings().device_by_size) count_otherwise();
    options.accuracy = {};
    options.device = "cpu";
    if (try_multiply(a, b, c, options)) return;
    options.kernel = "r1_naive", options.reproducible = false;
    const Status status = try_multiply(a, b, c, options);
    if (status) return;
    // Going on would hand a wrong C to a caller who can't be told.
    std::fprintf(stderr, "tilewright blas: a product can't be computed: %s\n", status.text);
    std::abort();
}

void multiply(const Matrix& a, const Matrix& b, const Matrix& c, Scalar alpha, Scalar beta,
              const Batch& batch) noexcept {
    std::int64_t i = 0;
    if (!settings().device_by_size) {
        const Options options = options_of(alpha, beta);
        const Status status = try_multiply_batch(a, b, c, batch, options);
        i = status ? batch.size : first_undone(status);
        for (std::int64_t done = options.device == "cpu" ? i : 0; done < i; ++done) count_on_device();
    }
    for (; i < batch.size; ++i)
        multiply(of_product(a, batch.a, batch.a_step, i), of_product(b, batch.b, batch.b_step, i),
                 of_product(c, batch.c, batch.c_step, i), alpha, beta);
}

void multiply_triangle(const Matrix& a, const Matrix& b, const Matrix& c, Scalar alpha, Scalar beta,
                       bool of_upper) noexcept {
    const std::int64_t n = c.rows, k = a.cols;
    if (n == 0 || (beta == 1.0 && (alpha == 0.0 || k == 0))) return;
    if (n <= diagonal_block) {
        if (c.type == Type::f32) return multiply_diagonal<float>(a, b, c, alpha, beta, of_upper);
        if (c.type == Type::c64) return multiply_diagonal<std::complex<float>>(a, b, c, alpha, beta, of_upper);
        if (c.type == Type::c128) return multiply_diagonal<std::complex<double>>(a, b, c, alpha, beta, of_upper);
        return multiply_diagonal<double>(a, b, c, alpha, beta, of_upper);
    }
    // Two halves of the diagonal, and the rectangle beside them: most of the work is in few large rectangles.
    const std::int64_t half = (n / 2 + diagonal_block - 1) / diagonal_block * diagonal_block, rest = n - half;
    multiply_triangle(a.block(0, 0, half, k), b.block(0, 0, k, half), c.block(0, 0, half, half), alpha, beta, of_upper);
    multiply_triangle(a.block(half, 0, rest, k), b.block(0, half, k, rest), c.block(half, half, rest, rest), alpha,
                      beta, of_upper);
    if (of_upper)
        multiply(a.block(0, 0, half, k), b.block(0, half, k, rest), c.block(0, half, half, rest), alpha, beta);
    else multiply(a.block(half, 0, rest, k), b.block(0, 0, k, half), c.block(half, 0, rest, half), alpha, beta);
}

}  // namespace tw::blas
