// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "measure/peers/start.hpp"

#include <algorithm>
#include <utility>

namespace tw::measure {

std::vector<std::shared_ptr<PeerProcess>> start_peers(const std::vector<std::string>& names, const std::string& device,
                                                      int threads, bool keep_troubled) {
    std::vector<std::shared_ptr<PeerProcess>> started;
    for (const PeerKind& kind : peer_kinds()) {
        const bool is_named = names.empty() || std::find(names.begin(), names.end(), kind.name) != names.end();
        if (!is_named || (!device.empty() && device != kind.device)) continue;
        if (std::shared_ptr<PeerProcess> process = PeerProcess::start(kind, threads))
            started.push_back(std::move(process));
    }
    std::erase_if(started,
                  [keep_troubled](const auto& peer) { return !keep_troubled && *peer->description().trouble != '\0'; });
    return started;
}

}  // namespace tw::measure
