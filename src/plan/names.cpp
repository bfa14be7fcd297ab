// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "plan/names.hpp"

#include "plan/registry.hpp"

namespace tw {
namespace {

struct RungName {
    const char* stem;
    const char* in_seeds;
};
constexpr RungName rung_names[] = {
    {"few_rows", ""},
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

const RungName& names_of(const Kernel& kernel) noexcept { return rung_names[static_cast<int>(kernel.rung)]; }

/// A name of an earlier version: the kernel that is `now.REST` today was `head.REST` or `head.REST.tail`.
struct Renaming {
    std::string_view backend, now, head, tail = "";
};
constexpr Renaming renamings[] = {
    {"cpu", "few_rows", "r6_skinny"},
    {"cuda", "few_rows", "r8_matrix_unit", "skinny"},
    {"cuda", "few_rows", "r8_skinny"},
    {"cuda", "few_rows_async", "r9_async_pipeline", "skinny"},
    {"cuda", "few_rows_async", "r9_skinny"},
    {"metal", "few_rows", "r10_split"},
    {"metal-check", "few_rows", "r10_split"},
    {"cpu", "r10_split_int8", "r10_split"},
    {"cpu-check", "r10_split_int8", "r10_split"},
    {"cpu", "r10_split_sampled.f32", "r10_split.f32.sampled"},
    {"cpu-check", "r10_split_sampled.f32", "r10_split.f32.sampled"},
};

constexpr std::size_t longest_name = 96;

/// True when `name` is the full name or ends where a word of it does.
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

/// "cpu" and "r1_naive.f32" of "cpu.r1_naive.f32".
struct Parted {
    std::string_view backend, rest;
    explicit Parted(std::string_view name) noexcept
        : backend(name.substr(0, name.find('.'))), rest(name.substr(name.find('.') + 1)) {}
};

/// The kernel's former name, with the backend's name in front; "" when the renaming does not apply to it.
struct FormerName {
    char text[longest_name];
    std::size_t size = 0;

    FormerName(const Renaming& renaming, const Parted& name) noexcept {
        if (name.backend != renaming.backend || !names_a_prefix(name.rest, renaming.now)) return;
        const std::string_view rest = name.rest.substr(renaming.now.size()), dot = renaming.tail.empty() ? "" : ".";
        for (const std::string_view part :
             {renaming.backend, std::string_view("."), renaming.head, rest, dot, renaming.tail}) {
            if (part.size() > longest_name - size) return;
            size += part.copy(text + size, part.size());
        }
    }
    std::string_view full() const noexcept { return {text, size}; }
};

/// A former name with a tail must be given whole, because without the tail it is the name of a rung.
bool answers_to_former(const Renaming& renaming, const Parted& now, std::string_view name) noexcept {
    const FormerName former(renaming, now);
    if (former.size == 0) return false;
    const std::string_view full = former.full(), rest = Parted(full).rest;
    if (!renaming.tail.empty()) return name == full || name == rest;
    return (names_a_prefix(full, name) && name.size() > renaming.backend.size() + renaming.head.size()) ||
           (names_a_prefix(rest, name) && name.size() >= renaming.head.size());
}

}  // namespace

const char* stem_of(const Kernel& kernel) noexcept { return names_of(kernel).stem; }

const char* seed_names_of(const Kernel& kernel) noexcept { return names_of(kernel).in_seeds; }

std::string_view file_of(const Kernel& kernel) noexcept {
    const std::string_view rest = Parted(kernel.name).rest;
    return rest.substr(0, rest.find('.'));
}

bool answers_to(const Kernel& kernel, std::string_view name) noexcept {
    if (name.empty()) return false;
    const Parted own(kernel.name);
    const std::string_view stem = stem_of(kernel), number = stem.substr(0, stem.find('_'));
    if (name == stem || (name == number && kernel.rung != Rung::none) || names_a_prefix(kernel.name, name) ||
        names_a_prefix(own.rest, name) || lists(seed_names_of(kernel), name))
        return true;
    for (const Renaming& renaming : renamings)
        if (answers_to_former(renaming, own, name)) return true;
    return false;
}

bool is_called(const Kernel& kernel, std::string_view name) noexcept {
    if (name == kernel.name) return true;
    for (const Renaming& renaming : renamings)
        if (FormerName former(renaming, Parted(kernel.name)); former.size > 0 && former.full() == name) return true;
    return false;
}

const Kernel* find_kernel(std::string_view name) noexcept {
    const Backend* const backend = find_backend(Parted(name).backend);
    if (!backend) return nullptr;
    for (const Kernel* kernel : backend->ladder)
        if (is_called(*kernel, name)) return kernel;
    return nullptr;
}

}  // namespace tw
