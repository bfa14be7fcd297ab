// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Copies of operands whose rows begin at multiples of 16 bytes, of a product or of a whole batch: one launch for all.
#pragma once

#include <cstdint>
#include <span>

#include "tilewright/status.hpp"
#include "tilewright/view.hpp"

namespace tw::cuda {

/// Elements of 16 or 32 bits. `to` has the rows of `from`, `pitch` elements apart, and behind each row what it likes.
struct CopiedRows {
    Matrix from;
    void* to = nullptr;
    std::int64_t pitch = 0;
    std::int64_t products = 1, from_bytes = 0, to_bytes = 0;  ///< from one product to the next
    const std::uint64_t* addresses = nullptr;                 ///< on the device; or where each product's is
};

/// One or two, of one type.
Status copy_rows(std::span<const CopiedRows> copies, void* stream) noexcept;

}  // namespace tw::cuda
