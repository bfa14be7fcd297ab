// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// A peer in a process of its own: its thread pool, its environment and its crashes stay there. Between its turns the
// process is stopped, so that threads which spin while they wait take nothing from the others.
#pragma once

#include <sys/types.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "measure/peers/search.hpp"
#include "measure/turns/entrant.hpp"

namespace tw::measure {

/// What a peer says of itself once it is open.
struct PeerDescription {
    char name[16] = "";
    char device[8] = "";
    char version[64] = "";
    char core_type[64] = "";
    char file[512] = "";
    char found_by[32] = "";
    char trouble[256] = "";  ///< why it can't be used; empty when it can
    bool multiplies_f32 = false, multiplies_f64 = false;
};

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
    struct Request;
    struct Reply;
    PeerProcess(pid_t child, int channel) : child_(child), channel_(channel) {}
    [[noreturn]] static void serve(const PeerKind& kind, int threads, int channel);
    bool ask(const Request& request, Reply& reply, int patience);

    pid_t child_;
    int channel_;
    bool is_described_ = false, is_awake_ = true;
    PeerDescription description_;
};

/// Starts every peer of the device, or those named, and keeps the usable ones; those found but unusable are kept too
/// when `keep_troubled`. Peers start before the device is first used: a driver does not survive fork().
std::vector<std::shared_ptr<PeerProcess>> start_peers(const std::vector<std::string>& names, const std::string& device,
                                                      int threads, bool keep_troubled = false);

/// A peer as one who enters a comparison.
class PeerEntrant : public Entrant {
public:
    PeerEntrant(std::shared_ptr<PeerProcess> process, const Task& task);
    Judgement judge(const Task& task) override { return process_->judge(task); }
    double seconds(int passes) override { return process_->seconds(passes); }
    void begin_turn() override { process_->wake(); }
    void end_turn() override { process_->sleep(); }

private:
    std::shared_ptr<PeerProcess> process_;
};

}  // namespace tw::measure
