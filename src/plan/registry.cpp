// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "plan/registry.hpp"

#include <charconv>

#include "backend/cpu/backend.hpp"
#include "backend/cuda/backend.hpp"
#include "backend/metal/backend.hpp"
#include "backend/metal/on_linux/backend.hpp"

namespace tw {
namespace {

constexpr BackendSource list[] = {
    {"cpu", Place::host, nullptr, nullptr, cpu::backend},
    {"cuda", Place::cuda, cuda::owns, cuda::may_own, cuda::backend, cuda::allocation, cuda::links, cuda::product_sums,
     cuda::slab_products},
    {"metal", Place::metal, metal::owns, metal::may_own, metal::backend},
    {"metal-check", Place::host, nullptr, nullptr, metal_check::backend},
    {"cpu-check", Place::host, nullptr, nullptr, cpu::check_backend},
};

}  // namespace

std::span<const BackendSource> backends() noexcept { return list; }

bool may_lie_on_a_device() noexcept {
#pragma GCC unroll 8
    for (const BackendSource& source : list)
        if (source.may_own && source.may_own()) return true;
    return false;
}

const Backend* find_backend(std::string_view name) noexcept {
    for (const BackendSource& source : list)
        if (name == source.name) return &source();
    return nullptr;
}

const DeviceLinks* links_of(std::string_view backend) noexcept {
    for (const BackendSource& source : list)
        if (backend == source.name) return source.links ? source.links() : nullptr;
    return nullptr;
}

const ProductSums* sums_of(std::string_view backend) noexcept {
    for (const BackendSource& source : list)
        if (backend == source.name) return source.sums ? source.sums() : nullptr;
    return nullptr;
}

const SlabProducts* slabs_of(std::string_view backend) noexcept {
    for (const BackendSource& source : list)
        if (backend == source.name) return source.slabs ? source.slabs() : nullptr;
    return nullptr;
}

std::string_view backend_part(std::string_view device) noexcept { return device.substr(0, device.find(':')); }

int device_part(std::string_view device) noexcept {
    const std::size_t colon = device.find(':');
    if (colon == std::string_view::npos) return -1;
    const char *first = device.data() + colon + 1, *last = device.data() + device.size();
    int index = -2;
    const auto [end, error] = std::from_chars(first, last, index);
    return error == std::errc() && end == last && index >= 0 ? index : -2;
}

}  // namespace tw
