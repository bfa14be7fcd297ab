// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The seeds' microbenchmark on a CUDA device: every block fills its 32 KB of shared memory again and again, and of its
// eight warps one, or two, or all share the work: by loads and stores, by asynchronous copies, or by the bulk copy
// engine.
#pragma once

#include <bit>
#include <cstdint>
#include <span>

#include "backend/contract.hpp"

namespace tw::cuda {

/// By loads and stores; by cp.async; by cp.async.bulk, which one thread of each loading warp issues (Hopper).
enum class LoaderForm : std::uint8_t { plain, async, bulk };
inline constexpr const char* loader_form_names[] = {"loaders_plain", "loaders_async", "loaders_bulk"};

/// Warps of a block: how many may load.
inline constexpr int most_loaders = 8, loaders_threads = 32 * most_loaders;

/// Floats of shared memory that a block fills: 32 KB.
inline constexpr int loaders_tile_floats = 8192;

/// One launch. Fill f of block b takes tile (f * blocks + b) % tiles of `from`, which has so many of them.
struct LoadersTask {
    const float* from = nullptr;
    std::uint64_t* to = nullptr;  ///< loaders_results() of them
    int tiles = 1, fills = 1, loaders = 1;
};

/// For each thread, the bits of all that it read, added up by exclusive or; then each block's start and end in
/// nanoseconds.
inline constexpr std::int64_t loaders_results(int blocks) noexcept {
    return std::int64_t{blocks} * (loaders_threads + 2);
}

/// The element of a tile that a thread reads once the tile is there.
constexpr int loaders_element(int thread) noexcept { return thread * 32 + 31 - thread % 32; }

/// True when every thread has read what it should have; `to` as the launch left it.
inline bool are_loaded_right(const LoadersTask& task, std::span<const float> from, std::span<const std::uint64_t> to,
                             int blocks) noexcept {
    for (int block = 0; block < blocks; ++block)
        for (int thread = 0; thread < loaders_threads; ++thread) {
            std::uint32_t bits = 0;
            for (int fill = 0; fill < task.fills; ++fill) {
                const std::size_t tile = (static_cast<std::size_t>(fill) * static_cast<std::size_t>(blocks) +
                                          static_cast<std::size_t>(block)) %
                                         static_cast<std::size_t>(task.tiles);
                bits ^= std::bit_cast<std::uint32_t>(
                    from[tile * loaders_tile_floats + static_cast<std::size_t>(loaders_element(thread))]);
            }
            if (to[static_cast<std::size_t>(block * loaders_threads + thread)] != bits) return false;
        }
    return true;
}

/// From the first block's start to the last one's end, by the device's clock.
inline double loaders_seconds(std::span<const std::uint64_t> to, int blocks) noexcept {
    const std::span<const std::uint64_t> times = to.last(2 * static_cast<std::size_t>(blocks));
    std::uint64_t first = times[0], last = times[1];
    for (std::size_t i = 0; i < times.size(); i += 2) {
        first = times[i] < first ? times[i] : first;
        last = times[i + 1] > last ? times[i + 1] : last;
    }
    return 1e-9 * static_cast<double>(last - first);
}

/// What libtilewright_cuda brings for it.
struct LoadersDoor {
    int (*blocks)();               ///< one for each multiprocessor
    bool (*has)(LoaderForm form);  ///< on the current device
    Status (*launch)(LoaderForm form, const LoadersTask& task,
                     int blocks);  ///< on the default stream; it does not wait
};

/// Null where there is no libtilewright_cuda.
const LoadersDoor* loaders() noexcept;

}  // namespace tw::cuda
