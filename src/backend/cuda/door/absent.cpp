// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "backend/cuda/backend.hpp"
#include "backend/cuda/device/replays.hpp"
#include "backend/cuda/door/no_backend.hpp"
#include "backend/cuda/loading_contest/loaders.hpp"

namespace tw::cuda {
namespace {

const char* why() {
    return "this build has no CUDA backend: it was configured without nvcc 12.4 or later, or with TW_CUDA off";
}
constexpr Backend row = no_backend(why);

}  // namespace

const Backend& backend() noexcept { return row; }
const LoadersDoor* loaders() noexcept { return nullptr; }
const DeviceLinks* links() noexcept { return nullptr; }
const ProductSums* product_sums() noexcept { return nullptr; }
const SlabProducts* slab_products() noexcept { return nullptr; }
const Replays* replays() noexcept { return nullptr; }
bool owns(const void*) noexcept { return false; }
bool may_own() noexcept { return false; }
std::span<const std::byte> allocation(const void*) noexcept { return {}; }

}  // namespace tw::cuda
