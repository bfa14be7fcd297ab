// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "multiply/row_sums.hpp"

#include <cmath>

#include "base/rounding.hpp"

namespace tw {
namespace {

double value(double x) noexcept { return x; }
double value(float x) noexcept { return static_cast<double>(x); }
double value(float16 x) noexcept { return static_cast<double>(widen(x)); }
double value(bfloat16 x) noexcept { return static_cast<double>(widen(x)); }

constexpr int lanes = 8;  // independent partial sums: without them each addition waits for the one before it

template <class T>
void along_rows(const View<const T>& m, const double* x, const double* w, double* sums, double* sizes) noexcept {
    for (std::int64_t i = 0; i < m.rows; ++i) {
        const T* row = &m(i, 0);
        double sum[lanes] = {}, size[lanes] = {};
        std::int64_t j = 0;
        for (; j + lanes <= m.cols; j += lanes)
            for (int lane = 0; lane < lanes; ++lane) {
                const double v = value(row[j + lane]);
                sum[lane] += v * x[j + lane];
                size[lane] += std::fabs(v) * w[j + lane];
            }
        for (; j < m.cols; ++j) {
            const double v = value(row[j]);
            sum[0] += v * x[j];
            size[0] += std::fabs(v) * w[j];
        }
        for (int lane = 1; lane < lanes; ++lane) sum[0] += sum[lane], size[0] += size[lane];
        sums[i] = sum[0];
        sizes[i] = size[0];
    }
}

/// Column by column: memory order for column-major operands, and right for any steps.
template <class T>
void along_columns(const View<const T>& m, const double* x, const double* w, double* sums, double* sizes) noexcept {
    for (std::int64_t i = 0; i < m.rows; ++i) sums[i] = sizes[i] = 0;
    for (std::int64_t j = 0; j < m.cols; ++j)
        for (std::int64_t i = 0; i < m.rows; ++i) {
            const double v = value(m(i, j));
            sums[i] += v * x[j];
            sizes[i] += std::fabs(v) * w[j];
        }
}

template <class T>
void sums_of(const Matrix& matrix, const double* x, const double* w, double* sums, double* sizes) noexcept {
    const auto view = typed<const T>(matrix);
    view.col_step == 1 ? along_rows<T>(view, x, w, sums, sizes) : along_columns<T>(view, x, w, sums, sizes);
}

}  // namespace

void row_sums(const Matrix& matrix, const double* x, const double* w, double* sums, double* sizes) noexcept {
    switch (matrix.type) {
        case Type::f64: return sums_of<double>(matrix, x, w, sums, sizes);
        case Type::f32: return sums_of<float>(matrix, x, w, sums, sizes);
        case Type::f16: return sums_of<float16>(matrix, x, w, sums, sizes);
        case Type::bf16: return sums_of<bfloat16>(matrix, x, w, sums, sizes);
        case Type::c64:
        case Type::c128: break;  // complex products are not verified
    }
}

}  // namespace tw
