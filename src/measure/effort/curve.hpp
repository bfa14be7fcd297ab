// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Quality against effort against speed: every layout, at shares of the work and at shares of the bytes.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "measure/effort/data.hpp"
#include "measure/effort/tuning.hpp"
#include "measure/rows/row.hpp"
#include "tilewright/effort.hpp"

namespace tw::measure {

/// Where each curve is taken: as the effort, and as the bytes read over those of 16 bits a weight.
inline constexpr double effort_points[] = {1, .53, .50, .35, .28, .25, .15, .10, .05};

/// Weights from a file, and the vector to go with them; without one it is N(0, 1).
struct RealWeights {
    EffortWeights weights{};
    std::vector<float> v{};
};

struct EffortCurve {
    std::int64_t outputs = 2048, inputs = 4096;
    int threads = 1;
    std::optional<RealWeights> real{};
    double seconds = 20;         ///< of timing, for the speed suite
    int matrices = 2;            ///< that are timed in turns, so that none stays in a cache
    std::string device = "cpu";  ///< or "cuda", "cuda:1"
    int bucket = 16;             ///< outputs in a bucket, for buckets
};

/// Errors of every layout and of its rivals on every kind of data, without times.
void measure_effort_quality(const EffortCurve& asked, const Watch& watch, Run& run);

/// Times of every layout on N(0, 1), selection included, in turns with the dense product of the same values. On a CUDA
/// device a time is a share of that of a captured graph of many products, one after the other, with vectors and results
/// in its memory. Returns what each layout's times say for the tuning store.
std::vector<FoundTuning> measure_effort_speed(const EffortCurve& asked, const Watch& watch, Run& run);

/// The budget that reads so many of 16 bits a weight; none when the layout has fewer bytes than that. A layout that is
/// larger by less than a hundredth counts as having them.
std::optional<tw::Budget> budget_for_bytes(const EffortMatrix& m, double fraction);

/// "planes"; "buckets", and "buckets_8" where they are not of 16.
std::string name_of_layout(const EffortMatrix& m);

/// The row of one product; its error, budget and bytes are filled in, its times are not.
Row effort_row(const EffortMatrix& m, EffortData data, const std::string& point, const EffortReport& report,
               const EffortCurve& asked);

inline constexpr EffortLayout every_effort_layout[] = {EffortLayout::buckets, EffortLayout::tiers,
                                                       EffortLayout::planes};

}  // namespace tw::measure
