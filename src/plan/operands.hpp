// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Where operands are, and the exact widening of narrow ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "tilewright/plan.hpp"

namespace tw {

/// The kind of memory that an address belongs to.
Place place_of(const void* memory) noexcept;

/// False when only the device can read that memory. A Mac's GPU shares its memory with the host.
constexpr bool host_reads(Place place) noexcept { return place != Place::cuda; }

/// True when sizes of a copy, padded to tiles and split into parts as kernels do, can't overflow. (A row of 2^46
/// elements fills a processor's address space; only a step of 0 allows more.)
constexpr bool copy_fits(std::int64_t rows, std::int64_t cols) noexcept {
    constexpr std::int64_t most = std::int64_t{1} << 46, padding = 4096;
    return rows <= most && cols <= most && rows + padding <= (std::int64_t{1} << 58) / (cols + padding);
}

/// problem_of(), when C's place is known.
Problem problem_at(Place place, const Matrix& a, const Matrix& b, const Matrix& c, const Options& options) noexcept;

/// True when the operands are f16 or bf16 and a kernel for f32 gives the answer after widening.
constexpr bool widens_to_f32(const Problem& problem) noexcept {
    return problem.in == Type::f16 || problem.in == Type::bf16;
}

/// Where a complex product meets a device that has no rows for it.
inline constexpr Status no_complex{Code::unsupported, Argument::options,
                                   "that device has no kernels for complex operands of that type: the CPU and CUDA "
                                   "devices have both, Metal's have c64"};

/// Ok, or why a kernel for these types can't have such options: complex scalars are for complex operands, and some of
/// what real products have is for those alone.
Status check_types(Type in, const Options& options) noexcept;

/// C has the operands' type, or f32 where they are narrower.
constexpr bool types_go_together(Type in, Type out) noexcept {
    return out == in || (out == Type::f32 && (in == Type::f16 || in == Type::bf16));
}

/// Copies element by element, widening or rounding to nearest even. The shapes are equal.
void convert(const Matrix& to, const Matrix& from) noexcept;

/// place_of() for many addresses: most lie in the same allocation as the last one, so the driver need not be asked.
class PlaceCache {
public:
    Place of(const void* memory) noexcept {
        const auto address = reinterpret_cast<std::uintptr_t>(memory),
                   start = reinterpret_cast<std::uintptr_t>(allocation_.data());
        return address - start < allocation_.size() ? place_ : ask(memory);
    }

private:
    Place ask(const void* memory) noexcept;

    std::span<const std::byte> allocation_;
    Place place_ = Place::host;
};

}  // namespace tw
