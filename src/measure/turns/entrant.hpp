// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Whoever enters a comparison: one of our kernels, the front door's own choice, or a peer in a process of its own.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "measure/basis/operands.hpp"

namespace tw::measure {

/// How an entrant stands before the judge.
struct Judgement {
    bool ok = false;
    double relative_error = 0;    ///< Frobenius, against f64
    double error_over_bound = 0;  ///< the worst element, as a fraction of what is allowed
    double seconds = 0;           ///< what the judged product took: the first one, so cold and never fast
    std::string trouble{};        ///< a sentence when not ok
};

class Entrant {
public:
    virtual ~Entrant() = default;

    std::string provider;       ///< "tilewright" or the peer's name
    std::string device;         ///< "cpu", "cuda"
    std::string kernel;         ///< a kernel's name; a peer's version and core type
    std::string rung;           ///< "r3_tiled"; empty for a peer
    std::string accuracy;       ///< as the dial spells it
    int threads = 0;            ///< 0: the task's
    std::int64_t products = 1;  ///< of the task's shape, in one pass
    std::uint64_t needs = 0;    ///< features of the unit that it works with; of a peer: all
    bool times_mean_nothing = false;

    /// Makes ready for the task, runs it once and judges the result; not timed.
    virtual Judgement judge(const Task& task) = 0;

    /// Seconds for `passes` passes over the products of the task judged last, NaN on failure.
    virtual double seconds(int passes) = 0;

    /// Around an entrant's turn: a peer's threads sleep outside it.
    virtual void begin_turn() {}
    virtual void end_turn() {}
};

/// Behind the name of a kernel that was asked for something else than one product at a time: for reproducible results,
/// on one thread where the task has several, for a batch, for as many calls at once as there are callers.
inline constexpr const char *reproducible_mark = " reproducible", *one_thread_mark = " on one thread",
                            *batch_mark = " batch", *pointers_mark = " batch by pointers",
                            *region_mark = " in an OpenMP region";

/// The mark at the end of a kernel's name; empty when it has none.
std::string_view mark_of(std::string_view kernel);

/// A kernel of a backend, or (kernel null) what multiply() itself would choose, for the first product of a batch. The
/// operands are shared: they must be those of the task.
class OwnEntrant : public Entrant {
public:
    OwnEntrant(const Backend& backend, const Kernel* kernel, Tile tile, std::shared_ptr<Operands> operands);

    /// Makes ready for the task without running it.
    Status prepare(const Task& task);
    Judgement judge(const Task& task) override;
    double seconds(int passes) override;

    /// Rests for a moment, as peers do: where cores are fought for, a process that has just run is interrupted first.
    void begin_turn() override;

    /// What multiply() would choose so that a row's bits depend on nothing around it.
    bool is_reproducible = false;

    std::string mark;  ///< behind the kernel's name

    const Plan& plan() const { return plan_; }

protected:
    /// All of a pass, on a device only begun.
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

/// Judges the Cs of the first `products` against f64 and the promise or certificate `bound`, on as many of them and of
/// their rows as about half a second allows.
Judgement judge_results(const Operands& operands, std::int64_t products, double bound, int threads);

/// Reads enough memory that nothing of the operands is left in a cache.
void empty_caches();

}  // namespace tw::measure
