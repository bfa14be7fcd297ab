// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "backend/metal/on_linux/machine/executor.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <map>
#include <mutex>

#include "backend/metal/on_linux/machine/workers.hpp"

namespace tw::metal_check {
namespace {

using Findings = std::map<std::pair<Kind, std::string>, Finding>;

constexpr std::size_t page = 4096, around = std::size_t{1} << 20;

/// Copies of the buffers, each with wide guard zones on both sides.
class Arena {
public:
    explicit Arena(std::span<const Bound> buffers) {
        std::size_t total = around;
        for (const Bound& bound : buffers) total += (bound.bytes + page - 1) / page * page + around;
        void* memory = mmap(nullptr, total, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (memory == MAP_FAILED) throw std::bad_alloc();
        all_ = static_cast<char*>(memory);
        bytes_ = total;
        char* at = all_ + around;
        for (const Bound& bound : buffers) {
            copies_.push_back(at);
            if (bound.data && bound.bytes) std::memcpy(at, bound.data, bound.bytes);
            at += (bound.bytes + page - 1) / page * page + around;
        }
    }
    ~Arena() { munmap(all_, bytes_); }
    Arena(const Arena&) = delete;
    Arena& operator=(const Arena&) = delete;
    char* operator[](std::size_t buffer) const { return copies_[buffer]; }

private:
    char* all_ = nullptr;
    std::size_t bytes_ = 0;
    std::vector<char*> copies_;
};

void add_finding(Findings& all, const Program& program, Kind kind, std::uint32_t site, const std::string& text,
                 std::uint64_t count) {
    const std::string name = site < program.sites.size() ? program.sites[site] : "an unknown line";
    Finding& finding = all[{kind, name}];
    if (finding.count == 0 || text < finding.text) finding.text = text;
    finding.kind = kind;
    finding.site = name;
    finding.count += count;
}

/// Compares the accesses of different cores to the same scalars: nothing orders their threadgroups.
void compare_cores(const std::vector<std::vector<Region>>& seen, const Program& program, Findings& all) {
    for (std::size_t r = 0; r < seen[0].size(); ++r) {
        const Region& first = seen[0][r];
        if (first.space != Space::device || first.read_only) continue;
        for (std::size_t i = 0; i < first.cells.size(); ++i) {
            int cores = 0;
            bool write = false, read = false, atomic = false;
            std::uint32_t site = 0;
            for (const auto& regions : seen) {
                const Cell& cell = regions[r].cells[i];
                if (cell.first_group == 0) continue;
                ++cores;
                write |= cell.plain_write, read |= cell.plain_read, atomic |= cell.atomic;
                if (site == 0) site = cell.write_site;
            }
            if (cores > 1 && (write || (atomic && read)))
                add_finding(all, program, Kind::race_between_threadgroups, site,
                            "byte " + std::to_string(i * first.granule) + " of " + first.name +
                                " is touched by several threadgroups, and one writes",
                            1);
        }
    }
}

std::string refusal(const Request& request, const KernelText* kernel) {
    const std::uint64_t threads = request.threads.count();
    if (!kernel) return "the module has no kernel named '" + std::string(request.kernel) + "'";
    if (threads == 0 || request.grid.count() == 0)
        return "the grid and the threadgroup must have at least one thread each way";
    if (threads > most_threads)
        return std::to_string(threads) + " threads in a threadgroup; the most is " + std::to_string(most_threads);
    for (const Parameter& p : kernel->parameters) {
        if (p.binding == Binding::buffer && (p.index >= request.buffers.size() || !request.buffers[p.index].data))
            return "buffer " + std::to_string(p.index) + " '" + p.name + "' is not bound";
        if (p.binding == Binding::threadgroup &&
            (p.index >= request.threadgroup_bytes.size() || request.threadgroup_bytes[p.index] == 0))
            return "threadgroup memory " + std::to_string(p.index) + " '" + p.name + "' has no length";
    }
    return "";
}

void set_constants(const Request& request, const Program& program) {
    std::vector<std::uint64_t> places(2 * (program.variables.size() + program.constants.size()) + 1);
    request.module->addresses(places.data());
    for (std::size_t i = 0; i < program.constants.size(); ++i) {
        const std::size_t slot = 2 * (program.variables.size() + i);
        if (places[slot] == 0) continue;
        std::uint64_t bits = 0;
        for (const ConstantValue& value : request.constants)
            if (value.index == program.constants[i].index) bits = value.bits;
        std::memcpy(reinterpret_cast<void*>(places[slot]), &bits, std::min<std::size_t>(places[slot + 1], sizeof bits));
    }
}

const KernelText* kernel_named(std::string_view name, const Program& program) {
    const KernelText* found = nullptr;
    for (const KernelText& candidate : program.kernels)
        if (candidate.name == name) found = &candidate;
    return found;
}

/// Unchecked, kernels work on the caller's own buffers; checked, on copies in the arena.
void bind_buffers(Job& job, const Request& request, const Arena& arena) {
    for (const Parameter& p : job.kernel->parameters) {
        if (p.binding != Binding::buffer) continue;
        const Bound& bound = request.buffers[p.index];
        char* base = request.checked ? arena[p.index] : static_cast<char*>(bound.data);
        job.buffers[p.index] = reinterpret_cast<std::uint64_t>(base);
        Region region;
        region.base = base;
        region.bytes = bound.bytes;
        region.read_only = p.read_only;
        region.counted = !p.constant;
        region.granule = p.granule;
        region.name = "buffer " + std::to_string(p.index) + " '" + p.name + "'";
        job.device.push_back(std::move(region));
    }
}

void bring_back(const Job& job, const Request& request, const Arena& arena) {
    for (const Parameter& p : job.kernel->parameters)
        if (p.binding == Binding::buffer && !p.read_only)
            std::memcpy(request.buffers[p.index].data, arena[p.index], request.buffers[p.index].bytes);
}

std::uint32_t groups_of(const Job& job) {
    const auto along = [](std::uint32_t grid, std::uint32_t threads) { return (grid + threads - 1) / threads; };
    return along(job.grid.x, job.threads.x) * along(job.grid.y, job.threads.y) * along(job.grid.z, job.threads.z);
}

/// All threadgroups, core n taking every n-th. What the cores saw goes into the outcome and `findings`; returned is
/// which bytes each of them touched.
std::vector<std::vector<Region>> run_on_cores(const Job& job, int cores, std::uint32_t groups, Outcome& outcome,
                                              Findings& findings) {
    std::vector<std::vector<Region>> seen(static_cast<std::size_t>(cores));
    std::mutex gathering;
    on_all_cores(cores, [&](int number) {
        Core& core = Core::here();
        core.begin(job);
        for (auto group = static_cast<std::uint32_t>(number); group < groups;
             group += static_cast<std::uint32_t>(cores))
            core.run(group);
        const std::lock_guard gather(gathering);
        for (const auto& [key, note] : core.notes)
            add_finding(findings, *job.program, key.first, key.second, note.text, note.count);
        outcome.counters += core.counters;
        seen[static_cast<std::size_t>(number)] = std::move(core.regions);
    });
    return seen;
}

}  // namespace

const Program& program_of(const Module& module) {
    static std::mutex mutex;
    static std::map<const Module*, Program> known;
    const std::lock_guard lock(mutex);
    auto found = known.find(&module);
    if (found == known.end()) found = known.emplace(&module, read_program(module.text)).first;
    return found->second;
}

Outcome execute(const Request& request) {
    static std::mutex one_at_a_time;
    const std::lock_guard lock(one_at_a_time);
    const Program& program = program_of(*request.module);
    const KernelText* kernel = kernel_named(request.kernel, program);
    Outcome outcome;
    if (const std::string why = refusal(request, kernel); !why.empty()) {
        outcome.findings.push_back({Kind::over_a_limit, std::string(request.kernel), why, 1});
        return outcome;
    }
    Job job;
    job.entry = request.module->entries[kernel - program.kernels.data()];
    job.program = &program;
    job.kernel = kernel;
    job.module = request.module;
    job.grid = request.grid;
    job.threads = request.threads;
    job.checked = request.checked;
    job.seed = request.seed;
    std::copy_n(request.threadgroup_bytes.begin(), std::min<std::size_t>(request.threadgroup_bytes.size(), 8),
                job.threadgroup_bytes);
    set_constants(request, program);

    const Arena arena(request.checked ? request.buffers : std::span<const Bound>{});
    bind_buffers(job, request, arena);
    const std::uint32_t groups = groups_of(job);
    const int cores =
        std::clamp(request.cores > 0 ? request.cores : usable_cores(), 1, static_cast<int>(std::min(groups, 64u)));
    Findings findings;
    const auto began = std::chrono::steady_clock::now();
    const auto seen = run_on_cores(job, cores, groups, outcome, findings);
    outcome.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    if (request.checked) {
        if (cores > 1) compare_cores(seen, program, findings);
        bring_back(job, request, arena);
    }
    for (auto& [key, finding] : findings) outcome.findings.push_back(std::move(finding));
    return outcome;
}

}  // namespace tw::metal_check
