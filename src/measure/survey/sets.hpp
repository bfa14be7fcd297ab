// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Several sets of operands of one shape, so that no product finds its own in L2. They are cut from one block of memory,
// and filled by copies of N(0, 1) numbers that were generated once.
#pragma once

#include <span>
#include <vector>

#include "measure/survey/case.hpp"
#include "measure/survey/queue.hpp"
#include "tilewright/batch.hpp"

namespace tw::measure {

/// One set. The matrices are the first product's; `batch` gives the others.
struct Set {
    Matrix a, b, c;
    Batch batch{};
    std::vector<void*> at[3]{};     ///< for a batch by pointers: the addresses of each product's A, B and C
    void** pointers[3]{};           ///< the same lists in memory that the device reads
    std::byte* c_memory = nullptr;  ///< from the aligned address before C's first element
    std::size_t c_bytes = 0;        ///< to the end of the last element, where the guard bytes begin

    Matrix a_of(std::int64_t product) const { return one(a, 0, batch.a_step, product); }
    Matrix b_of(std::int64_t product) const { return one(b, 1, batch.b_step, product); }
    Matrix c_of(std::int64_t product) const { return one(c, 2, batch.c_step, product); }

private:
    Matrix one(Matrix first, std::size_t which, std::int64_t step, std::int64_t product) const {
        first.data = at[which].empty() ? first.at(0, 0) : at[which][static_cast<std::size_t>(product)];
        if (at[which].empty())
            first.data =
                static_cast<char*>(first.data) + product * step * static_cast<std::int64_t>(size_of(first.type));
        return first;
    }
};

inline constexpr std::size_t guarded_bytes = 4096;

class OperandMemory {
public:
    /// Takes as much memory as it can get, up to `most_bytes`; status() says whether it succeeded.
    OperandMemory(const Queue& queue, std::size_t most_bytes);
    const Status& status() const { return status_; }
    const Queue& queue() const { return queue_; }

    /// Makes enough sets to exceed L2, at least 1 and at most 64. They are valid until the next call.
    Status lay_out(const Case& what, std::vector<Set>& sets);

    /// Fills a set's C with NaN, also between its rows and after it; where beta needs an old C, its elements are N(0,
    /// 1).
    Status poison(const Case& what, const Set& set) const;

    /// Device memory that the sets do not use, for temporary data; empty when there is none left.
    std::span<std::byte> rest() const;

private:
    std::byte* take(std::size_t bytes);
    Status fill(std::byte* to, std::size_t bytes, Type type, std::uint64_t phase) const;
    Status fill_matrix(const Matrix& to, std::uint64_t phase) const;
    Status generate_numbers(Type type);
    Status upload_pointers(Set& set);

    const Queue& queue_;
    Memory block_, noise_[static_cast<std::size_t>(last_type) + 1], nan_;
    std::size_t taken_ = 0;
    Status status_{};
};

}  // namespace tw::measure
