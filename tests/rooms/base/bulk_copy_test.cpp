// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "base/bulk_copy.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace {

// Every alignment of both sides, lengths around lines and around what is read ahead; not a byte more than asked for.
TEST(BulkCopy, MovesEveryByteAndNoOther) {
    std::vector<unsigned char> source(20000);
    for (std::size_t i = 0; i < source.size(); ++i) source[i] = static_cast<unsigned char>(i * 7 + i / 256);
    for (const std::size_t bytes : {0u, 1u, 15u, 63u, 64u, 65u, 200u, 4095u, 4352u, 4353u, 9000u})
        for (const std::size_t to : {0u, 1u, 16u, 63u})
            for (const std::size_t from : {0u, 3u, 64u})
                for (const auto copy : {tw::copy_reading_ahead, tw::copy_past_caches}) {
                    std::vector<unsigned char> target(20000, 0xee), expected(target);
                    std::copy_n(source.begin() + static_cast<std::ptrdiff_t>(from), bytes,
                                expected.begin() + static_cast<std::ptrdiff_t>(to));
                    copy(target.data() + to, source.data() + from, bytes);
                    EXPECT_EQ(target, expected) << bytes << " bytes from " << from << " to " << to;
                }
}

}  // namespace
