// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

#include "measure/basis/clock.hpp"
#include "measure/basis/statistics.hpp"
#include "measure/effort/curve.hpp"
#include "measure/effort/on_cuda.hpp"

namespace tw::measure {
namespace {

constexpr std::uint64_t seed = 4;
constexpr int vectors = 8;
constexpr int recorded = 64;  // products in a graph, for each wait for the device

/// A budget to time, and its row.
struct Entrant {
    std::string point;
    tw::Budget budget;
    bool dense = false;
    Row row{};
    std::shared_ptr<void> graph{};  ///< of products on a device
};

/// A few equal matrices in one layout, contiguous in memory, and the vectors that they are multiplied by in turns.
class Track {
public:
    Track(const EffortCurve& asked, const EffortWeights& weights, EffortLayout layout) : asked_(asked) {
        const std::vector<Matrix> copies(static_cast<std::size_t>(asked.matrices), weights.matrix());
        m_ = build_effort(copies, {.layout = layout, .bucket = asked.bucket, .dense = DenseCopy::kept});
        for (std::uint64_t i = 0; i < vectors; ++i)
            v_.push_back(effort_vector(EffortData::gauss, weights.inputs, seed + 1 + i));
        y_.resize(static_cast<std::size_t>(weights.outputs));
        exact_ = exact_product(weights, v_[0]);
        if (const Status placed = try_place_effort(m_, asked.device); !placed)
            throw Error(placed, explain_effort(placed, m_));
        if (asked.device != "cpu") on_cuda_ = std::make_unique<OnCuda>(v_, y_.size());
        entrants_.push_back({"effort:1.00", tw::Budget::effort(1), true});
        for (const double effort : effort_points)
            entrants_.push_back({fmt::format("effort:{:.2f}", effort), tw::Budget::effort(effort)});
        for (const double fraction : effort_points)
            if (const auto budget = budget_for_bytes(m_, fraction))
                entrants_.push_back({fmt::format("bytes_fraction:{:.2f}", fraction), *budget});
        for (Entrant& entrant : entrants_) prepare(entrant);
    }

    const char* name() const { return name_of(m_.layout()); }

    /// One product of each entrant, starting with another one in each round. A single thread is timed by its processor
    /// time, which other processes on the core do not change.
    void round(int number) {
        const std::size_t count = entrants_.size();
        for (std::size_t i = 0; i < count; ++i) {
            Entrant& entrant = entrants_[(i + static_cast<std::size_t>(number)) % count];
            const Clock clock = clock_of(on_cuda_ ? Place::cuda : Place::host, asked_.threads);
            const double before = clock();
            if (on_cuda_) on_cuda_->replay(entrant.graph), on_cuda_->wait();
            else multiply(entrant, ++turn_, false);
            entrant.row.seconds.push_back((clock() - before) / (on_cuda_ ? recorded : 1));
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

    /// From the times of all rounds; with several threads also from a few more products with fewer threads.
    FoundTuning tuning() {
        std::vector<TimedBytes> points;
        for (const Entrant& entrant : entrants_)
            points.push_back({entrant.row.effort->bytes_fraction, median(entrant.row.seconds)});
        const TimedBytes dense = points.front();
        points.erase(points.begin());
        std::sort(points.begin(), points.end(),
                  [](const TimedBytes& x, const TimedBytes& y) { return x.bytes < y.bytes; });
        return {{m_.layout(), m_.outputs(), m_.inputs(), m_.type(), kernels_},
                {byte_cost_of(points, dense), bytes_a_thread()}};
    }

private:
    /// Bytes per thread for the number of threads that is fastest at a small effort; 0 if that is all of them.
    std::int64_t bytes_a_thread() {
        constexpr int tries = 9;
        const Entrant entrant{"", tw::Budget::effort(.1)};
        double least = HUGE_VAL;
        std::int64_t bytes = 0;
        for (threads_ = asked_.threads; threads_ >= 1 && asked_.threads > 1 && !on_cuda_; threads_ /= 2) {
            std::vector<double> seconds;
            for (int i = 0; i < tries; ++i) {
                const double before = now();
                const EffortReport report = multiply(entrant, ++turn_, false);
                seconds.push_back(now() - before);
                if (i + 1 == tries && median(seconds) < least)
                    least = median(seconds), bytes = threads_ == asked_.threads ? 0 : report.bytes_read / threads_;
            }
        }
        threads_ = asked_.threads;
        return bytes;
    }

    /// On the device, enqueued, or on the host.
    EffortReport multiply(const Entrant& entrant, int turn, bool is_far) {
        const int chosen = turn % m_.experts();
        const auto number = static_cast<std::size_t>(turn % vectors);
        const float* v = is_far ? on_cuda_->v(number) : v_[number].data();
        float* y = is_far ? on_cuda_->y() : y_.data();
        void* stream = is_far ? on_cuda_->queue() : nullptr;
        EffortReport report;
        const EffortOptions options{.dense = entrant.dense ? DenseSwitch::at_full : DenseSwitch::never,
                                    .threads = threads_,
                                    .device = asked_.device,
                                    .stream = stream};
        const Status status = try_matvec_experts(m_, {&chosen, 1}, {v, 1, m_.inputs()}, {y, 1, m_.outputs()},
                                                 entrant.budget, options, {&report, 1});
        if (!status) throw Error(status, explain_effort(status, m_));
        return report;
    }

    void prepare(Entrant& entrant) {
        const EffortReport report = multiply(entrant, 0, false);
        kernels_ = report.kernels;
        const std::string point = entrant.dense ? "beside:" + name_of_layout(m_) : entrant.point;
        entrant.row = effort_row(m_, EffortData::gauss, point, report, asked_);
        entrant.row.relative_error = relative_error(y_.data(), exact_);
        entrant.row.effort->point = entrant.point.substr(0, entrant.point.find(':'));
        if (!on_cuda_) return;
        multiply(entrant, 0, true);  // allocates scratch, which is not possible while recording
        entrant.graph = on_cuda_->record([&] {
            for (int turn = 0; turn < recorded; ++turn) multiply(entrant, turn, true);
        });
        on_cuda_->replay(entrant.graph), on_cuda_->wait();
    }

    const EffortCurve& asked_;
    int threads_ = asked_.threads;
    const char* kernels_ = "";
    int turn_ = 0;
    EffortMatrix m_;
    std::vector<std::vector<float>> v_;
    std::vector<float> y_;
    std::vector<double> exact_;
    std::unique_ptr<OnCuda> on_cuda_{};
    std::vector<Entrant> entrants_;
};

}  // namespace

std::vector<FoundTuning> measure_effort_speed(const EffortCurve& asked, const Watch& watch, Run& run) {
    std::vector<FoundTuning> found;
    constexpr int least_rounds = 5;
    watch.say("making weights", 0);
    const EffortWeights weights = effort_weights(EffortData::gauss, asked.outputs, asked.inputs, seed);
    int before = 0;
    for (const EffortLayout layout : every_effort_layout) {
        if (watch.is_interrupted()) break;
        watch.say(fmt::format("building {}", name_of(layout)), before / 3.0);
        Track track(asked, weights, layout);
        const double start = now(), budget = asked.seconds / 3;
        for (int number = 0; (number < least_rounds || now() - start < budget) && !watch.is_interrupted(); ++number) {
            watch.say(track.name(), (before + std::min(1.0, (now() - start) / budget)) / 3);
            track.round(number);
        }
        ++before;
        if (watch.is_interrupted()) break;
        track.add_rows(run);
        found.push_back(track.tuning());
    }
    return found;
}

}  // namespace tw::measure
