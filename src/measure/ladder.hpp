// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The climb: every rung of a backend on one problem, judged, then timed beside the peers.
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
    bool has_mps = false;                               ///< on Metal, Apple's own product too
};

/// The roofs of the processor's own loops (or of the device's) that were measured beside the rows go into the run.
void climb(const Climb& asked, const Watch& watch, Run& run);

/// 1024 on a CPU, 4096 on a GPU, 64 where times mean nothing: what is seen within a minute.
std::int64_t usual_size(const Backend& backend);

/// Markdown: every rung of every backend of this build, its idea and the seeds' names for it.
std::string ladder_in_markdown();

}  // namespace tw::measure
