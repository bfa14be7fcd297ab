// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Where the libraries of others may be on this machine. Nothing is opened here.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tw::measure {

/// A library that we compare with. Never linked, never needed.
struct PeerKind {
    const char* name;                      ///< "openblas"
    const char* variable;                  ///< "TW_PEER_OPENBLAS": a path that goes before all others
    const char* device;                    ///< whose operands it multiplies: "cpu" or "cuda"
    std::vector<std::string> sonames;      ///< for the loader, newest first
    std::vector<std::string> in_packages;  ///< patterns below a folder of Python's packages, or below its prefix
};

const std::vector<PeerKind>& peer_kinds();
const PeerKind* find_peer_kind(std::string_view name);

/// What to hand to dlopen, in this order: the variable's path alone when it is set; else what the loader knows by name,
/// for CUDA what its toolkit has, then what lies in Python's site-packages.
struct PeerCandidate {
    std::string file;
    std::string found_by;  ///< "TW_PEER_OPENBLAS", "the loader", "CUDA's toolkit", "Python's packages"
};
std::vector<PeerCandidate> peer_candidates(const PeerKind& kind);

/// Folders that hold Python's packages here: of an active virtual environment, of the user, of the system.
std::vector<std::string> python_package_folders();

}  // namespace tw::measure
