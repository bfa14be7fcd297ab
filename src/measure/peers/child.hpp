// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#pragma once

#include "measure/peers/search.hpp"

namespace tw::measure {

/// Runs in a forked process: opens the peer, describes it, and serves requests until the channel closes.
[[noreturn]] void serve_peer(const PeerKind& kind, int threads, int channel);

}  // namespace tw::measure
