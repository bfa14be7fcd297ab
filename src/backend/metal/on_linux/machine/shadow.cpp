// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Checks one access: which memory it is, whether it is inside, and which other threads have accessed it.
#include <algorithm>

#include "backend/metal/on_linux/machine/core.hpp"

namespace tw::metal_check {
namespace {

constexpr std::uint32_t nobody = ~0u;

std::uint32_t simdgroup_of(Who who) noexcept {
    if (who >= 1 && who <= most_threads) return (who - 1u) / lanes;
    return who >= whole_simdgroup && who < in_flight ? who - whole_simdgroup : nobody;
}

}  // namespace

Region* Core::region_of(const char* address, std::size_t bytes, std::uint32_t site) {
    unsigned& hint = hints_[site % 256];
    if (hint < regions.size() && regions[hint].holds(address, bytes)) return &regions[hint];
    for (unsigned i = 0; i < regions.size(); ++i)
        if (regions[i].holds(address, bytes)) return &regions[hint = i];
    return nullptr;
}

void Core::outside(const char* address, std::size_t bytes, bool write, std::uint32_t site) {
    const Region* nearest = nullptr;
    std::size_t distance = 0;
    for (const Region& region : regions) {
        const std::size_t far = address < region.base ? static_cast<std::size_t>(region.base - address)
                                                      : static_cast<std::size_t>(address - region.base);
        if (!nearest || far < distance) nearest = &region, distance = far;
    }
    std::string text = where(*current_) + (write ? " writes " : " reads ") + std::to_string(bytes) + " bytes ";
    if (nearest)
        text += "at offset " + std::to_string(address - nearest->base) + " of " + nearest->name + ", which has " +
                std::to_string(nearest->bytes) + " bytes";
    report(Kind::out_of_bounds, site, text);
    stop();
}

void Core::access(const void* at, std::size_t bytes, bool write, bool aligned, std::uint32_t site) {
    const char* address = static_cast<const char*>(at);
    if (stacks_.hold(address)) return;  // the thread's own variables
    Region* region = region_of(address, bytes, site);
    if (!region) return outside(address, bytes, write, site);
    const auto offset = static_cast<std::size_t>(address - region->base);
    if (aligned && (reinterpret_cast<std::uintptr_t>(address) & (bytes - 1)) != 0) {  // scalars, of 1 to 16 bytes
        report(Kind::misaligned, site,
               where(*current_) + " touches " + std::to_string(bytes) + " bytes at offset " + std::to_string(offset) +
                   " of " + region->name + ", which is not a multiple of their size");
        stop();
    }
    if (region->space == Space::threadgroup)
        (write ? counters.threadgroup_stored : counters.threadgroup_loaded) += bytes;
    else if (region->counted) (write ? counters.device_stored : counters.device_loaded) += bytes;
    if (region->read_only) {
        if (write)
            report(Kind::write_to_const, site,
                   where(*current_) + " writes to " + region->name + ", which the kernel declares const");
        return;
    }
    const std::size_t first = region->cell_of(offset), last = region->cell_of(offset + bytes - 1);
    for (std::size_t i = first; i <= last; ++i) {
        Cell& cell = region->cells[i];
        if (region->space == Space::device) check_groups(*region, cell, i * region->granule, write, false, site);
        if (write) check_write(*region, cell, i * region->granule, site);
        else check_read(*region, cell, i * region->granule, site);
    }
}

bool Core::ordered(Space space, Who who, std::uint32_t epoch, std::uint32_t simd_epoch) const {
    const auto s = static_cast<unsigned>(space);
    if (epoch < fence_[s]) return true;
    const std::uint32_t mine = current_->simdgroup;
    return simdgroup_of(who) == mine && simd_epoch < simdgroups_[mine].fence[s];
}

void Core::check_read(Region& region, Cell& cell, std::size_t offset, std::uint32_t site) {
    const auto me = static_cast<Who>(current_->thread + 1);
    const SimdGroup& group = simdgroups_[current_->simdgroup];
    const auto s = static_cast<unsigned>(region.space);
    const auto mine = static_cast<Who>(whole_simdgroup | current_->simdgroup);
    const bool written = cell.writer != 0 && cell.write_epoch >= group_start_;

    if (region.space == Space::threadgroup && !written)
        report(
            Kind::unwritten, site,
            where(*current_) + " reads " + spot(region, offset) + ", which no thread of its threadgroup has written");
    else if (written && cell.writer == in_flight)
        report(Kind::copy_not_waited_for, site,
               where(*current_) + " reads " + spot(region, offset) + ", where the async copy of " +
                   site_text(cell.write_site) + " is still under way");
    else if (written && cell.writer != me && cell.writer != mine &&
             !ordered(region.space, cell.writer, cell.write_epoch, cell.write_simd_epoch))
        conflict(region, offset, "reads", "wrote", cell.writer, cell.write_epoch, cell.write_simd_epoch,
                 cell.write_site, site);

    const bool stale = cell.reader == 0 || cell.reader == me || cell.read_epoch < fence_[s];
    if (stale || (simdgroup_of(cell.reader) == current_->simdgroup && cell.read_simd_epoch < group.fence[s]))
        cell.reader = me;
    else cell.reader = simdgroup_of(cell.reader) == current_->simdgroup ? mine : many;
    cell.read_epoch = epoch_;
    cell.read_simd_epoch = group.epoch;
    cell.read_site = site;
}

void Core::check_write(Region& region, Cell& cell, std::size_t offset, std::uint32_t site) {
    const auto me = static_cast<Who>(current_->thread + 1);
    const auto mine = static_cast<Who>(whole_simdgroup | current_->simdgroup);
    const bool written = cell.writer != 0 && cell.write_epoch >= group_start_;
    const bool read = cell.reader != 0 && cell.read_epoch >= group_start_;

    if (written && cell.writer == in_flight)
        report(Kind::copy_not_waited_for, site,
               where(*current_) + " writes " + spot(region, offset) + ", where the async copy of " +
                   site_text(cell.write_site) + " is still under way");
    else if (written && cell.writer != me && cell.writer != mine &&
             !ordered(region.space, cell.writer, cell.write_epoch, cell.write_simd_epoch))
        conflict(region, offset, "writes", "wrote", cell.writer, cell.write_epoch, cell.write_simd_epoch,
                 cell.write_site, site);
    else if (read && cell.reader != me && !ordered(region.space, cell.reader, cell.read_epoch, cell.read_simd_epoch))
        conflict(region, offset, "writes", "read", cell.reader, cell.read_epoch, cell.read_simd_epoch, cell.read_site,
                 site);

    cell.writer = me;
    cell.write_epoch = epoch_;
    cell.write_simd_epoch = simdgroups_[current_->simdgroup].epoch;
    cell.write_site = site;
}

/// No barrier orders two threadgroups of one dispatch.
void Core::check_groups(Region& region, Cell& cell, std::size_t offset, bool write, bool atomic, std::uint32_t site) {
    const std::uint32_t me = group_ + 1;
    if (cell.first_group == 0) cell.first_group = me;
    cell.other_group |= cell.first_group != me;
    (atomic ? cell.atomic : write ? cell.plain_write : cell.plain_read) = true;
    const bool mixed = cell.plain_write || (cell.atomic && cell.plain_read);
    if (!cell.other_group || !mixed) return;
    const std::uint32_t other = cell.first_group - 1;
    const std::string whom = cell.first_group == me ? std::string("another threadgroup")
                                                    : "threadgroup (" + std::to_string(other % groups_.x) + ',' +
                                                          std::to_string(other / groups_.x % groups_.y) + ',' +
                                                          std::to_string(other / (groups_.x * groups_.y)) + ')';
    report(Kind::race_between_threadgroups, site,
           where(*current_) + (write ? " writes " : " reads ") + spot(region, offset) + ", which " + whom +
               " touches too" +
               (cell.plain_write && cell.write_site ? std::string("; written at ") + site_text(cell.write_site) : ""));
}

void Core::atomic_access(const void* at, bool reads, std::uint32_t site) {
    if (!job_->checked) return;
    const char* address = static_cast<const char*>(at);
    Region* region = region_of(address, 4, site);
    if (!region) return outside(address, 4, true, site);
    const auto offset = static_cast<std::size_t>(address - region->base);
    const bool near = region->space == Space::threadgroup;
    if (reads) (near ? counters.threadgroup_loaded : counters.device_loaded) += 4;
    (near ? counters.threadgroup_stored : counters.device_stored) += 4;
    if (region->read_only) return;
    for (std::size_t i = region->cell_of(offset); i <= region->cell_of(offset + 3); ++i)
        check_atomic(*region, region->cells[i], offset, reads, site);
}

void Core::check_atomic(Region& region, Cell& cell, std::size_t offset, bool reads, std::uint32_t site) {
    const auto me = static_cast<Who>(current_->thread + 1);
    const bool written = cell.writer != 0 && cell.write_epoch >= group_start_;
    const bool read = cell.reader != 0 && cell.read_epoch >= group_start_;
    const bool behind = ordered(region.space, cell.writer, cell.write_epoch, cell.write_simd_epoch);
    if (region.space == Space::device) check_groups(region, cell, offset, true, true, site);
    if (region.space == Space::threadgroup && !written && reads)
        report(
            Kind::unwritten, site,
            where(*current_) + " updates " + spot(region, offset) + ", which no thread of its threadgroup has written");
    else if (written && cell.writer != by_atomic && cell.writer != me && !behind)
        conflict(region, offset, "updates", "wrote", cell.writer, cell.write_epoch, cell.write_simd_epoch,
                 cell.write_site, site);
    else if (read && cell.reader != me && !ordered(region.space, cell.reader, cell.read_epoch, cell.read_simd_epoch))
        conflict(region, offset, "updates", "read", cell.reader, cell.read_epoch, cell.read_simd_epoch, cell.read_site,
                 site);
    // A plain write stays on record until a barrier orders it: the next thread's update races with it, too.
    if (written && cell.writer != by_atomic && cell.write_epoch >= fence_[static_cast<unsigned>(region.space)]) return;
    cell.writer = by_atomic;
    cell.write_epoch = epoch_;
    cell.write_simd_epoch = simdgroups_[current_->simdgroup].epoch;
    cell.write_site = site;
}

/// A barrier in between that orders the wrong kind of memory is reported as such.
void Core::conflict(const Region& region, std::size_t offset, const char* did, const char* other_did, Who who,
                    std::uint32_t epoch, std::uint32_t simd_epoch, std::uint32_t other_site, std::uint32_t site) {
    const bool barrier_between = epoch < epoch_ || (simdgroup_of(who) == current_->simdgroup &&
                                                    simd_epoch < simdgroups_[current_->simdgroup].epoch);
    const char* memory = region.space == Space::device ? "mem_device" : "mem_threadgroup";
    report(barrier_between ? Kind::wrong_memory_flag : Kind::race, site,
           where(*current_) + ' ' + did + ' ' + spot(region, offset) + ", which " + who_text(who) + ' ' + other_did +
               " at " + site_text(other_site) +
               (barrier_between ? std::string("; the barrier between does not order ") + memory
                                : std::string(", and no barrier is between")));
}

std::string Core::who_text(Who who) const {
    if (who >= 1 && who <= most_threads) {
        const auto& v = fibers_[who - 1u].ids.v[2];
        return "thread (" + std::to_string(v[0]) + ',' + std::to_string(v[1]) + ',' + std::to_string(v[2]) + ')';
    }
    if (who == by_atomic) return "an atomic operation";
    return who == many ? "several threads" : "SIMD-group " + std::to_string(who - whole_simdgroup);
}

std::string Core::spot(const Region& region, std::size_t offset) const {
    return "byte " + std::to_string(offset) + " of " + region.name;
}

}  // namespace tw::metal_check
