// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// A matrix in the memory of a CUDA device: laid out there once, by whoever needs it first.
#pragma once

#include <array>
#include <memory>
#include <string_view>

#include "backend/contract.hpp"
#include "backend/effort_contract.hpp"
#include "formats/body.hpp"

namespace tw::effort {

/// A body's arrays in the memory of one device; gone with the body.
struct Held {
    const Backend* backend = nullptr;
    int device = 0;
    EffortOnDevice matrix{};
    std::array<void*, 4> arrays{};  // rows, dense, importance, gains

    Held() = default;
    Held(const Held&) = delete;
    Held& operator=(const Held&) = delete;
    ~Held() {
        for (void* array : arrays)
            if (array) backend->free(array);
    }
};

/// The matrix where the device has it, after the calling thread has chosen that device. May throw std::bad_alloc.
Status held_by(const EffortBody& body, std::string_view device, std::shared_ptr<const Held>& held);

/// Any bytes, a multiple of 4 of them, as a copy takes them.
inline Matrix bytes_at(const void* memory, std::size_t bytes) noexcept {
    const auto words = static_cast<std::int64_t>(bytes / 4);
    return {const_cast<void*>(memory), Type::f32, 1, words, words};
}

}  // namespace tw::effort
