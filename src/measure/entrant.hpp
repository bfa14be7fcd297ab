// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Whoever enters a comparison: one of our kernels, the front door's own choice, or a peer in a process of its own.
#pragma once

#include <memory>
#include <string>

#include "measure/operands.hpp"

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

    std::string provider;     ///< "tilewright" or the peer's name
    std::string device;       ///< "cpu", "cuda"
    std::string kernel;       ///< a kernel's name; a peer's version and core type
    std::string rung;         ///< "r3_tiled"; empty for a peer
    std::string accuracy;     ///< as the dial spells it
    std::uint64_t needs = 0;  ///< features of the unit that it works with; of a peer: all
    bool times_mean_nothing = false;

    /// Makes ready for the task, runs it once and judges the result; not timed.
    virtual Judgement judge(const Task& task) = 0;

    /// Seconds for `passes` products of the task judged last, NaN on failure.
    virtual double seconds(int passes) = 0;

    /// Around an entrant's turn: a peer's threads sleep outside it.
    virtual void begin_turn() {}
    virtual void end_turn() {}
};

/// Behind the name of a kernel that was asked for reproducible results.
inline constexpr const char* reproducible_mark = " reproducible";

/// A kernel of a backend, or (kernel null) what multiply() itself would choose. The operands are shared: they must
/// be those of the task.
class OwnEntrant : public Entrant {
public:
    OwnEntrant(const Backend& backend, const Kernel* kernel, Tile tile, std::shared_ptr<Operands> operands);

    /// Makes ready for the task without running it.
    Status prepare(const Task& task);
    Judgement judge(const Task& task) override;
    double seconds(int passes) override;

    /// Rests for a moment, as peers do: where cores are fought for, a process that has just run is interrupted first.
    void begin_turn() override;

    /// What multiply() would choose so that a row's bits depend on nothing around it; the kernel's name says so.
    bool is_reproducible = false;

    const Plan& plan() const { return plan_; }

private:
    Status run_once();

    const Backend& backend_;
    const Kernel* kernel_;
    Tile tile_;
    std::shared_ptr<Operands> operands_;
    Task task_{};
    Plan plan_{};
};

/// True when the kernel can do the task on this machine: features, types, shape.
bool can_enter(const Backend& backend, const Kernel& kernel, const Task& task);

/// Judges C against f64 and the promise or certificate `bound`, on as many rows as about half a second allows.
Judgement judge_result(const Matrix& a, const Matrix& b, const Matrix& c, double bound, int threads);

/// Reads enough memory that nothing of the operands is left in a cache.
void empty_caches();

}  // namespace tw::measure
