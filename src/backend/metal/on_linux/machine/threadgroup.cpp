// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Prepares a dispatch and each of its threadgroups: memory, thread indices, the order of the threads.
#include <algorithm>
#include <cstring>
#include <numeric>

#include "backend/metal/on_linux/machine/core.hpp"

namespace tw::metal_check {

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
        if (!region.read_only) region.cells.assign(region.cell_of(region.bytes) + 1, Cell{});
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
    // Shuffles the SIMD-groups, and the lanes of each. The lanes of a SIMD-group stay together, so that its calls do
    // not wait long.
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

}  // namespace tw::metal_check
