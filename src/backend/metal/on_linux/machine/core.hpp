// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// One core of the machine: an operating system's thread that runs threadgroups one after another, with a stack for each
// of their threads. The kernels' barriers, SIMD-group functions and checked accesses call it.
#pragma once

#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "backend/metal/on_linux/machine/fibers.hpp"
#include "backend/metal/on_linux/machine/memory.hpp"
#include "backend/metal/on_linux/machine/outcome.hpp"
#include "backend/metal/on_linux/translator/module_table.hpp"

namespace tw::metal_check {

inline constexpr std::uint32_t lanes = 32, most_threads = 1024, most_threadgroup_bytes = 32768;

struct Dim {
    std::uint32_t x = 1, y = 1, z = 1;
    std::uint64_t count() const noexcept { return std::uint64_t{x} * y * z; }
};

/// A dispatch, shared by all cores.
struct Job {
    void (*entry)(std::uint64_t arguments, std::uint64_t ids) = nullptr;
    const Program* program = nullptr;
    const KernelText* kernel = nullptr;
    const Module* module = nullptr;
    std::uint64_t buffers[31] = {};
    std::size_t threadgroup_bytes[8] = {};
    std::vector<Region> device;  ///< without cells: each core adds its own
    Dim grid, threads;           ///< threads in all, and in a threadgroup; threadgroups at the edges may be smaller
    bool checked = true;
    unsigned seed = 0;
};

struct Ids {
    std::uint32_t v[12][3];
};

struct Arguments {
    std::uint64_t buffer[31];
    std::uint64_t threadgroup_memory[8];
};

enum class State : std::uint8_t { fresh, ready, at_barrier, in_simd_call, ended };

class Core;
struct SimdGroup;

/// A lane's part in a call by its whole SIMD-group; the last lane to arrive calls `run` for all that are present.
struct SimdCall {
    using Run = void (*)(Core& core, SimdGroup& group, std::uint32_t present);
    Run run = nullptr;
    bool needs_all = false;  ///< undefined unless all 32 lanes take part
    const void* in[3] = {};
    void* out = nullptr;
    std::uint64_t value = 0;
};

struct Fiber {
    Context context;
    char* stack = nullptr;
    State state = State::fresh;
    bool stopped = false;  ///< ended because of a finding
    std::uint32_t thread = 0, simdgroup = 0, lane = 0;
    std::uint32_t site = 0, flags = 0;
    SimdCall simd_call;
    Ids ids;
};

struct SimdGroup {
    std::uint32_t first = 0, size = 0, alive = 0, waiting = 0;
    std::uint32_t epoch = 1, fence[2] = {1, 1};  ///< by Space
};

/// An async copy under way.
struct Copy {
    std::uint64_t element = 0, to_step = 0, to_columns = 0, to_rows = 0, from_step = 0, from_columns = 0, from_rows = 0;
    char* to = nullptr;
    const char* from = nullptr;
    std::uint32_t site = 0;
    bool landed = false;

    friend bool operator==(const Copy&, const Copy&) = default;
};

class Core {
public:
    Core();
    /// The core that runs this operating system's thread. Each access asks: a pointer needs no guard.
    static Core& here() noexcept { return mine ? *mine : made_here(); }

    void begin(const Job& job);
    void run(std::uint32_t group);

    // Called by kernels.
    void access(const void* address, std::size_t bytes, bool write, bool aligned, std::uint32_t site);
    void atomic_access(const void* address, bool reads, std::uint32_t site);
    void barrier(std::uint32_t flags, std::uint32_t site);
    void simdgroup_barrier(std::uint32_t flags, std::uint32_t site);
    /// Returns when all running lanes of the SIMD-group have arrived and the call is done.
    void join_simd_call(const SimdCall& simd_call, std::uint32_t site);
    bool is_checked() const noexcept { return job_->checked; }
    Fiber& fiber() noexcept { return *current_; }
    Fiber& lane(const SimdGroup& group, std::uint32_t index) noexcept { return fibers_[group.first + index]; }
    SimdGroup& simdgroup() noexcept { return simdgroups_[current_->simdgroup]; }

    /// Starts an async copy; until it has landed no thread may access its destination.
    Copy* issue(const Copy& copy, const SimdGroup& group);
    void land(Copy& copy, const SimdGroup& group);

    void report(Kind kind, std::uint32_t site, const std::string& what);
    [[noreturn]] void stop();
    std::string where(const Fiber& fiber) const;
    const char* site_text(std::uint32_t site) const;

    struct Note {
        std::string text;
        std::uint64_t count = 0;
    };
    std::map<std::pair<Kind, std::uint32_t>, Note> notes;
    Counters counters;
    std::vector<Region> regions;
    std::vector<Copy*> copies;

private:
    static Core& made_here() noexcept;
    static void trampoline();
    void start_group(std::uint32_t group);
    void yield();
    void ended();
    void release_barrier();
    void release_simd_call(SimdGroup& group);
    void report_divergence();
    void make_ready(Fiber& fiber, State from);
    Region* region_of(const char* address, std::size_t bytes, std::uint32_t site);
    void outside(const char* address, std::size_t bytes, bool write, std::uint32_t site);
    void bind_threadgroup_memory();
    void order_threads();
    void check_read(Region& region, Cell& cell, std::size_t offset, std::uint32_t site);
    void check_write(Region& region, Cell& cell, std::size_t offset, std::uint32_t site);
    bool check_copy(const Copy& copy, const char* address, std::size_t bytes, bool write);
    void check_atomic(Region& region, Cell& cell, std::size_t offset, bool reads, std::uint32_t site);
    void check_groups(Region& region, Cell& cell, std::size_t offset, bool write, bool atomic, std::uint32_t site);
    bool ordered(Space space, Who who, std::uint32_t epoch, std::uint32_t simd_epoch) const;
    void conflict(const Region& region, std::size_t offset, const char* did, const char* other_did, Who who,
                  std::uint32_t epoch, std::uint32_t simd_epoch, std::uint32_t other_site, std::uint32_t site);
    std::string who_text(Who who) const;
    std::string spot(const Region& region, std::size_t offset) const;

    static constinit thread_local Core* mine;
    const Job* job_ = nullptr;
    Stacks stacks_;
    Context scheduler_;
    Arguments arguments_{};
    std::vector<Fiber> fibers_;
    std::vector<SimdGroup> simdgroups_;
    std::vector<std::uint32_t> order_, queue_;
    std::vector<std::vector<char>> dynamic_;  ///< threadgroup memory with a length set by the host
    std::mt19937 random_;
    std::uint32_t turn_ = 0;  ///< which lane goes on first after a SIMD-group call
    std::size_t queue_head_ = 0;
    Fiber* current_ = nullptr;
    std::uint32_t threads_ = 0, alive_ = 0, waiting_ = 0, group_ = 0;
    Dim group_at_{}, groups_{};
    std::uint32_t epoch_ = 1, group_start_ = 1, fence_[2] = {1, 1};
    unsigned hints_[256] = {};
};

}  // namespace tw::metal_check
