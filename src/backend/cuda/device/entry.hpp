// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The doors of libtilewright_cuda: its row, its microbenchmark of loaders, its graphs and its links. Both sides must
// have been built from the same contract.
#pragma once

#include "backend/contract.hpp"
#include "backend/effort_contract.hpp"
#include "backend/links.hpp"
#include "tilewright/version.hpp"

namespace tw::cuda {

struct LoadersDoor;
struct Replays;

/// Changes when a row's shape does.
inline constexpr unsigned long long contract_stamp =
    (((TILEWRIGHT_VERSION_MAJOR * 1000ull + TILEWRIGHT_VERSION_MINOR) * 1000 + TILEWRIGHT_VERSION_PATCH) << 24) +
    (sizeof(Backend) << 16) + (sizeof(Kernel) << 8) + sizeof(Call) +
    ((sizeof(EffortKernel) + sizeof(EffortCall) + sizeof(EffortPlaced)) * 1ull << 48);

inline constexpr const char* entry_name = "tilewright_cuda_backend";

/// Null when the caller's stamp is not this library's.
using Entry = const Backend*(unsigned long long stamp) noexcept;

inline constexpr const char* loaders_entry_name = "tilewright_cuda_loaders";
using LoadersEntry = const LoadersDoor*(unsigned long long stamp) noexcept;

inline constexpr const char* replays_entry_name = "tilewright_cuda_replays";
using ReplaysEntry = const Replays*(unsigned long long stamp) noexcept;

inline constexpr const char* links_entry_name = "tilewright_cuda_links";
using LinksEntry = const DeviceLinks*(unsigned long long stamp) noexcept;

}  // namespace tw::cuda
