// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Times one side: products over the sets in turn, as calls or replayed from a graph.
#pragma once

#include <memory>
#include <vector>

#include "measure/survey/sides.hpp"

namespace tw::measure {

class Stretch {
public:
    Stretch(Side& side, const std::vector<Set>& sets, const Queue& queue) : side_(side), sets_(sets), queue_(queue) {}

    /// Runs once, to load code and allocate scratch, then for about so many seconds, for a first estimate of each().
    Status warm_up(double seconds);

    /// Records 20 to 64 products as a graph, which is replayed from now on.
    Status record();
    bool is_recorded() const { return graph_ != nullptr; }
    /// Short enough for the host's time to count.
    bool is_worth_recording() const;
    /// Goes back to calls.
    void forget() { graph_ = nullptr; }

    /// Runs for about so many seconds, at least one product, and waits; each() is then for this run.
    Status run(double seconds);

    /// Multiplies the first set's operands in the way that is timed, and waits; as called where C is added to, since a
    /// graph may come back to the first set, whose own result beta would add.
    Status run_first(const Case& what);

    /// Seconds of one product, or of one batch.
    double each() const { return each_; }

    Side& side() const { return side_; }

private:
    Status begin_some(std::int64_t count);

    Side& side_;
    const std::vector<Set>& sets_;
    const Queue& queue_;
    std::shared_ptr<void> graph_;
    std::int64_t recorded_ = 0;
    std::size_t next_ = 0;
    double each_ = 0;
};

/// Both sides replay graphs where one of them is short, so that the host's time does not count; but not a side that
/// takes far longer, which may be thousands of launches. Where one can't be recorded both are called.
Status record_both(Stretch& ours, Stretch* theirs);

/// Seconds of one product, one value for each round.
struct Turns {
    std::vector<double> ours, theirs;  ///< theirs empty without a peer
};
/// Five rounds, begun by alternating sides; fewer where products take long.
Status take_turns(Stretch& ours, Stretch* theirs, double turn, Turns& turns);

}  // namespace tw::measure
