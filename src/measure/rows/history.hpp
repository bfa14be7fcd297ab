// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Keeps every measured run in a small SQLite file. If that fails there is only a warning.
#pragma once

#include <string>
#include <vector>

#include "measure/rows/row.hpp"

namespace tw::measure {

inline constexpr int history_schema = 1;

/// TW_HISTORY, else tilewright/history.sqlite in XDG_CACHE_HOME or ~/.cache; "" when none of them is set.
std::string history_path();

/// Returns a sentence when the run can't be added (the file is corrupt, locked, read-only or of a later schema), else
/// "".
std::string add_to_history(const std::string& path, const Run& run);

/// The rows of the last run of `command` with this machine's key and version, in their order; empty when there is none.
std::vector<Row> last_from_history(const std::string& path, const std::string& command, const Machine& machine);

}  // namespace tw::measure
