// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "cli/ending/judged.hpp"

#include <algorithm>

#include "cli/ending/exit.hpp"

namespace tw::cli {

void stop_if_wrong(const measure::Run& run) {
    const auto wrong = std::count_if(run.rows.begin(), run.rows.end(),
                                     [](const measure::Row& row) { return !row.ok && row.provider == "tilewright"; });
    if (wrong > 0) throw Stop(Exit::wrong_result, fmt::format("{} of our rows failed the judge", wrong));
}

}  // namespace tw::cli
