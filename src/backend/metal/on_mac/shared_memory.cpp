// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "backend/metal/on_mac/shared_memory.hpp"

#include <cstring>

#include "base/element.hpp"

namespace tw::metal {

void copy_elements(const Matrix& to, const Matrix& from) noexcept {
    const bool rows_alike = to.type == from.type && to.col_step == 1 && from.col_step == 1;
    for (std::int64_t i = 0; i < to.rows; ++i) {
        if (rows_alike) {
            std::memcpy(to.at(i, 0), from.at(i, 0), static_cast<std::size_t>(to.cols) * size_of(to.type));
            continue;
        }
        for (std::int64_t j = 0; j < to.cols; ++j) store_element(to, i, j, load_element(from, i, j));
    }
}

}  // namespace tw::metal
