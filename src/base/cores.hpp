// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#pragma once

namespace tw {

/// The processors this process may run on, as the affinity mask has it; at least 1.
int allowed_processors() noexcept;

/// Processor time that the control group grants, in whole processors rounded up; 0 when there is no limit.
int quota_processors() noexcept;

/// Cores behind the allowed processors: two hardware threads of one core count once. At least 1.
int physical_cores() noexcept;

}  // namespace tw
