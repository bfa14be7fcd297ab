// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The peers of a survey on the host, in this process: every library that is found has its turn at each shape.
#pragma once

#include <string>
#include <vector>

#include "measure/peers/library.hpp"
#include "measure/survey/sides.hpp"

namespace tw::measure {

class HostPeers {
public:
    /// Opens them for so many threads; this process's environment is set for them. Of several threads each has a
    /// processor of its own; the caller is on its place while it calls a peer, and free again while it calls us. One
    /// thread stays on one processor, whoever multiplies.
    explicit HostPeers(int threads);

    bool is_empty() const { return libraries_.empty(); }
    /// "openblas 0.3.34 (Zen), mkl 2026.2", and the files.
    std::string names() const;
    std::string files() const;

    /// Those that have the type. Nobody else has f16 and bf16 whose result is of the same type: ours in f32, on
    /// operands that were widened beforehand, is the peer then.
    std::vector<std::unique_ptr<Side>> sides(const Case& what, const std::vector<Set>& sets, int threads);

private:
    struct Named {
        std::string name;
        PeerLibrary library;
    };
    std::vector<Named> libraries_;
};

}  // namespace tw::measure
