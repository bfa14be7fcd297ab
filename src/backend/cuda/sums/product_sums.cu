// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// What C's rows must sum to, what they do, and how many are further off than allowed: a launch for each matrix.
#include "backend/cuda/device/calls.hpp"
#include "backend/cuda/device/device.hpp"
#include "backend/cuda/device/entry.hpp"
#include "backend/cuda/device/launch.hpp"
#include "backend/cuda/sums/add_up.cuh"
#include "backend/cuda/sums/product_sums.hpp"

namespace tw::cuda {
namespace {

constexpr int counters = 1024;  // threads of the one block that looks at all sums

/// The sums of C0, which is about to be overwritten, join those of A B, and are 0 again.
__global__ void __launch_bounds__(256) add_old(double alpha, double beta, Sums wanted, Sums seen, std::int64_t count) {
    const std::int64_t i = blockIdx.x * std::int64_t{256} + threadIdx.x;
    if (i >= count) return;
    wanted.values[i] = alpha * wanted.values[i] + beta * seen.values[i];
    wanted.sizes[i] = fabs(alpha) * wanted.sizes[i] + fabs(beta) * seen.sizes[i];
    seen.values[i] = seen.sizes[i] = 0;
}

/// counts: whether some sum is off, and whether some tells nothing. What was seen is 0 again, for another look.
__global__ void __launch_bounds__(counters)
    count_off(double alpha, Allowance may, Sums wanted, Sums seen, std::int64_t count, double* counts) {
    bool off = false, silent = false;
    for (std::int64_t i = threadIdx.x; i < count; i += counters) {
        const double size = fabs(alpha) * wanted.sizes[i];
        const double allowed = may.of_sizes * size + may.of_seen * seen.sizes[i] + may.floor;
        const bool tells = isfinite(size), is_as_expected = fabs(seen.values[i] - alpha * wanted.values[i]) <= allowed;
        silent |= !tells, off |= tells && !is_as_expected;
        seen.values[i] = seen.sizes[i] = 0;
    }
    const int any_off = __syncthreads_or(off), any_silent = __syncthreads_or(silent);
    if (threadIdx.x == 0) counts[0] = any_off, counts[1] = any_silent;
}

/// Where each vector of a product lies.
struct Layout {
    Sums b_by_signs, wanted, seen;
    double* counts;
    double* end;

    Layout(std::int64_t m, std::int64_t k, double* at) noexcept {
        const auto next = [&](std::int64_t count) {
            const Sums sums{at, at + count};
            at += 2 * count;
            return sums;
        };
        b_by_signs = next(k), wanted = next(m), seen = next(m);
        counts = at, end = at + 2;
    }
};

Layout layout_of(const SumsOf& p, std::span<std::byte> memory) noexcept {
    return {p.c.rows, p.a.cols, reinterpret_cast<double*>(memory.data())};
}

Status clear(double* from, const double* to, void* stream) noexcept {
    const auto bytes = static_cast<std::size_t>(to - from) * sizeof(double);
    return status_of(calls().clear(from, 0, bytes, static_cast<cudaStream_t>(stream)), Step::clear);
}

std::int64_t covering(std::int64_t extent, std::int64_t part) noexcept { return (extent + part - 1) / part; }

template <class T>
Status add_up_of(const Matrix& m, bool along_rows, bool backwards, Weights by, Sums sums, void* stream) noexcept {
    const bool in_fours = m.col_step == 1 && m.row_step % own_columns == 0 &&
                          reinterpret_cast<std::uintptr_t>(m.data) % alignof(Four<T>) == 0;
    const std::int64_t blocks = along_rows ? covering(m.cols, strip) * covering(m.rows, warps * rows_at_once)
                                           : covering(m.cols, columns_of_block) * covering(m.rows, rows_of_block);
    const Launch how{.blocks = static_cast<unsigned>(blocks), .threads = warps * lanes};
    return launch(along_rows ? add_rows<T> : add_columns<T>, how, stream, m, in_fours, backwards, by, sums);
}

/// Along rows of the matrix as it is meant, however it lies.
Status add_up(const Matrix& meant, bool backwards, Weights by, Sums sums, void* stream) noexcept {
    const bool as_meant = meant.col_step == 1 || meant.row_step != 1;
    const Matrix m = as_meant ? meant : meant.transposed();
    switch (m.type) {
        case Type::f64: return add_up_of<double>(m, as_meant, backwards, by, sums, stream);
        case Type::f32: return add_up_of<float>(m, as_meant, backwards, by, sums, stream);
        case Type::f16: return add_up_of<__half>(m, as_meant, backwards, by, sums, stream);
        case Type::bf16: return add_up_of<__nv_bfloat16>(m, as_meant, backwards, by, sums, stream);
        case Type::c64:
        case Type::c128: break;  // complex products are not verified
    }
    return {};
}

std::size_t bytes(std::int64_t m, std::int64_t k) noexcept {
    return static_cast<std::size_t>(4 * m + 2 * k + 2) * sizeof(double);
}

Status expect(const SumsOf& p, std::span<std::byte> memory, void* stream) noexcept {
    const Layout at = layout_of(p, memory);
    Status status = clear(reinterpret_cast<double*>(memory.data()), at.end, stream);
    if (status) status = add_up(p.b, false, {}, at.b_by_signs, stream);
    if (status) status = add_up(p.a, false, {at.b_by_signs.values, at.b_by_signs.sizes}, at.wanted, stream);
    if (!status || p.beta == 0) return status;
    status = add_up(p.c, false, {}, at.seen, stream);
    const std::int64_t m = p.c.rows;
    const Launch one_each{.blocks = static_cast<unsigned>(covering(m, 256)), .threads = 256};
    return status ? launch(add_old, one_each, stream, p.alpha, p.beta, at.wanted, at.seen, m) : status;
}

Status compare(const SumsOf& p, const Allowance& allowed, std::span<std::byte> memory, void* stream,
               SumsOff& found) noexcept {
    const Layout at = layout_of(p, memory);
    const double alpha = p.beta == 0 ? p.alpha : 1;  // add_old() has seen to it
    const std::int64_t m = p.c.rows;
    Status status = add_up(p.c, true, {}, at.seen, stream);
    const Launch alone{.threads = counters};
    if (status) status = launch(count_off, alone, stream, alpha, allowed, at.wanted, at.seen, m, at.counts);
    double counts[2] = {};
    if (status) status = copy({counts, Type::f64, 1, 2, 2}, {at.counts, Type::f64, 1, 2, 2}, stream);
    if (status) status = wait(stream);
    found = {counts[0] != 0, counts[1] != 0};
    return status;
}

constexpr ProductSums product_sums{.bytes = bytes, .expect = expect, .compare = compare};

}  // namespace
}  // namespace tw::cuda

extern "C" TW_API const tw::ProductSums* tilewright_cuda_sums(unsigned long long stamp) noexcept {
    return stamp == tw::cuda::contract_stamp ? &tw::cuda::product_sums : nullptr;
}
