// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#pragma once

#include <cstring>

#include "tilewright/batch.hpp"
#include "tilewright/plan.hpp"

namespace tw {

struct Call;

/// Pointer i of an array of pointers to any object type; copied byte by byte, since the type is not known.
template <class Pointer>
void* pointer_of(const Pointer* array, std::int64_t i) noexcept {
    void* pointer = nullptr;
    std::memcpy(&pointer, array + i, sizeof pointer);
    return pointer;
}

/// The operands of every product of a batch, derived from those of the first.
struct Products {
    Matrix a, b, c, residual;
    const Batch& batch;

    Matrix a_of(std::int64_t i) const noexcept { return product(a, batch.a, batch.a_step, i); }
    Matrix b_of(std::int64_t i) const noexcept { return product(b, batch.b, batch.b_step, i); }
    Matrix c_of(std::int64_t i) const noexcept { return product(c, batch.c, batch.c_step, i); }
    Matrix residual_of(std::int64_t i) const noexcept { return product(residual, nullptr, batch.residual_step, i); }

private:
    template <class Pointer>
    static Matrix product(Matrix of_first, const Pointer* array, std::int64_t step, std::int64_t i) noexcept {
        if (array) of_first.data = pointer_of(array, i);
        else if (of_first.data)
            of_first.data =
                static_cast<char*>(of_first.data) + i * step * static_cast<std::int64_t>(size_of(of_first.type));
        return of_first;
    }
    static Matrix product(Matrix of_first, std::nullptr_t, std::int64_t step, std::int64_t i) noexcept {
        return product(of_first, static_cast<void* const*>(nullptr), step, i);
    }
};

/// True when it is faster to spread products over threads than to use all threads in each product. `alone` is planned
/// for one thread, `together` for all.
bool shares_the_batch(const Plan& alone, const Plan& together, std::int64_t size) noexcept;

/// Runs every product by `alone`, on up to `threads` threads. The operands have been checked by the front door.
Status execute_batch(const Plan& alone, const Products& products, int threads) noexcept;

/// Finds a plan by which a device does the batch in few calls with the bits of `plan`: by its kernel, or by any kernel
/// of the same order of summation. False: none, so do the products one by one.
bool plan_at_once(const Plan& plan, const Products& products, bool any_of_its_order, Plan& found) noexcept;

/// The same of one such call, the batch set in it, wherever its operands lie.
bool row_at_once(const Plan& plan, const Call& call, bool any_of_its_order, Plan& found) noexcept;

Status execute_at_once(const Plan& plan, const Products& products) noexcept;

}  // namespace tw
