// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Where threads wait for each other: at a barrier of the threadgroup, or at a call by a whole SIMD-group. Threads that
// wait in different places are reported.
#include <cstdlib>

#include "backend/metal/on_linux/machine/core.hpp"

namespace tw::metal_check {

void Core::barrier(std::uint32_t flags, std::uint32_t site) {
    current_->state = State::at_barrier;
    current_->site = site;
    current_->flags = flags;
    ++waiting_;
    if (waiting_ < alive_) return yield();
    release_barrier();
}

void Core::release_barrier() {
    std::uint32_t flags = ~0u, returned = 0;
    const Fiber* first = nullptr;
    for (const std::uint32_t t : order_) {
        const Fiber& f = fibers_[t];
        if (f.state == State::ended && !f.stopped) ++returned;
        if (f.state != State::at_barrier) continue;
        flags &= f.flags;
        if (first && first->site != f.site)
            report(Kind::divergent_barrier, f.site,
                   where(f) + " waits at the barrier of this line while " + where(*first) + " waits at that of " +
                       site_text(first->site));
        if (!first) first = &f;
    }
    if (first && returned > 0)
        report(Kind::divergent_barrier, first->site,
               where(*first) + " waits at a barrier that " + std::to_string(returned) +
                   " thread(s) of its threadgroup returned without reaching");
    ++epoch_;
    for (const unsigned space : {0u, 1u})
        if (flags >> space & 1u) fence_[space] = epoch_;
    ++counters.barriers;
    waiting_ = 0;
    for (const std::uint32_t t : order_) make_ready(fibers_[t], State::at_barrier);
}

/// The last thread to arrive goes on at once.
void Core::make_ready(Fiber& fiber, State from) {
    if (fiber.state != from) return;
    fiber.state = State::ready;
    if (&fiber != current_) queue_.push_back(fiber.thread);
}

void Core::join_simd_call(const SimdCall& simd_call, std::uint32_t site) {
    Fiber* me = current_;
    me->simd_call = simd_call;
    me->site = site;
    me->state = State::in_simd_call;
    SimdGroup& group = simdgroup();
    if (++group.waiting < group.alive) return yield();
    release_simd_call(group);
}

/// Runs each call for all lanes that are at it; more than one call is reported.
void Core::release_simd_call(SimdGroup& group) {
    std::uint32_t waiting = 0, returned = 0;
    for (std::uint32_t i = 0; i < group.size; ++i) {
        const Fiber& f = lane(group, i);
        if (f.state == State::in_simd_call) waiting |= 1u << i;
        if (f.state == State::ended && !f.stopped) ++returned;
    }
    group.waiting = 0;
    const Fiber* first = nullptr;
    for (std::uint32_t left = waiting; left != 0;) {
        const Fiber& leader = lane(group, static_cast<std::uint32_t>(__builtin_ctz(left)));
        std::uint32_t present = 0;
        for (std::uint32_t i = 0; i < group.size; ++i)
            if (left >> i & 1u && lane(group, i).simd_call.run == leader.simd_call.run &&
                lane(group, i).site == leader.site)
                present |= 1u << i;
        if (first)
            report(Kind::divergent_simd_call, leader.site,
                   where(leader) + " makes the SIMD-group call of this line while " + where(*first) +
                       " of its SIMD-group makes that of " + site_text(first->site));
        else if (returned > 0)
            report(Kind::divergent_simd_call, leader.site,
                   where(leader) + " makes a SIMD-group call that " + std::to_string(returned) +
                       " lane(s) returned without reaching");
        else if (leader.simd_call.needs_all && group.size < lanes)
            report(Kind::divergent_simd_call, leader.site,
                   where(leader) + " makes a matrix call in a SIMD-group of only " + std::to_string(group.size) +
                       " lanes");
        if (!first) first = &leader;
        leader.simd_call.run(*this, group, present);
        left &= ~present;
    }
    for (std::uint32_t i = 0; i < group.size; ++i)
        make_ready(lane(group, (i + turn_) % group.size), State::in_simd_call);
}

/// Deadlock: lanes of one SIMD-group wait in different places.
void Core::report_divergence() {
    for (SimdGroup& group : simdgroups_) {
        if (group.waiting == 0) continue;
        for (std::uint32_t i = 0; i < group.size; ++i)
            for (std::uint32_t j = 0; j < group.size; ++j) {
                const Fiber &caller = lane(group, i), &other = lane(group, j);
                if (caller.state != State::in_simd_call || other.state != State::at_barrier) continue;
                report(Kind::divergent_simd_call, caller.site,
                       where(caller) + " makes a SIMD-group call while " + where(other) +
                           " of its SIMD-group waits at the barrier of " + site_text(other.site));
                return release_simd_call(group);
            }
        return release_simd_call(group);
    }
    std::abort();  // a barrier that all living threads have reached is released when the last one comes
}

void Core::simdgroup_barrier(std::uint32_t flags, std::uint32_t site) {
    fiber().flags = flags;
    join_simd_call({.run =
                        [](Core& core, SimdGroup& group, std::uint32_t present) {
                            ++group.epoch;
                            const std::uint32_t all =
                                core.lane(group, static_cast<std::uint32_t>(__builtin_ctz(present))).flags;
                            for (const unsigned space : {0u, 1u})
                                if (all >> space & 1u) group.fence[space] = group.epoch;
                            ++core.counters.simdgroup_barriers;
                        }},
                   site);
}

}  // namespace tw::metal_check
