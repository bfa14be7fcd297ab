// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The ladder's rows made into kernels of one device. `Device` has a name and launch(const Dispatch&).
#pragma once

#include <string_view>
#include <utility>

#include "backend/metal/rungs.hpp"

namespace tw::metal {

template <class Device, std::size_t index>
struct RowOf {
    static constexpr const LadderRow& row = rungs[index];

    static constexpr auto name = [] {
        constexpr std::string_view device = Device::name, rest = rungs[index].name;
        std::array<char, device.size() + rest.size() + 2> text{};
        std::size_t at = 0;
        for (const char c : device) text[at++] = c;
        text[at++] = '.';
        for (const char c : rest) text[at++] = c;
        return text;
    }();

    static Status run(const Call& call, const Tile& tile) {
        Launch launch;
        const Status status = make_launch(row, call, tile, launch);
        return status ? Device::launch(launch.dispatch()) : status;
    }
    static double sum_bound(std::int64_t k) { return gamma(static_cast<double>(k) + 2, unit_f32); }
    static double nanoseconds(const Problem& p, int) {
        return 1e4 +
               1e-3 * row.picoseconds * static_cast<double>(p.m) * static_cast<double>(p.n) * static_cast<double>(p.k);
    }

    static constexpr Kernel kernel{
        .name = name.data(),
        .rung = row.rung,
        .in = row.type,
        .out = row.type,
        .sum = Type::f32,
        .scheme = &plain_f32,
        .needs = row.needs,
        .tiles = row.tiles,
        .fuses_epilogue = false,
        .idea = row.idea,
        .takes = predicate_of(row.takes),
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
