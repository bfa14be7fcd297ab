// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The undocumented simdgroup_async_copy, modelled as strictly as possible. From its issue to its wait the destination
// is poison and no thread may access it; after the wait the data is there for the SIMD-group that waited, and for
// others after a threadgroup barrier. Elements outside the source's tile become zero.
#include <cstring>

#include "backend/metal/on_linux/machine/core.hpp"

namespace tw::metal_check {

/// Checks the range of one row for the whole SIMD-group; false when it is not inside one buffer.
bool Core::check_copy(const Copy& copy, const char* address, std::size_t bytes, bool write) {
    if (!job_->checked || bytes == 0) return true;
    Region* region = region_of(address, bytes, copy.site);
    if (region && !(write && region->read_only)) {
        const auto offset = static_cast<std::size_t>(address - region->base);
        if (region->space == Space::threadgroup)
            (write ? counters.threadgroup_stored : counters.threadgroup_loaded) += bytes;
        else (write ? counters.device_stored : counters.device_loaded) += bytes;
        if (region->read_only) return true;
        for (std::size_t i = region->cell_of(offset); i <= region->cell_of(offset + bytes - 1); ++i) {
            if (write) check_write(*region, region->cells[i], i * region->granule, copy.site);
            else check_read(*region, region->cells[i], i * region->granule, copy.site);
        }
        return true;
    }
    report(Kind::out_of_bounds, copy.site,
           where(*current_) + " and its SIMD-group copy " + std::to_string(bytes) + " bytes " +
               (write ? "to" : "from") + " memory that is not theirs");
    return false;
}

Copy* Core::issue(const Copy& wanted, const SimdGroup& group) {
    Copy* copy = new Copy(wanted);
    Fiber* me = current_;
    current_ = &fibers_[group.first];
    for (std::uint64_t row = 0; row < copy->to_rows; ++row) {
        char* to = copy->to + row * copy->to_step * copy->element;
        const std::size_t bytes = copy->to_columns * copy->element;
        if (!check_copy(*copy, to, bytes, true)) {
            copy->landed = true;
            break;
        }
        if (!job_->checked) continue;
        std::memset(to, 0xff, bytes);
        Region* region = region_of(to, bytes, copy->site);
        const auto offset = static_cast<std::size_t>(to - region->base);
        for (std::size_t i = region->cell_of(offset); i <= region->cell_of(offset + bytes - 1); ++i)
            region->cells[i].writer = in_flight;
    }
    current_ = me;
    copies.push_back(copy);
    ++counters.async_copies;
    return copy;
}

void Core::land(Copy& copy, const SimdGroup& group) {
    if (copy.landed) return;
    copy.landed = true;
    Fiber* me = current_;
    current_ = &fibers_[group.first];
    const auto mine = static_cast<Who>(whole_simdgroup | current_->simdgroup);
    for (std::uint64_t row = 0; row < copy.to_rows; ++row) {
        char* to = copy.to + row * copy.to_step * copy.element;
        const std::size_t bytes = copy.to_columns * copy.element;
        const std::uint64_t columns = row < copy.from_rows ? std::min(copy.from_columns, copy.to_columns) : 0;
        const char* from = copy.from + row * copy.from_step * copy.element;
        if (columns > 0 && !check_copy(copy, from, columns * copy.element, false)) break;
        std::memcpy(to, from, columns * copy.element);
        std::memset(to + columns * copy.element, 0, bytes - columns * copy.element);
        if (!job_->checked) continue;
        Region* region = region_of(to, bytes, copy.site);
        const auto offset = static_cast<std::size_t>(to - region->base);
        for (std::size_t i = region->cell_of(offset); i <= region->cell_of(offset + bytes - 1); ++i) {
            Cell& cell = region->cells[i];
            cell.writer = mine;
            cell.write_epoch = epoch_;
            cell.write_simd_epoch = group.epoch;
        }
    }
    current_ = me;
}

namespace {

using Pair = std::uint64_t __attribute__((vector_size(16)));
using SignedPair = std::int64_t __attribute__((vector_size(16)));

void issue_for_all(Core& core, SimdGroup& group, std::uint32_t present) {
    const SimdCall& first = core.lane(group, static_cast<std::uint32_t>(__builtin_ctz(present))).simd_call;
    const Copy& wanted = *static_cast<const Copy*>(first.in[0]);
    for (std::uint32_t i = 0; i < group.size; ++i)
        if (present >> i & 1u && !(*static_cast<const Copy*>(core.lane(group, i).simd_call.in[0]) == wanted))
            core.report(Kind::copy_disagrees, wanted.site,
                        core.where(core.lane(group, i)) + " gives other arguments than the first lane");
    Copy* copy = core.issue(wanted, group);
    for (std::uint32_t i = 0; i < group.size; ++i)
        if (present >> i & 1u) *static_cast<Copy**>(core.lane(group, i).simd_call.out) = copy;
}

void land_all(Core& core, SimdGroup& group, std::uint32_t present) {
    const SimdCall& first = core.lane(group, static_cast<std::uint32_t>(__builtin_ctz(present))).simd_call;
    for (std::uint64_t i = 0; i < first.value; ++i) core.land(*static_cast<Copy* const*>(first.in[0])[i], group);
}

}  // namespace

extern "C" __attribute__((visibility("default"))) void* tw_async_copy(
    std::uint64_t element, std::uint64_t alignment, void* to, std::uint64_t to_step, std::uint64_t, Pair to_tile,
    const void* from, std::uint64_t from_step, std::uint64_t, Pair from_tile, SignedPair, int,
    std::uint32_t site) __asm__("air.simdgroup_async_copy_2d.p3i8.p1i8");
extern "C" void* tw_async_copy(std::uint64_t element, std::uint64_t, void* to, std::uint64_t to_step, std::uint64_t,
                               Pair to_tile, const void* from, std::uint64_t from_step, std::uint64_t, Pair from_tile,
                               SignedPair, int, std::uint32_t site) {
    const Copy wanted{element,
                      to_step,
                      to_tile[0],
                      to_tile[1],
                      from_step,
                      from_tile[0],
                      from_tile[1],
                      static_cast<char*>(to),
                      static_cast<const char*>(from),
                      site,
                      false};
    Copy* copy = nullptr;
    Core::here().join_simd_call({.run = issue_for_all, .needs_all = true, .in = {&wanted}, .out = &copy}, site);
    return copy;
}

extern "C" __attribute__((visibility("default"))) void tw_wait_events(
    int count, void** events, std::uint32_t site) __asm__("air.wait_simdgroup_events");
extern "C" void tw_wait_events(int count, void** events, std::uint32_t site) {
    Core::here().join_simd_call(
        {.run = land_all, .needs_all = true, .in = {events}, .value = static_cast<std::uint64_t>(count)}, site);
}

}  // namespace tw::metal_check
