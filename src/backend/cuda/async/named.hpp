// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// A few products' addresses among a kernel's parameters: what writes them to memory first is a kernel that takes half
// as long as such products do.
#pragma once

#include <cstdint>

#include "backend/cuda/device/device.hpp"
#include "backend/cuda/operands/batched.hpp"

namespace tw::cuda {

struct Named {
    static constexpr std::int64_t most = 128;  ///< of 4096 bytes that all parameters may have
    unsigned count = 0;
    std::uint64_t addresses[3 * most] = {};  ///< of all A, all B, all C

    void name(const Call& call) {
        for (const BatchedOperand& one : {a_of(call), b_of(call), c_of(call)})
            for (std::int64_t i = 0; i < one.size; ++i) addresses[count++] = one.address(i);
    }
};

inline bool are_named(const Call& call) {
    return call.batch && by_pointers(*call.batch) && products_of(call) <= Named::most;
}
/// However they lie: TMA would have their places from memory. 128 x 16 x 192 NT takes an H200 3.9 us 18 times, by TMA
/// 4.9, and 100 x 100 x 256 NN 6.9 us 27 times, by copies 10.5; but 48 x 512 x 256, 20 times and 160 tiles, 7.2
/// and 6.2.
inline bool is_soon_named(const Call& call) {
    return are_named(call) && call.k() <= 256 &&
           tiles_over(call.m(), 64) * tiles_over(call.n(), 64) * products_of(call) <= multiprocessors();
}

}  // namespace tw::cuda
