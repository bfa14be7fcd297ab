// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#pragma once

#include <memory>
#include <vector>

#include "measure/peers/process.hpp"
#include "measure/rows/row.hpp"

namespace tw::cli {

/// Prints the machine, the peers and the table's head.
void print_bench_head(const measure::Run& run, const std::vector<std::shared_ptr<measure::PeerProcess>>& peers);

/// Prints the rows of one shape, from `first` on, and which entrants are faster than which.
void print_bench_rows(const measure::Run& run, std::size_t first);

/// Prints the rows beside those of an earlier run. Returns how many of ours are slower beyond noise.
int print_against_baseline(const measure::Run& run, const std::vector<measure::Row>& before);

}  // namespace tw::cli
