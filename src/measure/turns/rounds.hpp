// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Fair timing on a machine that other processes use, too: entrants take turns in rotating order, the processor's peak
// is measured in every round, and slow entrants take part in fewer rounds, so that all get a share of the time.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "measure/turns/entrant.hpp"

namespace tw::measure {

struct Budget {
    double seconds = 10;    ///< for all entrants of one task together, without checking results
    int least_samples = 6;  ///< for each entrant, if its share of the time allows it
    int most_samples = 60;
    double relative_error = 0;  ///< stop when every interval is narrower than this on both sides; 0: by time alone
};

/// One entrant's timings of one task.
struct Timing {
    std::shared_ptr<Entrant> entrant;
    Judgement judgement{};
    int passes = 1;                 ///< products in one sample
    std::vector<double> seconds{};  ///< of one product, a value for each sample
    bool failed = false;
};

/// A loop that is timed in every round beside the entrants: a roof to compare them with.
struct Calibration {
    std::string name;
    std::function<double()> measure;
    std::vector<double> values;
};

/// Called before each step: what is being done, and the share of the work that is done (0 to 1).
using Progress = std::function<void(const std::string& what, double done)>;

struct Watch {
    Progress progress;                  ///< may be empty
    std::function<bool()> interrupted;  ///< may be empty; true: stop, and keep the results so far
    bool is_interrupted() const { return interrupted && interrupted(); }
    void say(const std::string& what, double done) const {
        if (progress) progress(what, done);
    }
};

/// Has the judge check every entrant, then times those that pass. Entrants that fail are kept, untimed, with the
/// reason. With `judged` false they are timed unchecked, and their judgement says so.
std::vector<Timing> run_rounds(const Task& task, const std::vector<std::shared_ptr<Entrant>>& entrants,
                               std::vector<Calibration>& calibrations, const Budget& budget, const Watch& watch,
                               bool judged = true);

}  // namespace tw::measure
