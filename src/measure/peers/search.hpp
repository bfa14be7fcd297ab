// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Where peers' libraries may be on this machine. Opens nothing.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tw::measure {

/// A library that we compare with. It is never linked and never required.
struct PeerKind {
    const char* name;                      ///< "openblas"
    const char* variable;                  ///< "TW_PEER_OPENBLAS": a path to use instead of all others
    const char* device;                    ///< where its operands are: "cpu" or "cuda"
    std::vector<std::string> sonames;      ///< for the loader, newest first
    std::vector<std::string> in_packages;  ///< patterns below Python's package folders, or below its prefix
};

const std::vector<PeerKind>& peer_kinds();
const PeerKind* find_peer_kind(std::string_view name);

/// What to try with dlopen, in order: only the variable's path if it is set; else names for the loader, for CUDA its
/// toolkit's files, then those in Python's site-packages.
struct PeerCandidate {
    std::string file;
    std::string found_by;  ///< "TW_PEER_OPENBLAS", "the loader", "CUDA's toolkit", "Python's packages"
};
std::vector<PeerCandidate> peer_candidates(const PeerKind& kind);

/// Python's package folders: of the active virtual environment, of the user, of the system.
std::vector<std::string> python_package_folders();

}  // namespace tw::measure
