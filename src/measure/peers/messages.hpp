// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Messages between a process and the peer that it has forked: plain structs over a socket, since both are the same
// program.
#pragma once

#include <cstddef>
#include <cstdio>
#include <string>

#include "measure/basis/operands.hpp"

namespace tw::measure {

/// Describes a peer once it is open.
struct PeerDescription {
    char name[16] = "";
    char device[8] = "";
    char version[64] = "";
    char core_type[64] = "";
    char file[512] = "";
    char found_by[32] = "";
    char trouble[256] = "";  ///< why it can't be used; empty when it can
    bool multiplies_f32 = false, multiplies_f64 = false, multiplies_c64 = false, multiplies_c128 = false;
};

struct PeerRequest {
    enum class What : int { judge, run } what;
    Task task;
    int passes;
};

struct PeerReply {
    bool ok = false;
    double relative_error = 0, error_over_bound = 0, seconds = 0;
    char trouble[256] = "";
};

bool send_all(int channel, const void* data, std::size_t size);

/// False when the other end has closed or sent nothing for `patience` milliseconds; -1 waits forever.
bool receive_all(int channel, void* data, std::size_t size, int patience);

/// Copies as much of the text as fits.
template <std::size_t size>
void keep_text(char (&to)[size], const std::string& from) {
    std::snprintf(to, size, "%s", from.c_str());
}

}  // namespace tw::measure
