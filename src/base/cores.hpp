// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#pragma once

#include <bitset>

namespace tw {

/// The processors this process may run on, as the affinity mask has it; at least 1.
int allowed_processors() noexcept;

/// The machine's, whichever of them this process may run on; at least 1.
int processors_of_machine() noexcept;

/// A quota of processor time as threads that can use it: half a processor is one thread, no quota (0) is 0.
int whole_processors(double quota) noexcept;

/// Processor time that the control groups grant, in whole processors rounded up; 0 when there is no limit.
int quota_processors() noexcept;

/// Cores behind the allowed processors: two hardware threads of one core count once. At least 1.
int physical_cores() noexcept;

using Processors = std::bitset<1024>;

/// True when a processor is the first of its core that may be used, by the list of the core's siblings ("0-1" or
/// "0,64").
bool leads_its_core(int processor, const char* siblings, const Processors& allowed) noexcept;

/// The same by the list that Linux keeps; true where it keeps none.
bool leads_its_core(int processor, const Processors& allowed) noexcept;

/// Those that the calling thread may run on; none where that is not told.
Processors processors_here() noexcept;

}  // namespace tw
