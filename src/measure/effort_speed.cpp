// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "measure/clock.hpp"
#include "measure/effort_curve.hpp"
#include "measure/statistics.hpp"

namespace tw::measure {
namespace {

constexpr std::uint64_t seed = 4;
constexpr int vectors = 8;

/// A budget that is timed, and its row.
struct Entrant {
    std::string point;
    tw::Budget budget;
    bool dense = false;
    Row row{};
};

/// One layout of a few equal matrices, side by side in memory, and the vectors that they are multiplied by in turns.
class Track {
public:
    Track(const EffortCurve& asked, const EffortWeights& weights, EffortLayout layout) : threads_(asked.threads) {
        const std::vector<Matrix> copies(static_cast<std::size_t>(asked.matrices), weights.matrix());
        m_ = build_effort(copies, {.layout = layout, .dense = DenseCopy::kept});
        for (std::uint64_t i = 0; i < vectors; ++i) v_.push_back(effort_vector(EffortData::gauss, weights.inputs, seed + 1 + i));
        y_.resize(static_cast<std::size_t>(weights.outputs));
        exact_ = exact_product(weights, v_[0]);
        entrants_.push_back({"effort:1.00", tw::Budget::effort(1), true});
        for (const double effort : effort_points)
            entrants_.push_back({fmt::format("effort:{:.2f}", effort), tw::Budget::effort(effort)});
        for (const double fraction : effort_points)
            if (const auto budget = budget_for_bytes(m_, fraction))
                entrants_.push_back({fmt::format("bytes_fraction:{:.2f}", fraction), *budget});
        for (Entrant& entrant : entrants_) prepare(entrant);
    }

    const char* name() const { return name_of(m_.layout()); }

    /// One product of each entrant, in an order that turns. One thread is timed by its own clock, which neighbours on the
    /// core don't move.
    void round(int number) {
        const std::size_t count = entrants_.size();
        for (std::size_t i = 0; i < count; ++i) {
            Entrant& entrant = entrants_[(i + static_cast<std::size_t>(number)) % count];
            const auto clock = threads_ == 1 ? thread_time : now;
            const double before = clock();
            multiply(entrant, ++turn_);
            entrant.row.seconds.push_back(clock() - before);
        }
    }

    void add_rows(Run& run) const {
        const double dense = median(entrants_.front().row.seconds);
        for (const Entrant& entrant : entrants_) {
            Row row = entrant.row;
            const double seconds = median(row.seconds);
            row.spread = spread(row.seconds);
            row.gflops = 2e-9 * static_cast<double>(row.m) * static_cast<double>(row.k) / seconds;
            row.effort->speedup = dense / seconds;
            row.effort->gbps = row.effort->bytes_fraction * static_cast<double>(m_.fp16_bytes()) / seconds * 1e-9;
            run.rows.push_back(row);
        }
    }

private:
    EffortReport multiply(const Entrant& entrant, int turn) {
        const int chosen = turn % m_.experts();
        const std::vector<float>& v = v_[static_cast<std::size_t>(turn % vectors)];
        EffortReport report;
        const EffortOptions options{.dense = entrant.dense ? DenseSwitch::at_full : DenseSwitch::never, .threads = threads_};
        const Status status = try_matvec_experts(m_, {&chosen, 1}, {v.data(), 1, m_.inputs()}, {y_.data(), 1, m_.outputs()},
                                                 entrant.budget, options, {&report, 1});
        if (!status) throw Error(status, explain_effort(status, m_));
        return report;
    }

    void prepare(Entrant& entrant) {
        const EffortReport report = multiply(entrant, 0);
        const std::string point = entrant.dense ? std::string("beside:") + name() : entrant.point;
        entrant.row = effort_row(m_, EffortData::gauss, point, report, threads_);
        entrant.row.relative_error = relative_error(y_.data(), exact_);
        entrant.row.effort->point = entrant.point.substr(0, entrant.point.find(':'));
    }

    int threads_, turn_ = 0;
    EffortMatrix m_;
    std::vector<std::vector<float>> v_;
    std::vector<float> y_;
    std::vector<double> exact_;
    std::vector<Entrant> entrants_;
};

}  // namespace

void measure_effort_speed(const EffortCurve& asked, const Watch& watch, Run& run) {
    constexpr int least_rounds = 5;
    watch.say("making weights", 0);
    const EffortWeights weights = effort_weights(EffortData::gauss, asked.outputs, asked.inputs, seed);
    int before = 0;
    for (const EffortLayout layout : every_effort_layout) {
        if (watch.is_interrupted()) return;
        watch.say(fmt::format("building {}", name_of(layout)), before / 3.0);
        Track track(asked, weights, layout);
        const double start = now(), budget = asked.seconds / 3;
        for (int number = 0; (number < least_rounds || now() - start < budget) && !watch.is_interrupted(); ++number) {
            watch.say(track.name(), (before + std::min(1.0, (now() - start) / budget)) / 3);
            track.round(number);
        }
        if (!watch.is_interrupted()) track.add_rows(run);
        ++before;
    }
}

}  // namespace tw::measure
