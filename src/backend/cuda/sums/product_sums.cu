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

/// The sums of C0, which is about to be overwritten, join those of A B.
__global__ void __launch_bounds__(256) add_old(double alpha, double beta, Sums wanted, Sums seen, std::int64_t count) {
    const std::int64_t i = blockIdx.x * std::int64_t{256} + threadIdx.x;
    if (i >= count) return;
    wanted.values[i] = alpha * wanted.values[i] + beta * seen.values[i];
    wanted.sizes[i] = fabs(alpha) * wanted.sizes[i] + fabs(beta) * seen.sizes[i];
}

/// counts: of sums that are off, and of those that tell nothing.
__global__ void __launch_bounds__(256)
    count_off(double alpha, Allowance may, Sums wanted, Sums seen, std::int64_t count, double* counts) {
    const std::int64_t i = blockIdx.x * std::int64_t{256} + threadIdx.x;
    if (i >= count) return;
    const double size = fabs(alpha) * wanted.sizes[i];
    const double allowed = may.of_sizes * size + may.of_seen * seen.sizes[i] + may.floor;
    if (!isfinite(size)) atomicAdd(counts + 1, 1.0);
    else if (!(fabs(seen.values[i] - alpha * wanted.values[i]) <= allowed)) atomicAdd(counts, 1.0);
}

/// Where each vector of a product lies. What is seen of C comes last, since each look begins with zeros.
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

template <class T>
Status add_up_of(const Matrix& m, bool along_rows, bool backwards, Weights by, Sums sums, void* stream) noexcept {
    const bool in_fours = m.col_step == 1 && m.row_step % own_columns == 0 &&
                          reinterpret_cast<std::uintptr_t>(m.data) % alignof(Four<T>) == 0;
    const std::int64_t blocks =
        ((m.cols + columns_of_block - 1) / columns_of_block) * ((m.rows + rows_of_block - 1) / rows_of_block);
    const Launch how{.blocks = static_cast<unsigned>(blocks), .threads = warps * lanes};
    return launch(along_rows ? add_up<T, true> : add_up<T, false>, how, stream, m, in_fours, backwards, by, sums);
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

Launch one_each(std::int64_t count) noexcept {
    return {.blocks = static_cast<unsigned>((count + 255) / 256), .threads = 256};
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
    return status ? launch(add_old, one_each(m), stream, p.alpha, p.beta, at.wanted, at.seen, m) : status;
}

Status compare(const SumsOf& p, const Allowance& allowed, std::span<std::byte> memory, void* stream,
               SumsOff& found) noexcept {
    const Layout at = layout_of(p, memory);
    const double alpha = p.beta == 0 ? p.alpha : 1;  // add_old() has seen to it
    const std::int64_t m = p.c.rows;
    Status status = clear(at.seen.values, at.end, stream);
    if (status) status = add_up(p.c, true, {}, at.seen, stream);
    if (status) status = launch(count_off, one_each(m), stream, alpha, allowed, at.wanted, at.seen, m, at.counts);
    double counts[2] = {};
    if (status) status = copy({counts, Type::f64, 1, 2, 2}, {at.counts, Type::f64, 1, 2, 2}, stream);
    if (status) status = wait(stream);
    found = {static_cast<std::int64_t>(counts[0]), static_cast<std::int64_t>(counts[1])};
    return status;
}

constexpr ProductSums product_sums{.bytes = bytes, .expect = expect, .compare = compare};

}  // namespace
}  // namespace tw::cuda

extern "C" TW_API const tw::ProductSums* tilewright_cuda_sums(unsigned long long stamp) noexcept {
    return stamp == tw::cuda::contract_stamp ? &tw::cuda::product_sums : nullptr;
}
