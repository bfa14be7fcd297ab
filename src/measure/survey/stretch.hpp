// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// A side at work: products over the sets in turn, as called or replayed from a graph, and how long they take.
#pragma once

#include <memory>
#include <vector>

#include "measure/survey/sides.hpp"

namespace tw::measure {

class Stretch {
public:
    Stretch(Side& side, const std::vector<Set>& sets, const Queue& queue) : side_(side), sets_(sets), queue_(queue) {}

    /// Once, to the end: code is loaded, scratch allocated. Then for about so many seconds, for a first idea of each().
    Status warm_up(double seconds);

    /// From now on 20 to 64 products are replayed from a graph.
    Status record();
    bool is_recorded() const { return graph_ != nullptr; }
    /// As called again.
    void forget() { graph_ = nullptr; }

    /// Runs for about so many seconds and to the end; each() is of this run. Always one product at least.
    Status run(double seconds);

    /// Multiplies the first set's operands, to the end, in the way in which it is timed.
    Status run_first();

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

/// Seconds of one product, a value a round.
struct Turns {
    std::vector<double> ours, theirs;  ///< theirs empty without a peer
};
/// Five rounds, each begun by another side; fewer where products are long.
Status take_turns(Stretch& ours, Stretch* theirs, double turn, Turns& turns);

}  // namespace tw::measure
