// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The survey: checks and times each shape, our product and the peer's fastest way in turns.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "measure/survey/case.hpp"
#include "measure/turns/rounds.hpp"

namespace tw::measure {

/// The result for one shape.
struct Outcome {
    Case what{};
    std::string kernel{}, peer{};                   ///< the chosen kernel, and the peer's fastest way
    std::vector<double> seconds{}, peer_seconds{};  ///< of one product or batch, by round
    bool is_recorded = false;                       ///< replayed from a graph
    double error_over_bound = 0;
    bool is_wrong = false;  ///< our result is wrong
    std::string trouble{};  ///< why it is not timed; a sentence
    std::string note{};     ///< a remark

    bool is_timed() const { return !seconds.empty(); }
    bool has_ratio() const { return is_timed() && !peer_seconds.empty(); }
    /// The peer's time over ours: above 1 we are faster.
    double ratio() const;
    double gflops() const;
};

enum class SurveyPeer { none, cublas, libraries };

struct Survey {
    const Backend* backend = nullptr;
    std::vector<Case> cases{};
    SurveyPeer peer = SurveyPeer::none;  ///< libraries: every one that is found on the host
    bool is_reproducible = false;
    int threads = 1;
    double turn = 0.03;  ///< seconds of a side's turn, of which it has five
};

/// What a survey reports before its shapes: the device and the peer, or why there is none.
struct Opened {
    std::string device{};  ///< "NVIDIA H200"; the backend's name where there is no other
    std::string peer{}, file{};
    std::string trouble{};  ///< why nothing can be measured; empty when it can
};

/// Measures every case and calls `done` after each. A failure is reported in the case's outcome and does not end the
/// survey.
Opened survey(const Survey& asked, const Watch& watch, const std::function<void(const Opened&)>& opened,
              const std::function<void(const Outcome&)>& done);

}  // namespace tw::measure
