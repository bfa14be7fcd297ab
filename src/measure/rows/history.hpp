// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Every measured run, in a small SQLite file. Losing it costs nothing but a warning.
#pragma once

#include <string>
#include <vector>

#include "measure/rows/row.hpp"

namespace tw::measure {

inline constexpr int history_schema = 1;

/// TW_HISTORY, else tilewright/history.sqlite in XDG_CACHE_HOME or ~/.cache; "" when there is no such place.
std::string history_path();

/// A sentence when the run can't be added (corrupt, locked, read-only, of a later schema), "" when it is.
std::string add_to_history(const std::string& path, const Run& run);

/// The rows of the last run of `command` with this machine's key and version, oldest order; empty when there is none.
std::vector<Row> last_from_history(const std::string& path, const std::string& command, const Machine& machine);

}  // namespace tw::measure
