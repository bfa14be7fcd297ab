// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Turns the ladder's rows into kernels of one device. `Device` has a name and launch(const Dispatch&).
#pragma once

#include <array>
#include <string_view>
#include <utility>

#include "backend/metal/rungs.hpp"

namespace tw::metal {

/// `first`, then `.` and `second` if there is one, then a zero.
template <std::size_t size>
constexpr std::array<char, size> joined(std::string_view first, std::string_view second = "") {
    std::array<char, size> text{};
    std::size_t at = 0;
    for (const char c : first) text[at++] = c;
    if (!second.empty()) text[at++] = '.';
    for (const char c : second) text[at++] = c;
    return text;
}

template <class Device, std::size_t index>
struct RowOf {
    static constexpr const LadderRow& row = rungs[index];
    static constexpr std::string_view device = Device::name, own_name = rungs[index].name;

    static constexpr auto name = joined<device.size() + own_name.size() + 2>(device, own_name);

    /// The file of the row's name; kernels that need bfloat are compiled in a separate file.
    static constexpr std::string_view file =
        rungs[index].needs & bfloat_type ? std::string_view("bfloat") : own_name.substr(0, own_name.find('.'));
    static constexpr auto family = joined<file.size() + 1>(file);

    static constexpr auto tiles = [] {
        std::array<Tile, rungs[index].count()> made{};
        for (std::size_t i = 0; i < made.size(); ++i) made[i] = rungs[index].shapes[i].tile;
        return made;
    }();

    static Status run(const Call& call, const Tile& tile) {
        Launch launch;
        const Status status = make_launch(row, family.data(), call, tile, launch);
        return status ? Device::launch(launch.dispatch()) : status;
    }
    /// Of complex numbers 2k products in each part, and two roundings each by alpha and beta.
    static double sum_bound(std::int64_t k) {
        return gamma((is_complex(row.type) ? 2 : 1) * (static_cast<double>(k) + 2), unit_f32);
    }
    static double nanoseconds(const Problem& p, int) {
        return 1e4 +
               1e-3 * row.picoseconds * static_cast<double>(p.m) * static_cast<double>(p.n) * static_cast<double>(p.k);
    }

    static constexpr Kernel kernel{
        .name = name.data(),
        .rung = row.rung,
        .in = row.type,
        .out = row.type,
        .sum = is_complex(row.type) ? row.type : Type::f32,
        .scheme = &plain_f32,
        .needs = row.needs,
        .tiles = tiles,
        .fuses_epilogue = false,
        .idea = row.idea,
        .takes = row.takes,
        .sum_bound = sum_bound,
        .nanoseconds = nanoseconds,
        .run = run,
    };
};

template <class Device>
inline constexpr auto ladder_of = []<std::size_t... index>(std::index_sequence<index...>) {
    return std::array<const Kernel*, sizeof...(index)>{&RowOf<Device, index>::kernel...};
}(std::make_index_sequence<std::size(rungs)>());

inline constexpr FeatureName feature_names[] = {
    {simdgroup_matrices, "simdgroup_matrices"},
    {async_copy, "async_copy"},
    {bfloat_type, "bfloat"},
};

}  // namespace tw::metal
