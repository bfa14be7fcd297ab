// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// A kernel's launch: its function, arguments and threads. The GPU of a Mac and the machine in on_linux/ both take it.
#pragma once

#include <array>
#include <cstddef>

#include "backend/metal/parameters.h"

namespace tw::metal {

/// The argument at one buffer index: memory that the device can access, or a small value that is copied.
struct Slot {
    const void* data = nullptr;  ///< null: the kernel has no argument at this index
    std::size_t bytes = 0;
    bool is_value = false;
};

struct Dispatch {
    const char* family;  ///< the .metal file, which is compiled on its own
    const char* function;
    std::array<Slot, 12> arguments{};  ///< by buffer index
    uint groups_x = 1, groups_y = 1, threads_x = 1, threads_y = 1;
};

}  // namespace tw::metal
