// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "measure/effort/curve.hpp"
#include "measure/effort/rivals.hpp"

namespace tw::measure {
namespace {

constexpr std::uint64_t seed = 4;

/// One vector and its exact product with W.
struct Question {
    EffortData data;
    std::vector<float> v;
    std::vector<double> exact;
};

/// A matrix and the vectors to multiply it by.
struct Subject {
    EffortWeights weights;
    std::vector<Question> questions;

    void ask(EffortData data, std::vector<float> v) {
        std::vector<double> exact = exact_product(weights, v);
        questions.push_back({data, std::move(v), std::move(exact)});
    }
};

Subject subject_of(const EffortCurve& asked, int which) {
    constexpr EffortData on_gauss[] = {EffortData::gauss, EffortData::swiglu, EffortData::laplace, EffortData::outlier};
    if (which == 2) {
        Subject subject{asked.real->weights, {}};
        const bool has_vector = !asked.real->v.empty();
        subject.ask(EffortData::real,
                    has_vector ? asked.real->v : effort_vector(EffortData::gauss, subject.weights.inputs, seed));
        return subject;
    }
    Subject subject{effort_weights(which == 0 ? EffortData::gauss : EffortData::t5, asked.outputs, asked.inputs, seed),
                    {}};
    if (which == 1) subject.ask(EffortData::t5, effort_vector(EffortData::t5, asked.inputs, seed + 1));
    else
        for (const EffortData data : on_gauss) subject.ask(data, effort_vector(data, asked.inputs, seed + 1));
    return subject;
}

Row rival_row(const Subject& subject, const Question& question, const RivalPoint& point) {
    Row row{.provider = "rival", .device = "cpu"};
    row.kernel = fmt::format("{}/{}/bytes_fraction:{:.3f}", point.layout, name_of(question.data), point.bytes_fraction);
    row.type = "f16";
    row.m = subject.weights.outputs;
    row.n = 1;
    row.k = subject.weights.inputs;
    row.ok = true;
    row.relative_error = point.relative_error;
    row.effort = EffortFigures{.layout = point.layout,
                               .data = name_of(question.data),
                               .point = "bytes_fraction",
                               .effort = point.effort,
                               .bytes_fraction = point.bytes_fraction};
    return row;
}

void measure_point(const EffortMatrix& m, const Question& question, const std::string& point, tw::Budget budget,
                   const EffortCurve& asked, Run& run) {
    std::vector<float> y(question.exact.size());
    const EffortReport report = matvec(m, question.v, y, budget,
                                       {.dense = DenseSwitch::never, .threads = asked.threads, .device = asked.device});
    Row row = effort_row(m, question.data, point, report, asked);
    row.relative_error = relative_error(y.data(), question.exact);
    run.rows.push_back(row);
}

void measure_layout(const Subject& subject, EffortLayout layout, const EffortCurve& asked, Run& run) {
    const EffortMatrix m =
        build_effort(subject.weights.matrix(), {.layout = layout, .bucket = asked.bucket, .dense = DenseCopy::absent});
    for (const Question& question : subject.questions) {
        for (const double effort : effort_points)
            measure_point(m, question, fmt::format("effort:{:.2f}", effort), tw::Budget::effort(effort), asked, run);
        for (const double fraction : effort_points)
            if (const auto budget = budget_for_bytes(m, fraction))
                measure_point(m, question, fmt::format("bytes_fraction:{:.2f}", fraction), *budget, asked, run);
    }
}

}  // namespace

std::optional<tw::Budget> budget_for_bytes(const EffortMatrix& m, double fraction) {
    const double share =
        fraction * static_cast<double>(m.fp16_bytes()) / static_cast<double>(std::max<std::int64_t>(1, m.bytes()));
    if (share > 1.01) return std::nullopt;
    return tw::Budget::effort(std::min(1.0, share));
}

std::string name_of_layout(const EffortMatrix& m) {
    constexpr int usual = 16;
    const std::string name = name_of(m.layout());
    return m.layout() != EffortLayout::buckets || m.bucket() == usual ? name : fmt::format("{}_{}", name, m.bucket());
}

Row effort_row(const EffortMatrix& m, EffortData data, const std::string& point, const EffortReport& report,
               const EffortCurve& asked) {
    const std::string layout = report.dense ? "dense" : name_of_layout(m);
    Row row{.provider = "tilewright", .device = asked.device};
    row.kernel = fmt::format("{}/{}/{}", layout, name_of(data), point);
    row.rung = report.kernels;
    row.type = name_of(m.type());
    row.m = m.outputs();
    row.n = 1;
    row.k = m.inputs();
    row.threads = asked.threads;
    row.ok = true;
    const auto bytes = static_cast<double>(report.bytes_read);
    row.effort = EffortFigures{.layout = layout,
                               .data = name_of(data),
                               .point = point.substr(0, point.find(':')),
                               .effort = bytes / static_cast<double>(std::max<std::int64_t>(1, report.bytes)),
                               .bytes_fraction = bytes / static_cast<double>(std::max<std::int64_t>(1, m.fp16_bytes())),
                               .predicted_error = report.estimated_error};
    return row;
}

void measure_effort_quality(const EffortCurve& asked, const Watch& watch, Run& run) {
    const int subjects = asked.real ? 3 : 2;
    for (int which = 0; which < subjects && !watch.is_interrupted(); ++which) {
        const auto done = [&](double part) { return (which + part) / subjects; };
        watch.say("making weights", done(0));
        const Subject subject = subject_of(asked, which);
        double part = 0.2;
        for (const EffortLayout layout : every_effort_layout) {
            if (watch.is_interrupted()) return;
            watch.say(name_of(layout), done(part));
            measure_layout(subject, layout, asked, run);
            part += 0.2;
        }
        watch.say("rivals", done(part));
        for (const Question& question : subject.questions)
            for (const RivalPoint& point : rival_points(subject.weights, question.v, question.exact, effort_points))
                run.rows.push_back(rival_row(subject, question, point));
    }
}

}  // namespace tw::measure
