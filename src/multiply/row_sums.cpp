// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "multiply/row_sums.hpp"

#include <algorithm>
#include <cmath>

#include "base/cpu_features.hpp"
#include "base/rounding.hpp"
#include "base/threads.hpp"

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
void typed_sums(const Matrix& matrix, const double* x, const double* w, double* sums, double* sizes) noexcept {
    const auto view = typed<const T>(matrix);
    view.col_step == 1 ? along_rows<T>(view, x, w, sums, sizes) : along_columns<T>(view, x, w, sums, sizes);
}

void sums_of(const Matrix& matrix, const double* x, const double* w, double* sums, double* sizes) noexcept {
#if defined(__x86_64__)
    const std::uint64_t features = cpu_features();
    if ((features & cpu_feature::avx512) && row_sums_avx512(matrix, x, w, sums, sizes)) return;
    if ((features & cpu_feature::avx2) && row_sums_avx2(matrix, x, w, sums, sizes)) return;
#endif
    row_sums_plain(matrix, x, w, sums, sizes);
}

/// Some rows for each task. Of columns that lie as rows do, a task has at least some lines of the cache.
struct Tasks {
    const Matrix& matrix;
    const double *x, *w;
    double *sums, *sizes;
    std::int64_t count;

    static void run(void* context, int index) {
        constexpr std::int64_t together = 64;
        const auto& t = *static_cast<const Tasks*>(context);
        const std::int64_t groups = (t.matrix.rows + together - 1) / together;
        const std::int64_t first = groups * index / t.count * together;
        const std::int64_t end = std::min(t.matrix.rows, groups * (index + 1) / t.count * together);
        if (first < end)
            sums_of(t.matrix.block(first, 0, end - first, t.matrix.cols), t.x, t.w, t.sums + first, t.sizes + first);
    }
};

}  // namespace

void row_sums_plain(const Matrix& matrix, const double* x, const double* w, double* sums, double* sizes) noexcept {
    switch (matrix.type) {
        case Type::f64: return typed_sums<double>(matrix, x, w, sums, sizes);
        case Type::f32: return typed_sums<float>(matrix, x, w, sums, sizes);
        case Type::f16: return typed_sums<float16>(matrix, x, w, sums, sizes);
        case Type::bf16: return typed_sums<bfloat16>(matrix, x, w, sums, sizes);
        case Type::c64:
        case Type::c128: break;  // complex products are not verified
    }
}

void row_sums(const Matrix& matrix, const double* x, const double* w, double* sums, double* sizes,
              const Workers& workers) noexcept {
    constexpr std::int64_t worth_a_thread = 1 << 16;  // elements
    const std::int64_t wanted = matrix.rows * matrix.cols / worth_a_thread;
    Tasks tasks{matrix, x, w, sums, sizes, std::clamp<std::int64_t>(wanted, 1, std::max(1, workers.threads))};
    const auto count = static_cast<int>(tasks.count);
    run_tasks(workers.executor, count, count, Tasks::run, &tasks);
}

}  // namespace tw
