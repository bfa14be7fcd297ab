// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The machine is a separate library, libtilewright_metal_check, so that libtilewright has neither a Metal emulator nor
// the thread-local arrays of its kernels (docs/adr/0005). It is opened on first use, through this header.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "backend/metal/ladder.hpp"
#include "backend/metal/on_linux/machine/outcome.hpp"

namespace tw::metal_check {

/// A kernel in a file to be checked, as `tw metal-check` was asked to.
struct FileRequest {
    struct Buffer {
        std::size_t element = 4, count = 0;
        void* data = nullptr;  ///< count elements, filled; the kernel writes here
    };
    std::string path, kernel;
    std::uint32_t grid[3] = {1, 1, 1}, threads[3] = {1, 1, 1};
    std::vector<Buffer> buffers;
    std::vector<std::size_t> threadgroup_bytes;
    std::vector<std::string> flags;  ///< -D and -I, for the compiler
    bool checked = true;
    unsigned seed = 1;
    int cores = 0;
};

struct FileOutcome {
    std::vector<std::string> refusals;  ///< errors of the reader, the dialect check or clang; if any, nothing was run
    Outcome outcome;
    std::string clang;                 ///< the compiler that was used
    std::vector<std::string> kernels;  ///< those of the file
};

/// The last launch of the metal-check backend in this process, with all its dispatches.
struct LastRun {
    const char* function = "";  ///< of the last dispatch
    Outcome outcome;
};

struct Door {
    Status (*launch)(std::span<const metal::Dispatch>);
    void (*last_run)(LastRun&);
    void (*check_file)(const FileRequest&, FileOutcome&);
};

inline constexpr unsigned door_stamp = 2;
inline constexpr const char* door_name = "tw_metal_check_door";
using DoorEntry = const Door*(unsigned stamp);

/// Null when there is no such library; absence() says why.
const Door* door() noexcept;
const char* absence() noexcept;

}  // namespace tw::metal_check
