// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "measure/dial.hpp"

#include "measure/rows/run_roofs.hpp"

namespace tw::measure {
namespace {

/// multiply() at one stop of the dial, instead of the accuracy of the task.
class Stop : public OwnEntrant {
public:
    Stop(const Backend& backend, Accuracy stop, std::shared_ptr<Operands> operands)
        : OwnEntrant(backend, nullptr, Tile{}, std::move(operands)), stop_(stop) {}

    Judgement judge(const Task& task) override {
        Task own = task;
        own.accuracy = stop_;
        return OwnEntrant::judge(own);
    }

private:
    Accuracy stop_;
};

}  // namespace

std::vector<Accuracy> dial_stops() { return {fp32, fp32_elementwise, tf32, bf16, fp16, 1e-3, 1e-5}; }

void turn_dial(const Dial& asked, const Watch& watch, Run& run) {
    const auto operands = std::make_shared<Operands>(asked.task);
    std::vector<std::shared_ptr<Entrant>> entrants;
    for (const Accuracy stop : dial_stops()) entrants.push_back(std::make_shared<Stop>(*asked.backend, stop, operands));
    RunRoofs roofs(*asked.backend, name_of(asked.task.type), asked.task.threads);
    for (const Timing& timing : run_rounds(asked.task, entrants, roofs.calibrations(), asked.budget, watch))
        run.rows.push_back(make_row(timing, asked.task, roofs.peaks_for(*timing.entrant)));
    roofs.record(run);
    run.interrupted = run.interrupted || watch.is_interrupted();
}

}  // namespace tw::measure
