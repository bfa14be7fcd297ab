// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "measure/peers/process.hpp"

#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <limits>

#include "measure/peers/child.hpp"

namespace tw::measure {
namespace {

constexpr int patience_to_open = 20000, patience_to_run = 600000;  // milliseconds

}  // namespace

std::unique_ptr<PeerProcess> PeerProcess::start(const PeerKind& kind, int threads) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return nullptr;
    std::fflush(nullptr);
    const pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        serve_peer(kind, threads, ends[1]);
    }
    close(ends[1]);
    if (child < 0) {
        close(ends[0]);
        return nullptr;
    }
    auto process = std::unique_ptr<PeerProcess>(new PeerProcess(child, ends[0]));
    keep_text(process->description_.name, kind.name);
    keep_text(process->description_.device, kind.device);
    return process;
}

PeerProcess::~PeerProcess() {
    close(channel_);
    kill(child_, SIGKILL);  // also ends a stopped process
    waitpid(child_, nullptr, 0);
}

const PeerDescription& PeerProcess::description() {
    if (is_described_) return description_;
    is_described_ = true;
    PeerDescription told;
    if (receive_all(channel_, &told, sizeof told, patience_to_open)) description_ = told;
    else keep_text(description_.trouble, "it crashes, or does not answer, while it is opened");
    sleep();
    return description_;
}

bool PeerProcess::is_usable(Type type) {
    const PeerDescription& told = description();
    if (*told.trouble) return false;
    return (type == Type::f32 && told.multiplies_f32) || (type == Type::f64 && told.multiplies_f64) ||
           (type == Type::c64 && told.multiplies_c64) || (type == Type::c128 && told.multiplies_c128);
}

bool PeerProcess::ask(const PeerRequest& request, PeerReply& reply, int patience) {
    const bool was_awake = is_awake_;
    wake();
    const bool answered =
        send_all(channel_, &request, sizeof request) && receive_all(channel_, &reply, sizeof reply, patience);
    if (!was_awake) sleep();
    return answered;
}

Judgement PeerProcess::judge(const Task& task) {
    PeerReply reply;
    if (!ask({PeerRequest::What::judge, task, 0}, reply, patience_to_run))
        return {.trouble = "its process ended while it multiplied"};
    return {reply.ok, reply.relative_error, reply.error_over_bound, reply.seconds, reply.trouble};
}

double PeerProcess::seconds(int passes) {
    PeerReply reply;
    const bool answered = ask({PeerRequest::What::run, {}, passes}, reply, patience_to_run);
    return answered && reply.ok ? reply.seconds : std::numeric_limits<double>::quiet_NaN();
}

void PeerProcess::wake() {
    if (!is_awake_) kill(child_, SIGCONT);
    is_awake_ = true;
}

void PeerProcess::sleep() {
    if (is_awake_) kill(child_, SIGSTOP);
    is_awake_ = false;
}

}  // namespace tw::measure
