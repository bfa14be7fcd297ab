// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// A product, or a batch of one shape, as r9's kernels get it: operands where TMA reaches them, and their maps.
#pragma once

#include <cuda.h>

#include "backend/cuda/operands/aligned.hpp"
#include "backend/cuda/operands/batched.hpp"

namespace tw::cuda {

/// The products of a batch as TMA sees them: for each operand a map of many matrices. One product is a map of one.
struct Mapped {
    Depth a, b, c;

    bool fits(const Call& call) noexcept {
        return depth_of(a_of(call), a) && depth_of(b_of(call), b) && depth_of(c_of(call), c);
    }
};

struct Job {
    const Call& call;        ///< from the side on which C's rows are contiguous, if there is one
    bool is_turned = false;  ///< it is C's other side: a bias goes down the rows
    AlignedRows a{}, b{};
    Mapped mapped{};
    Tile tile{};
    void* sums = nullptr;   ///< scratch for the parts of a last wave; null: nothing is cut
    bool is_copied = true;  ///< an operand is, by the kernel in front

    bool is_deep() const noexcept {
        return products_of(call) > 1;
    }  ///< one product is quicker by maps of two dimensions
    bool adds() const noexcept { return call.beta != 0 || call.epilogue.residual.data; }
    int m() const noexcept { return static_cast<int>(call.m()); }
    int n() const noexcept { return static_cast<int>(call.n()); }
    /// Of k that lie in the 128 bytes of a tile's row.
    int depth() const noexcept { return call.a.type == Type::f32 ? 32 : 64; }
    int steps() const noexcept { return static_cast<int>((call.k() + depth() - 1) / depth()); }
    /// Short products, of operands that no kernel in front makes, nor says where they are: 768 cubed NN of bf16 took an
    /// H200 5.3 us, and 4.8 with their first steps on the way to L2 before the wait. Long ones only crowd it.
    bool begins_early() const noexcept {
        const bool by_pointers = call.batch && (call.batch->a || call.batch->b || call.batch->c);
        return call.a.type != Type::f32 && !is_copied && !by_pointers && steps() <= 16 && call.beta == 0 &&
               !call.epilogue.residual.data;
    }
};

/// An operand's boxes: 64 elements along k by so many rows, or, where it lies across k, 64 along it by so many of k.
Status describe_operand(CUtensorMap& map, const Job& job, bool is_a, int rows) noexcept;

/// C's, for a warp's 16 rows of 128 bytes; only where goes_by_box.
Status describe_c(CUtensorMap& map, const Job& job) noexcept;
/// TMA writes whole 16 bytes: a row that ends inside of them is left to the threads.
bool goes_by_box(const Job& job) noexcept;
/// C is of 16 bits, goes by box, and is no more than alpha times the sums.
bool ends_plainly(const Job& job) noexcept;

/// C's rows start at multiples of 16 bytes.
bool goes_by_group(const Call& call, const Depth& c) noexcept;

}  // namespace tw::cuda
