// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Many products of one shape in one launch: where the operands of each lie. A batch by steps needs no memory for that;
// one by pointers has its addresses in scratch, written there by a kernel out of its own parameters, so that nothing
// waits and a graph keeps them.
#pragma once

#include <cstring>

#include "backend/contract.hpp"
#include "backend/cuda/operands/depths.hpp"

namespace tw::cuda {

/// What Batching::takes is asked about: the batch, and operands of which any may be told by pointers.
struct BatchedOperand {
    Matrix first;
    const void* const* pointers;  ///< null: `step` says where the others are
    std::int64_t step, size;

    /// Of every product's first element and of the step between them: the lowest bit set is what they are all aligned
    /// to.
    std::uintptr_t address_bits() const noexcept;

    /// Of an operand told by pointers.
    std::uintptr_t pointer(std::int64_t i) const noexcept {
        std::uintptr_t address = 0;
        std::memcpy(&address, pointers + i, sizeof address);  // the array may be of any object pointers
        return address;
    }
    std::uintptr_t address(std::int64_t i) const noexcept {
        if (pointers) return pointer(i);
        return reinterpret_cast<std::uintptr_t>(static_cast<const char*>(first.data) +
                                                i * step * static_cast<std::int64_t>(size_of(first.type)));
    }

    /// How many different ones there are as far as can be told: one when all products share it.
    std::int64_t count() const noexcept { return pointers || step != 0 ? size : 1; }
};
BatchedOperand a_of(const Call& call) noexcept;
BatchedOperand b_of(const Call& call) noexcept;
BatchedOperand c_of(const Call& call) noexcept;

inline bool by_pointers(const Batch& batch) noexcept { return batch.a || batch.b || batch.c; }
inline std::int64_t products_of(const Call& call) noexcept { return call.batch ? call.batch->size : 1; }

/// Blocks of the grid's second dimension are products, for kernels that give each its own.
inline constexpr std::int64_t most_products = 65535;

/// For TMA: matrices of one map that begin at `first` + coordinate * bytes.
struct Depth {
    void* first = nullptr;
    std::int64_t extent = 1, bytes = 16;
};
/// False when the products lie where no map reaches: behind one another, or not 16 bytes apart.
bool depth_of(const BatchedOperand& operand, Depth& depth) noexcept;

/// The coordinates of a batch by pointers, into the call's scratch.
Status place_depths(const Call& call, const Depth& a, const Depth& b, const Depth& c, Depths& depths) noexcept;

/// In device code: where a product lies, seen from the first; product blockIdx.y where none is named.
struct Places {
    std::int64_t a_bytes = 0, b_bytes = 0, c_bytes = 0, residual_bytes = 0;  ///< from one product to the next
    const std::uint64_t* addresses = nullptr;  ///< or the addresses of all A, all B, all C
    unsigned size = 1;

#ifdef __CUDACC__
    template <class T>
    __device__ T* a(T* first, unsigned product) const {
        return place(first, 0, a_bytes, product);
    }
    template <class T>
    __device__ T* b(T* first, unsigned product) const {
        return place(first, 1, b_bytes, product);
    }
    template <class T>
    __device__ T* c(T* first, unsigned product) const {
        return place(first, 2, c_bytes, product);
    }
    __device__ const void* residual(const void* first, unsigned product) const {
        return first ? static_cast<const char*>(first) + product * residual_bytes : nullptr;
    }
    template <class T>
    __device__ T* a(T* first) const {
        return a(first, blockIdx.y);
    }
    template <class T>
    __device__ T* b(T* first) const {
        return b(first, blockIdx.y);
    }
    template <class T>
    __device__ T* c(T* first) const {
        return c(first, blockIdx.y);
    }
    __device__ const void* residual(const void* first) const { return residual(first, blockIdx.y); }

private:
    template <class T>
    __device__ T* place(T* first, unsigned operand, std::int64_t bytes, unsigned product) const {
        if (addresses) return reinterpret_cast<T*>(addresses[operand * size + product]);
        return reinterpret_cast<T*>(reinterpret_cast<std::uintptr_t>(first) + product * bytes);
    }
#endif
};

/// Scratch for a batch by pointers.
std::size_t places_bytes(const Problem& problem, const Tile& tile, const Batch& batch) noexcept;

/// Of a call with or without a batch; what it uses of the scratch is taken off its front.
Status place_products(const Call& call, std::span<std::byte>& scratch, Places& places) noexcept;

}  // namespace tw::cuda
