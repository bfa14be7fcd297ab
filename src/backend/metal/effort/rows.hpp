// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The rows of the effort dial for one device. `Device` has a name and launch_all(std::span<const Dispatch>). No row
// reads a dense copy.
#pragma once

#include <array>

#include "backend/metal/effort/products.hpp"

namespace tw::metal {

inline constexpr const char* effort_families[] = {"effort_buckets", "effort_tiers", "effort_planes"};

template <class Device, std::size_t index>
struct EffortRowOf {
    static constexpr EffortKernel kernel{
        .name = effort_families[index],
        .kernels = Device::name,
        .layout = static_cast<EffortLayout>(index),
        .chooses = true,
        .nanoseconds = effort_nanoseconds,
        .scratch_bytes = effort_scratch,
        .run = [](const EffortCall& call) { return run_effort(effort_families[index], call, Device::launch_all); },
    };
};
static_assert(static_cast<int>(EffortLayout::buckets) == 0 && static_cast<int>(EffortLayout::tiers) == 1 &&
              static_cast<int>(EffortLayout::planes) == 2);

template <class Device>
inline constexpr std::array<const EffortKernel*, 3> effort_rows_of = {
    &EffortRowOf<Device, 0>::kernel, &EffortRowOf<Device, 1>::kernel, &EffortRowOf<Device, 2>::kernel};

}  // namespace tw::metal
