// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#pragma once

#include <cstddef>

namespace tw {

/// Starts a thread that is never joined and takes no signals of the program's. `stack_bytes` 0: as many as is usual.
/// False when the system has none to give.
bool start_own_thread(void* (*work)(void*), void* argument, std::size_t stack_bytes) noexcept;

}  // namespace tw
