// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Runs the threads of a threadgroup in turns until all have ended.
#include "backend/metal/on_linux/machine/core.hpp"

#include <cstdlib>

namespace tw::metal_check {

Core::Core() : stacks_(most_threads) {
    fibers_.resize(most_threads);
    notes.clear();
}

constinit thread_local Core* Core::mine = nullptr;

Core& Core::made_here() noexcept {
    static thread_local Core core;
    mine = &core;
    return core;
}

void Core::run(std::uint32_t group) {
    start_group(group);
    while (alive_ > 0) {
        if (queue_head_ == queue_.size()) {
            current_ = nullptr;
            report_divergence();
        }
        current_ = &fibers_[queue_[queue_head_++]];
        if (queue_head_ == queue_.size()) queue_.clear(), queue_head_ = 0;
        if (current_->state == State::fresh) {
            current_->stack = stacks_.take();
            prepare(current_->context, current_->stack, Stacks::bytes_each, trampoline);
        }
        current_->state = State::ready;
        switch_to(scheduler_, current_->context);
    }
    for (Copy* copy : copies) {
        if (!copy->landed)
            report(Kind::copy_not_waited_for, copy->site,
                   "the threadgroup ended before this async copy was waited for");
        delete copy;
    }
    copies.clear();
    current_ = nullptr;
}

void Core::trampoline() {
    Core& core = here();
    core.job_->entry(reinterpret_cast<std::uint64_t>(&core.arguments_),
                     reinterpret_cast<std::uint64_t>(&core.current_->ids));
    core.ended();
    std::abort();  // an ended thread is never switched to
}

void Core::yield() { switch_to(current_->context, scheduler_); }

/// The thread has ended; others may have waited only for it.
void Core::ended() {
    current_->state = State::ended;
    --alive_;
    SimdGroup& group = simdgroup();
    --group.alive;
    if (waiting_ > 0 && waiting_ == alive_) release_barrier();
    if (group.waiting > 0 && group.waiting == group.alive) release_simd_call(group);
    stacks_.give(current_->stack);
    yield();
}

void Core::stop() {
    current_->stopped = true;
    ended();
    std::abort();
}

const char* Core::site_text(std::uint32_t site) const {
    return job_ && site < job_->program->sites.size() ? job_->program->sites[site].c_str() : "an unknown line";
}

std::string Core::where(const Fiber& fiber) const {
    const auto triple = [](std::uint32_t x, std::uint32_t y, std::uint32_t z) {
        return '(' + std::to_string(x) + ',' + std::to_string(y) + ',' + std::to_string(z) + ')';
    };
    return "thread " + triple(fiber.ids.v[2][0], fiber.ids.v[2][1], fiber.ids.v[2][2]) + " of threadgroup " +
           triple(group_at_.x, group_at_.y, group_at_.z);
}

void Core::report(Kind kind, std::uint32_t site, const std::string& what) {
    Note& note = notes[{kind, site}];
    if (note.count++ == 0) note.text = what;
}

}  // namespace tw::metal_check
