// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// THE list of backends. Adding one is a line in registry.cpp.
#pragma once

#include <span>
#include <string_view>

#include "backend/contract.hpp"

namespace tw {

/// What is known of a backend before it is opened: one that lives in a library of its own is opened when its row is
/// first asked for, never to answer whose memory an address is.
struct BackendSource {
    const char* name;
    Place place;
    bool (*owns)(const void* memory);  ///< null: host memory
    bool (*may_own)();                 ///< with owns: false when no address is its own now
    const Backend& (*open)() noexcept;
    std::span<const std::byte> (*allocation)(const void* memory) =
        nullptr;  ///< all that was allocated with it; null: not known

    const Backend& operator()() const noexcept { return open(); }
};
std::span<const BackendSource> backends() noexcept;

/// False: all memory is the host's now. Asked once for all operands of a call, it spares asking whose each of them is.
bool may_lie_on_a_device() noexcept;

/// By name, without a device number: "cpu", "cuda". Null when there is no such backend.
const Backend* find_backend(std::string_view name) noexcept;

/// "cuda" of "cuda:1".
std::string_view backend_part(std::string_view device) noexcept;

/// The 1 of "cuda:1"; -1 when no number is named, -2 when what stands there is none.
int device_part(std::string_view device) noexcept;

}  // namespace tw
