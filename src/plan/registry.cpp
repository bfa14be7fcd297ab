// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "plan/registry.hpp"

#include "backend/cpu/backend.hpp"
#include "backend/cuda/backend.hpp"
#include "backend/metal/backend.hpp"
#include "backend/metal/on_linux/backend.hpp"

namespace tw {
namespace {

constexpr BackendSource list[] = {
    {"cpu", Place::host, nullptr, nullptr, cpu::backend},
    {"cuda", Place::cuda, cuda::owns, cuda::may_own, cuda::backend, cuda::allocation},
    {"metal", Place::metal, metal::owns, metal::may_own, metal::backend},
    {"metal-check", Place::host, nullptr, nullptr, metal_check::backend},
    {"cpu-check", Place::host, nullptr, nullptr, cpu::check_backend},
};

struct RungName {
    const char* stem;
    const char* in_seeds;
};
constexpr RungName rung_names[] = {
    {"r1_naive", "naive"},
    {"r2_coalesced", "coalescing"},
    {"r3_tiled", "tiled, tile_16, tile_32"},
    {"r4_register_tile", "tiled_register"},
    {"r5_register_block", "block_tiled, tile_threads"},
    {"r6_vectorized", "block_tiled_vectorized"},
    {"r7_hierarchical", ""},
    {"r8_matrix_unit", "tile_simdgroup, tensor_core"},
    {"r9_async_pipeline", ""},
    {"r10_split", ""},
};

const RungName& names_of(Rung rung) noexcept { return rung_names[static_cast<int>(rung) - 1]; }

bool names_a_prefix(std::string_view full, std::string_view name) noexcept {
    return full.starts_with(name) && (full.size() == name.size() || full[name.size()] == '.');
}

bool lists(std::string_view names, std::string_view name) noexcept {
    while (!names.empty()) {
        const std::size_t end = names.find(", ");
        if (names.substr(0, end) == name) return true;
        if (end == std::string_view::npos) break;
        names.remove_prefix(end + 2);
    }
    return false;
}

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

const char* stem_of(Rung rung) noexcept { return names_of(rung).stem; }

const char* seed_names_of(Rung rung) noexcept { return names_of(rung).in_seeds; }

bool answers_to(const Kernel& kernel, std::string_view name) noexcept {
    if (name.empty()) return false;
    const std::string_view full = kernel.name;
    const std::string_view without_backend = full.substr(full.find('.') + 1);
    const std::string_view stem = stem_of(kernel.rung), number = stem.substr(0, stem.find('_'));
    return name == number || names_a_prefix(full, name) || names_a_prefix(without_backend, name) ||
           lists(seed_names_of(kernel.rung), name);
}

}  // namespace tw
