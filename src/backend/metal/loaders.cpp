// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "backend/metal/loaders.hpp"

namespace tw::metal {

Dispatch loaders_dispatch(const char* form, std::span<const float> from, std::span<float> to, const uint& loaders) {
    return {.family = form,
            .function = form,
            .arguments = {{{from.data(), from.size_bytes()},
                           {to.data(), to.size_bytes()},
                           {&loaders, sizeof loaders, true}}},
            .groups_x = static_cast<uint>(to.size() / loaders_threads),
            .threads_x = loaders_threads};
}

bool is_loaded_right(std::span<const float> from, std::span<const float> to) noexcept {
    for (std::size_t i = 0; i < to.size(); ++i)
        if (to[i] != from[i % loaders_threads * 32 + 31 - i % 32]) return false;
    return true;
}

}  // namespace tw::metal
