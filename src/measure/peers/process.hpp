// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// A peer in a process of its own: its thread pool, its environment and its crashes stay there. Between its turns the
// process is stopped, so that threads which spin while they wait take nothing from the others.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

#include "measure/peers/messages.hpp"
#include "measure/peers/search.hpp"
#include "measure/turns/entrant.hpp"

namespace tw::measure {

class PeerProcess {
public:
    /// Forks. The child opens the peer with `threads` threads; nullptr when there is no process to be had.
    static std::unique_ptr<PeerProcess> start(const PeerKind& kind, int threads);
    ~PeerProcess();
    PeerProcess(const PeerProcess&) = delete;
    PeerProcess& operator=(const PeerProcess&) = delete;

    /// Waits until the library is open, or has failed to; a crash or 20 silent seconds are failures.
    const PeerDescription& description();
    bool is_usable(Type type);

    Judgement judge(const Task& task);
    double seconds(int passes);
    void wake();
    void sleep();

private:
    PeerProcess(pid_t child, int channel) : child_(child), channel_(channel) {}
    bool ask(const PeerRequest& request, PeerReply& reply, int patience);

    pid_t child_;
    int channel_;
    bool is_described_ = false, is_awake_ = true;
    PeerDescription description_;
};

/// Starts every peer of the device, or those named, and keeps the usable ones; those found but unusable are kept too
/// when `keep_troubled`. Peers start before the device is first used: a driver does not survive fork().
std::vector<std::shared_ptr<PeerProcess>> start_peers(const std::vector<std::string>& names, const std::string& device,
                                                      int threads, bool keep_troubled = false);

}  // namespace tw::measure
