// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Operands on their way to a kernel and back: where they live, and the exact widening of narrow ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "tilewright/plan.hpp"

namespace tw {

/// Which kind of memory an address belongs to.
Place place_of(const void* memory) noexcept;

/// False: only a device can read that memory. A Mac's GPU shares its memory with the host.
constexpr bool host_reads(Place place) noexcept { return place != Place::cuda; }

/// True when a copy of so many elements fits an address, padded to tiles and in parts as kernels make them. (2^46
/// elements of a row are as much as a processor's addresses reach; it takes steps of 0 to ask for more.)
constexpr bool copy_fits(std::int64_t rows, std::int64_t cols) noexcept {
    constexpr std::int64_t most = std::int64_t{1} << 46, padding = 4096;
    return rows <= most && cols <= most && rows + padding <= (std::int64_t{1} << 58) / (cols + padding);
}

/// problem_of() where C's place is known.
Problem problem_at(Place place, const Matrix& a, const Matrix& b, const Matrix& c, const Options& options) noexcept;

/// True when the operands are f16 or bf16 and a kernel for f32 gives the answer after widening.
constexpr bool widens_to_f32(const Problem& problem) noexcept {
    return problem.in == Type::f16 || problem.in == Type::bf16;
}

/// Copies element by element, widening or rounding to nearest even. Shapes agree.
void convert(const Matrix& to, const Matrix& from) noexcept;

/// For many addresses, most of which lie in the allocation of the one before: a driver is not asked about each.
class Whereabouts {
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
