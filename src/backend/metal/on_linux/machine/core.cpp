// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Threads of a threadgroup, one after another until each has ended, and the two places where they wait for each other.
#include "backend/metal/on_linux/machine/core.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <numeric>

namespace tw::metal_check {

Core::Core() : stacks_(most_threads) {
    fibers_.resize(most_threads);
    notes.clear();
}

Core& Core::here() noexcept {
    static thread_local Core core;
    return core;
}

void Core::begin(const Job& job) {
    job_ = &job;
    notes.clear();
    counters = {};
    epoch_ = 1;
    random_.seed(job.seed);
    groups_ = {(job.grid.x + job.threads.x - 1) / job.threads.x, (job.grid.y + job.threads.y - 1) / job.threads.y,
               (job.grid.z + job.threads.z - 1) / job.threads.z};
    std::copy(std::begin(job.buffers), std::end(job.buffers), std::begin(arguments_.buffer));
    std::fill(std::begin(hints_), std::end(hints_), 0u);
    regions.clear();
    if (job.checked) regions = job.device;
    bind_threadgroup_memory();
    for (Region& region : regions)
        if (!region.read_only) region.cells.assign(region.bytes / region.granule + 1, Cell{});
}

void Core::bind_threadgroup_memory() {
    const Program& program = *job_->program;
    std::vector<std::uint64_t> places(2 * (program.variables.size() + program.constants.size()) + 1);
    job_->module->addresses(places.data());
    std::size_t total = 0;
    const auto add = [&](char* base, std::size_t bytes, unsigned granule, std::string name) {
        total += bytes;
        if (!job_->checked) return;
        Region region;
        region.base = base;
        region.bytes = bytes;
        region.space = Space::threadgroup;
        region.granule = granule;
        region.name = std::move(name);
        regions.push_back(std::move(region));
    };
    for (std::size_t i = 0; i < program.variables.size(); ++i) {
        const Variable& v = program.variables[i];
        if (v.kernel != job_->kernel->name) continue;
        add(reinterpret_cast<char*>(places[2 * i]), places[2 * i + 1], v.granule,
            "threadgroup memory '" + v.name + "'");
    }
    for (std::size_t i = 0; job_->checked && i < program.constants.size(); ++i) {
        const std::size_t slot = 2 * (program.variables.size() + i);
        Region region;
        region.base = reinterpret_cast<char*>(places[slot]);
        region.bytes = places[slot + 1];
        region.read_only = true;
        region.counted = false;
        region.name = "function constant '" + program.constants[i].name + "'";
        regions.push_back(std::move(region));
    }
    dynamic_.clear();
    for (const Parameter& p : job_->kernel->parameters) {
        if (p.binding != Binding::threadgroup) continue;
        const std::size_t bytes = job_->threadgroup_bytes[p.index];
        dynamic_.emplace_back(bytes + 512);
        auto base = reinterpret_cast<std::uintptr_t>(dynamic_.back().data() + 256) & ~std::uintptr_t{15};
        arguments_.threadgroup_memory[p.index] = base;
        add(reinterpret_cast<char*>(base), bytes, p.granule, "threadgroup memory '" + p.name + "'");
    }
    if (total > most_threadgroup_bytes)
        report(Kind::over_a_limit, 0,
               std::to_string(total) + " bytes of threadgroup memory; a threadgroup has " +
                   std::to_string(most_threadgroup_bytes));
}

void Core::order_threads() {
    order_.resize(threads_);
    std::iota(order_.begin(), order_.end(), 0u);
    if (job_->seed == 0) return;
    // SIMD-groups in any order, and the lanes of each; a SIMD-group's lanes stay together, so that its meetings are
    // short.
    std::vector<std::uint32_t> groups(simdgroups_.size());
    std::iota(groups.begin(), groups.end(), 0u);
    std::shuffle(groups.begin(), groups.end(), random_);
    std::size_t at = 0;
    for (const std::uint32_t g : groups) {
        const std::size_t from = at;
        for (std::uint32_t i = 0; i < simdgroups_[g].size; ++i) order_[at++] = simdgroups_[g].first + i;
        std::shuffle(order_.begin() + static_cast<std::ptrdiff_t>(from),
                     order_.begin() + static_cast<std::ptrdiff_t>(at), random_);
    }
}

void Core::start_group(std::uint32_t group) {
    group_ = group;
    group_at_ = {group % groups_.x, group / groups_.x % groups_.y, group / (groups_.x * groups_.y)};
    const Dim &at = group_at_, &full = job_->threads, &grid = job_->grid;
    const Dim size{std::min(full.x, grid.x - at.x * full.x), std::min(full.y, grid.y - at.y * full.y),
                   std::min(full.z, grid.z - at.z * full.z)};
    threads_ = alive_ = static_cast<std::uint32_t>(size.count());
    waiting_ = 0;
    ++epoch_;
    group_start_ = fence_[0] = fence_[1] = epoch_;
    stacks_.reset();

    const std::uint32_t simdgroups = (threads_ + lanes - 1) / lanes;
    simdgroups_.assign(simdgroups, SimdGroup{});
    for (std::uint32_t g = 0; g < simdgroups; ++g) {
        SimdGroup& s = simdgroups_[g];
        s.first = g * lanes;
        s.size = s.alive = std::min(lanes, threads_ - g * lanes);
    }
    for (std::uint32_t t = 0; t < threads_; ++t) {
        Fiber& f = fibers_[t];
        f.state = State::fresh;
        f.stopped = false;
        f.thread = t;
        f.simdgroup = t / lanes;
        f.lane = t % lanes;
        const Dim in{t % size.x, t / size.x % size.y, t / (size.x * size.y)};
        f.ids = {{{at.x * full.x + in.x, at.y * full.y + in.y, at.z * full.z + in.z},
                  {at.x, at.y, at.z},
                  {in.x, in.y, in.z},
                  {size.x, size.y, size.z},
                  {grid.x, grid.y, grid.z},
                  {groups_.x, groups_.y, groups_.z},
                  {f.simdgroup, 0, 0},
                  {f.lane, 0, 0},
                  {t, 0, 0},
                  {simdgroups, 0, 0},
                  {lanes, 0, 0},
                  {full.x, full.y, full.z}}};
    }
    order_threads();
    queue_ = order_;
    queue_head_ = 0;
    turn_ = job_->seed == 0 ? 0 : static_cast<std::uint32_t>(random_() % lanes);
    if (job_->checked)
        for (const Region& region : regions)
            if (region.space == Space::threadgroup) std::memset(region.base, 0xff, region.bytes);  // NaN until written
    counters.threads += threads_;
    ++counters.threadgroups;
}

void Core::run(std::uint32_t group) {
    start_group(group);
    while (alive_ > 0) {
        if (queue_head_ == queue_.size()) {
            current_ = nullptr;
            untangle();
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

/// The thread is over: others may have waited for nobody else.
void Core::ended() {
    current_->state = State::ended;
    --alive_;
    SimdGroup& group = simdgroup();
    --group.alive;
    if (waiting_ > 0 && waiting_ == alive_) release_barrier();
    if (group.waiting > 0 && group.waiting == group.alive) release_meeting(group);
    stacks_.give(current_->stack);
    yield();
}

void Core::stop() {
    current_->stopped = true;
    ended();
    std::abort();
}

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

/// The last to come goes on at once: it needs no turn.
void Core::make_ready(Fiber& fiber, State from) {
    if (fiber.state != from) return;
    fiber.state = State::ready;
    if (&fiber != current_) queue_.push_back(fiber.thread);
}

void Core::meet(const Errand& errand, std::uint32_t site) {
    Fiber* me = current_;
    me->errand = errand;
    me->site = site;
    me->state = State::in_meeting;
    SimdGroup& group = simdgroup();
    if (++group.waiting < group.alive) return yield();
    release_meeting(group);
}

/// Lanes that came to the same call are served together; that there is more than one call is worth a word.
void Core::release_meeting(SimdGroup& group) {
    std::uint32_t waiting = 0, returned = 0;
    for (std::uint32_t i = 0; i < group.size; ++i) {
        const Fiber& f = lane(group, i);
        if (f.state == State::in_meeting) waiting |= 1u << i;
        if (f.state == State::ended && !f.stopped) ++returned;
    }
    group.waiting = 0;
    const Fiber* first = nullptr;
    for (std::uint32_t left = waiting; left != 0;) {
        const Fiber& leader = lane(group, static_cast<std::uint32_t>(__builtin_ctz(left)));
        std::uint32_t present = 0;
        for (std::uint32_t i = 0; i < group.size; ++i)
            if (left >> i & 1u && lane(group, i).errand.run == leader.errand.run && lane(group, i).site == leader.site)
                present |= 1u << i;
        if (first)
            report(Kind::divergent_simd_call, leader.site,
                   where(leader) + " makes the SIMD-group call of this line while " + where(*first) +
                       " of its SIMD-group makes that of " + site_text(first->site));
        else if (returned > 0)
            report(Kind::divergent_simd_call, leader.site,
                   where(leader) + " makes a SIMD-group call that " + std::to_string(returned) +
                       " lane(s) returned without reaching");
        else if (leader.errand.needs_all && group.size < lanes)
            report(Kind::divergent_simd_call, leader.site,
                   where(leader) + " makes a matrix call in a SIMD-group of only " + std::to_string(group.size) +
                       " lanes");
        if (!first) first = &leader;
        leader.errand.run(*this, group, present);
        left &= ~present;
    }
    for (std::uint32_t i = 0; i < group.size; ++i) make_ready(lane(group, (i + turn_) % group.size), State::in_meeting);
}

/// Nobody can go on: lanes of one SIMD-group wait in different places.
void Core::untangle() {
    for (SimdGroup& group : simdgroups_) {
        if (group.waiting == 0) continue;
        for (std::uint32_t i = 0; i < group.size; ++i)
            for (std::uint32_t j = 0; j < group.size; ++j) {
                const Fiber &met = lane(group, i), &other = lane(group, j);
                if (met.state != State::in_meeting || other.state != State::at_barrier) continue;
                report(Kind::divergent_simd_call, met.site,
                       where(met) + " makes a SIMD-group call while " + where(other) +
                           " of its SIMD-group waits at the barrier of " + site_text(other.site));
                return release_meeting(group);
            }
        return release_meeting(group);
    }
    std::abort();  // a barrier that all living threads have reached is released when the last one comes
}

void Core::simdgroup_barrier(std::uint32_t flags, std::uint32_t site) {
    fiber().flags = flags;
    meet({.run =
              [](Core& core, SimdGroup& group, std::uint32_t present) {
                  ++group.epoch;
                  const std::uint32_t all = core.lane(group, static_cast<std::uint32_t>(__builtin_ctz(present))).flags;
                  for (const unsigned space : {0u, 1u})
                      if (all >> space & 1u) group.fence[space] = group.epoch;
                  ++core.counters.simdgroup_barriers;
              }},
         site);
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
