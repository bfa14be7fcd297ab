// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The operands of one shape, several times over, so that no product finds its own in L2. They are cut from one block
// of memory and filled with N(0, 1) by copies of numbers that were made once.
#pragma once

#include <span>
#include <vector>

#include "measure/survey/case.hpp"
#include "measure/survey/queue.hpp"
#include "tilewright/batch.hpp"

namespace tw::measure {

/// One set. The matrices are the first product's; `batch` tells the others.
struct Set {
    Matrix a, b, c;
    Batch batch{};
    std::vector<void*> at[3]{};     ///< of a batch by pointers: where each product's A, B and C begin
    void** pointers[3]{};           ///< the same lists in memory that the device reads
    std::byte* c_memory = nullptr;  ///< from the aligned address before C's first element
    std::size_t c_bytes = 0;        ///< to behind its last, and then come the guarded bytes

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

class Ground {
public:
    /// As much memory as may be had, up to `most_bytes`; status() tells whether that went well.
    Ground(const Queue& queue, std::size_t most_bytes);
    const Status& status() const { return status_; }
    const Queue& queue() const { return queue_; }

    /// At least one set, enough to go around L2, and no more than 64. Sets are valid until the next call.
    Status lay_out(const Case& what, std::vector<Set>& sets);

    /// NaNs over the whole of a set's C, between its rows and behind it; where beta needs an old C, N(0, 1) in its
    /// elements.
    Status poison(const Case& what, const Set& set) const;

    /// Device memory behind the sets, for whoever needs some in between; empty when there is none left.
    std::span<std::byte> rest() const;

private:
    std::byte* take(std::size_t bytes);
    Status fill(std::byte* to, std::size_t bytes, Type type, std::uint64_t phase) const;
    Status fill_matrix(const Matrix& to, std::uint64_t phase) const;
    Status make_noise(Type type);
    Status tell_pointers(Set& set);

    const Queue& queue_;
    Memory block_, noise_[4], nan_;
    std::size_t taken_ = 0;
    Status status_{};
};

}  // namespace tw::measure
