// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// A peer in a separate process, so that its thread pool, its environment and its crashes stay there. The process is
// stopped between its turns, so that spinning threads take no time from others.
#pragma once

#include <sys/types.h>

#include <memory>

#include "measure/peers/messages.hpp"
#include "measure/peers/search.hpp"
#include "measure/turns/entrant.hpp"

namespace tw::measure {

class PeerProcess {
public:
    /// Forks; the child opens the peer with `threads` threads. Null when forking fails.
    static std::unique_ptr<PeerProcess> start(const PeerKind& kind, int threads);
    ~PeerProcess();
    PeerProcess(const PeerProcess&) = delete;
    PeerProcess& operator=(const PeerProcess&) = delete;

    /// Waits until the library is open or has failed to open; a crash, or 20 s without an answer, is a failure.
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

}  // namespace tw::measure
