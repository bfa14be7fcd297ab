// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#pragma once

#include <memory>

#include "measure/peers/process.hpp"
#include "measure/turns/entrant.hpp"

namespace tw::measure {

/// A peer as an entrant of a comparison.
class PeerEntrant : public Entrant {
public:
    PeerEntrant(std::shared_ptr<PeerProcess> process, const Task& task);
    Judgement judge(const Task& task) override { return process_->judge(task); }
    double seconds(int passes) override { return process_->seconds(passes); }
    void begin_turn() override { process_->wake(); }
    void end_turn() override { process_->sleep(); }

private:
    std::shared_ptr<PeerProcess> process_;
};

}  // namespace tw::measure
