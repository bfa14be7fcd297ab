// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The entrants of a comparison: one of our kernels, multiply()'s own choice, or a peer in a separate process.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "measure/basis/operands.hpp"
#include "tilewright/plan.hpp"

namespace tw::measure {

/// The judge's verdict on an entrant.
struct Judgement {
    bool ok = false;
    double relative_error = 0;    ///< Frobenius, against f64
    double error_over_bound = 0;  ///< of the worst element
    double seconds = 0;           ///< of the judged product, which is the first one and so not warmed up
    std::string trouble{};        ///< a sentence when not ok
};

class Entrant {
public:
    virtual ~Entrant() = default;

    std::string provider;         ///< "tilewright" or the peer's name
    std::string device;           ///< "cpu", "cuda"
    std::string kernel;           ///< a kernel's name; a peer's version and core type
    std::string rung;             ///< "r3_tiled"; empty for a peer
    std::string accuracy;         ///< its name, or a number
    int threads = 0;              ///< 0: the task's
    std::int64_t products = 1;    ///< of the task's shape, in one pass
    std::uint64_t needs = 0;      ///< features of the unit that it uses; for a peer all
    const Kernel* row = nullptr;  ///< of our own; null for a peer, and before multiply() has chosen
    bool times_mean_nothing = false;

    /// Prepares the task, runs it once and checks the result; not timed.
    virtual Judgement judge(const Task& task) = 0;

    /// Seconds for `passes` passes over the products of the last task, NaN on failure.
    virtual double seconds(int passes) = 0;

    /// Called before an entrant's turn; outside its turn a peer's process is stopped.
    virtual void begin_turn() {}
    virtual void end_turn() {}
};

/// Appended to a kernel's name when it is not timed on single products by all threads: reproducible results, one thread
/// where the task has several, batches, or concurrent calls.
inline constexpr const char *reproducible_mark = " reproducible", *one_thread_mark = " on one thread",
                            *batch_mark = " batch", *pointers_mark = " batch by pointers",
                            *region_mark = " in an OpenMP region";

/// The mark at the end of a kernel's name; empty when it has none.
std::string_view mark_of(std::string_view kernel);

/// Behind the name of a kernel whose tiles are rows of a table, with the tile's side: the seeds' tile_16 and tile_32.
inline constexpr std::string_view tile_mark = " tile ";

struct KernelAndTile {
    const Kernel* kernel = nullptr;  ///< null: no kernel has this name
    Tile tile{};                     ///< the one that is marked, else the kernel's default
};
KernelAndTile kernel_and_tile(std::string_view name);

/// The CPU's rungs below r6 share no work out: they are one thread's, whatever the task allows.
bool works_alone(const Backend& backend, const Kernel& kernel);

/// A kernel of a backend or, if `kernel` is null, the one that multiply() chooses, on the first product of a batch. The
/// operands are shared and must be the task's.
class OwnEntrant : public Entrant {
public:
    OwnEntrant(const Backend& backend, const Kernel* kernel, Tile tile, std::shared_ptr<Operands> operands);

    /// Prepares the task without running it.
    Status prepare(const Task& task);
    Judgement judge(const Task& task) override;
    double seconds(int passes) override;

    /// Sleeps for a moment, as peers do: on a busy machine the scheduler interrupts a process that has just run first.
    void begin_turn() override;

    /// With Options::reproducible.
    bool is_reproducible = false;

    std::string mark;  ///< appended to the kernel's name

    const Plan& plan() const { return plan_; }

protected:
    /// Runs a pass; on a device it only enqueues it.
    virtual Status begin_pass() { return plan_.try_run(a_, b_, c_); }

    const Operands& operands() const { return *operands_; }

private:
    Status run_once();

    const Backend& backend_;
    const Kernel* kernel_;
    Tile tile_;
    std::shared_ptr<Operands> operands_;
    Task task_{};
    Plan plan_{};
    Matrix a_{}, b_{}, c_{};
};

/// True when the kernel can do the task on this machine: features, types, shape.
bool can_enter(const Backend& backend, const Kernel& kernel, const Task& task);

/// Checks the Cs of the first `products` against f64 and `bound`, a promise or a certificate: as many of them, and of
/// their rows, as half a second allows.
Judgement judge_results(const Operands& operands, std::int64_t products, double bound, int threads);

/// Reads so much memory that no operand is left in a cache.
void empty_caches();

}  // namespace tw::measure
