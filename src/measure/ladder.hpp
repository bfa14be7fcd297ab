// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The ladder: every rung of a backend on one problem, checked by the judge, then timed in turns with the peers.
#pragma once

#include <string>
#include <vector>

#include "measure/peers/process.hpp"
#include "measure/rows/row.hpp"

namespace tw::measure {

struct Climb {
    const Backend* backend = nullptr;
    Task task{};
    std::vector<std::string> rungs{};  ///< names as answers_to() takes them; empty: all
    Budget budget{};
    std::vector<std::shared_ptr<PeerProcess>> peers{};  ///< those of the device
    bool has_mps = false;                               ///< on Metal, also measure Apple's own product
};

/// Also records the roofs that were measured between the rows, by the loops of the processor or of the device.
void climb(const Climb& asked, const Watch& watch, Run& run);

/// The rows that a kernel has in a climb, of those that are asked for (empty: all): its name, or its name with each
/// tile of r3, which are the seeds' tile_16 and tile_32.
std::vector<std::string> rows_of(const Kernel& kernel, const std::vector<std::string>& names);

/// 1024 on a CPU, 4096 on a GPU, 64 where kernels are emulated: done within a minute.
std::int64_t usual_size(const Backend& backend);

/// Markdown: every rung of every backend of this build, its idea and the seeds' names for it.
std::string ladder_in_markdown();

}  // namespace tw::measure
