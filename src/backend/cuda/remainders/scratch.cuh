// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Where a product by remainders keeps what its passes leave for one another: each part at a multiple of 128 bytes.
#pragma once

#include "backend/cuda/remainders/remainders.cuh"

namespace tw::cuda {

/// Rows of whole lines of memory: where they began between its sectors of 32 bytes (k 4778), products took 1.4 times as
/// long.
constexpr std::int64_t pitch_of_planes(std::int64_t k) { return (k + 127) / 128 * 128; }

struct RemaindersScratch {
    RemaindersCall call;
    std::size_t bytes = 0;

    /// From `first` on; null asks for the bytes alone.
    RemaindersScratch(const remainders::Set& set, std::byte* first, std::int64_t m, std::int64_t n,
                      std::int64_t k) noexcept
        : call{} {
        call.set = set;
        const auto take = [&]<class T>(T*& place, std::int64_t count) {
            place = first ? reinterpret_cast<T*>(first + bytes) : nullptr;
            bytes += (static_cast<std::size_t>(count) * sizeof(T) + 127) / 128 * 128;
        };
        take(call.found, 1);
        take(call.a.large, m), take(call.b.large, n);
        const std::int64_t down = tiles_over(m, RemaindersOutput::rows),
                           across = tiles_over(n, RemaindersOutput::columns);
        call.out.down = static_cast<int>(down), call.out.across = static_cast<int>(across);
        take(call.out.native, down * 2 * across);
        call.a.pitch = call.b.pitch = pitch_of_planes(k);
        const std::int64_t slabs = tiles_over(k, slab_of_k);
        const auto operand = [&](RemaindersOperand& one, std::int64_t rows) {
            take(one.scaled, rows);
            take(one.partial_sums, rows * slabs), take(one.partial_tops, rows * slabs);
            take(one.planes, rows * one.pitch * call.most_planes());
        };
        operand(call.a, m), operand(call.b, n);
        take(call.out.bytes, down * across * RemaindersOutput::tile_bytes * call.most_planes());
    }
};

/// An operand that is converted once for many products: its elements, rows along k, and their planes for the fewest
/// moduli; then room that the conversion works in. Beyond remainders::most_k the elements alone.
template <class E>
struct KeptRows {
    RemaindersFound* found = nullptr;
    ScaledRow* scaled = nullptr;
    E* elements = nullptr;
    std::int8_t* planes = nullptr;
    unsigned long long* large = nullptr;
    double* partial_sums = nullptr;
    unsigned* partial_tops = nullptr;
    std::int64_t pitch;
    std::size_t bytes = 0;

    KeptRows(std::byte* first, std::int64_t rows, std::int64_t k) noexcept : pitch(pitch_of_planes(k)) {
        const auto take = [&]<class T>(T*& place, std::int64_t count) {
            place = first ? reinterpret_cast<T*>(first + bytes) : nullptr;
            bytes += (static_cast<std::size_t>(count) * sizeof(T) + 127) / 128 * 128;
        };
        take(found, 1), take(elements, rows * k);
        if (k > remainders::most_k) return;
        take(scaled, rows), take(large, rows), take(partial_sums, rows), take(partial_tops, rows);
        take(planes, rows * pitch * set_of<E>.least * set_of<E>.planes);
    }
};

}  // namespace tw::cuda
