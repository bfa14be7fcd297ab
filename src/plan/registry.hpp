// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// THE list of backends. Adding one is a line in registry.cpp.
#pragma once

#include <span>
#include <string_view>

#include "backend/contract.hpp"
#include "backend/links.hpp"
#include "backend/slabs_contract.hpp"
#include "backend/sums_contract.hpp"

namespace tw {

/// What is known of a backend before it is opened. A backend in a library of its own is opened when its row is first
/// needed, but never just to find out whose memory an address is.
struct BackendSource {
    const char* name;
    Place place;
    bool (*owns)(const void* memory);  ///< null: host memory
    bool (*may_own)();                 ///< set with owns; false: it has no memory now, so owns() need not be called
    const Backend& (*open)() noexcept;
    std::span<const std::byte> (*allocation)(const void* memory) =
        nullptr;                                       ///< the whole allocation around an address; null: not known
    const DeviceLinks* (*links)() noexcept = nullptr;  ///< null, also as its answer: devices share nothing
    const ProductSums* (*sums)() noexcept =
        nullptr;  ///< null, also as its answer: its memory's products stay unchecked
    const SlabProducts* (*slabs)() noexcept = nullptr;  ///< null, also as its answer: a kernel takes one slab a call

    const Backend& operator()() const noexcept { return open(); }
};
std::span<const BackendSource> backends() noexcept;

/// False: all memory is the host's now. One call spares asking about each operand.
bool may_lie_on_a_device() noexcept;

/// By name, without a device number: "cpu", "cuda". Null when there is no such backend.
const Backend* find_backend(std::string_view name) noexcept;

/// Null when its devices share nothing.
const DeviceLinks* links_of(std::string_view backend) noexcept;

/// Null when products of its memory can't be checked there.
const ProductSums* sums_of(std::string_view backend) noexcept;

/// Null when its kernels take one slab a call.
const SlabProducts* slabs_of(std::string_view backend) noexcept;

/// "cuda" of "cuda:1".
std::string_view backend_part(std::string_view device) noexcept;

/// The 1 of "cuda:1"; -1 when there is no colon, -2 when what follows it is not a number.
int device_part(std::string_view device) noexcept;

}  // namespace tw
