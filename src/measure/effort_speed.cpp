// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

#include "backend/cuda/backend.hpp"
#include "measure/clock.hpp"
#include "measure/effort_curve.hpp"
#include "measure/statistics.hpp"

namespace tw::measure {
namespace {

constexpr std::uint64_t seed = 4;
constexpr int vectors = 8;
constexpr int enqueued = 32;  // products that a device is given before it is waited for

/// Vectors and a result in a CUDA device's memory.
class Far {
public:
    Far(const std::vector<std::vector<float>>& v, std::size_t outputs) : backend_(cuda::backend()), inputs_(v[0].size()) {
        v_ = static_cast<float*>(backend_.alloc(v.size() * inputs_ * sizeof(float)));
        y_ = static_cast<float*>(backend_.alloc(outputs * sizeof(float)));
        if (!v_ || !y_) throw Error({Code::out_of_memory, Argument::none, ""}, "no memory of the CUDA device for vectors");
        for (std::size_t i = 0; i < v.size(); ++i) {
            const auto count = static_cast<std::int64_t>(inputs_);
            const Matrix to{v_ + i * inputs_, Type::f32, 1, count, count}, from{const_cast<float*>(v[i].data()), Type::f32, 1, count, count};
            if (const Status bad = backend_.copy(to, from, nullptr); !bad) throw Error(bad, bad.text);
        }
        wait();
    }
    Far(const Far&) = delete;
    Far& operator=(const Far&) = delete;
    ~Far() { backend_.free(v_), backend_.free(y_); }

    const float* v(std::size_t number) const { return v_ + number * inputs_; }
    float* y() const { return y_; }
    void wait() const {
        if (const Status bad = backend_.wait(nullptr); !bad) throw Error(bad, bad.text);
    }

private:
    const Backend& backend_;
    std::size_t inputs_;
    float *v_ = nullptr, *y_ = nullptr;
};

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
    Track(const EffortCurve& asked, const EffortWeights& weights, EffortLayout layout) : asked_(asked) {
        const std::vector<Matrix> copies(static_cast<std::size_t>(asked.matrices), weights.matrix());
        m_ = build_effort(copies, {.layout = layout, .dense = DenseCopy::kept});
        for (std::uint64_t i = 0; i < vectors; ++i) v_.push_back(effort_vector(EffortData::gauss, weights.inputs, seed + 1 + i));
        y_.resize(static_cast<std::size_t>(weights.outputs));
        exact_ = exact_product(weights, v_[0]);
        if (const Status placed = try_place_effort(m_, asked.device); !placed) throw Error(placed, explain_effort(placed, m_));
        if (asked.device != "cpu") far_ = std::make_unique<Far>(v_, y_.size());
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
            const int products = far_ ? enqueued : 1;
            const auto clock = asked_.threads == 1 && !far_ ? thread_time : now;
            const double before = clock();
            for (int p = 0; p < products; ++p) multiply(entrant, ++turn_);
            if (far_) far_->wait();
            entrant.row.seconds.push_back((clock() - before) / products);
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
    void multiply(const Entrant& entrant, int turn) {
        const auto vector = static_cast<std::size_t>(turn % vectors);
        if (far_) multiply(entrant, turn, far_->v(vector), far_->y());
        else multiply(entrant, turn, v_[vector].data(), y_.data());
    }

    EffortReport multiply(const Entrant& entrant, int turn, const float* v, float* y) {
        const int chosen = turn % m_.experts();
        EffortReport report;
        const EffortOptions options{.dense = entrant.dense ? DenseSwitch::at_full : DenseSwitch::never, .threads = asked_.threads, .device = asked_.device};
        const Status status =
            try_matvec_experts(m_, {&chosen, 1}, {v, 1, m_.inputs()}, {y, 1, m_.outputs()}, entrant.budget, options, {&report, 1});
        if (!status) throw Error(status, explain_effort(status, m_));
        return report;
    }

    void prepare(Entrant& entrant) {
        const EffortReport report = multiply(entrant, 0, v_[0].data(), y_.data());
        const std::string point = entrant.dense ? std::string("beside:") + name() : entrant.point;
        entrant.row = effort_row(m_, EffortData::gauss, point, report, asked_);
        entrant.row.relative_error = relative_error(y_.data(), exact_);
        entrant.row.effort->point = entrant.point.substr(0, entrant.point.find(':'));
    }

    const EffortCurve& asked_;
    int turn_ = 0;
    EffortMatrix m_;
    std::vector<std::vector<float>> v_;
    std::vector<float> y_;
    std::vector<double> exact_;
    std::vector<Entrant> entrants_;
    std::unique_ptr<Far> far_{};
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
