// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The public functions of a product with an effort dial: checks the arguments, then runs it on its device.
#include "carry/place_effort.hpp"
#include "effort/batch.hpp"
#include "effort/choice/select.hpp"
#include "effort/request.hpp"
#include "plan/operands.hpp"
#include "plan/registry.hpp"

namespace tw {
namespace {

using namespace effort;

/// Kernels of other devices than the CPU read all three planes.
Status check_planes(const EffortMatrix& m, const EffortPlan& plan) noexcept {
    if (m.planes() != 2 || std::string_view(plan.backend->name) == "cpu") return {};
    return {Code::unsupported, Argument::options, "planes without the last one are multiplied on the device cpu alone"};
}

Status check(const EffortMatrix& m, View<const float> v, View<float> y, Budget budget, const EffortOptions& options,
             EffortPlan& plan) noexcept {
    const auto bad = [](Argument argument, const char* text) { return Status{Code::bad_argument, argument, text}; };
    if (!m.body()) return bad(Argument::a, "the matrix is empty");
    if (v.cols != m.inputs() || (v.rows > 0 && !v.data))
        return bad(Argument::b, "the vector must have one value for each input");
    if (y.cols != m.outputs() || (y.rows > 0 && !y.data))
        return bad(Argument::c, "the result must have room for one value for each output");
    if (v.rows < 0 || y.rows < 0) return bad(v.rows < 0 ? Argument::b : Argument::c, "a number of rows is negative");
    if (v.col_step != 1 || y.col_step != 1) return bad(Argument::options, "a vector's values must be contiguous");
    if (budget.is_error() ? !(budget.value() >= 0) : !(budget.value() >= 0 && budget.value() <= 1))
        return bad(Argument::options, "an effort must be from 0 to 1, and an error must not be negative");
    if (const Status none = find_effort_device(options.device, plan); !none) return none;
    if (const Status bad = check_planes(m, plan); !bad) return bad;
    bool reads_v = true;
    if (may_lie_on_a_device()) {
        const Place of_v = v.rows > 0 ? place_of(v.data) : Place::host,
                    of_y = y.rows > 0 ? place_of(y.data) : Place::host;
        reads_v = host_reads(of_v);
        for (const bool is_v : {true, false})
            if (const Place place = is_v ? of_v : of_y; !host_reads(place) && place != plan.backend->place)
                return bad(is_v ? Argument::b : Argument::c,
                           "memory of a CUDA device can only be used on the device cuda");
    }
    for (std::int64_t r = 0; r < v.rows && reads_v; ++r)
        if (unit_scale(&v(r, 0), v.cols) == 0.f) return bad(Argument::b, "the vector has a value that is not finite");
    return {};
}

}  // namespace

Status try_matvec_experts(const EffortMatrix& m, std::span<const int> chosen, View<const float> v, View<float> y,
                          Budget budget, const EffortOptions& options, std::span<EffortReport> reports) noexcept {
    EffortPlan plan;
    if (const Status bad = check(m, v, y, budget, options, plan); !bad) return bad;
    const auto count = static_cast<std::int64_t>(chosen.size());
    if (y.rows != count || (v.rows != 1 && v.rows != count))
        return {Code::bad_argument, Argument::c,
                "there must be one result for each chosen expert, and one vector or as many"};
    if (!reports.empty() && reports.size() != chosen.size())
        return {Code::bad_argument, Argument::options, "there must be one report for each result, or none"};
    if (count > 0 && may_lie_on_a_device() && !host_reads(place_of(chosen.data()))) {
        if (host_reads(place_of(v.data)) || host_reads(place_of(y.data)))
            return {Code::bad_argument, Argument::options,
                    "experts in a device's memory need vectors and results that are there, too"};
        return run(plan, {*m.body(), {}, v, y, budget, options, reports, false, chosen.data()});
    }
    for (const int expert : chosen)
        if (expert < 0 || expert >= m.experts())
            return {Code::bad_argument, Argument::options, "a chosen expert does not exist"};
    return run(plan, {*m.body(), chosen, v, y, budget, options, reports});
}

Status try_matvec_batch(const EffortMatrix& m, View<const float> v, View<float> y, Budget budget,
                        const EffortOptions& options, std::span<EffortReport> reports) noexcept {
    EffortPlan plan;
    if (const Status bad = check(m, v, y, budget, options, plan); !bad) return bad;
    if (y.rows != v.rows) return {Code::bad_argument, Argument::c, "there must be one result for each vector"};
    if (!reports.empty() && static_cast<std::int64_t>(reports.size()) != v.rows)
        return {Code::bad_argument, Argument::options, "there must be one report for each result, or none"};
    if (v.rows == 0) return {};
    if (v.rows < effort_dense_batch) return run(plan, {*m.body(), {}, v, y, budget, options, reports});
    return run(plan, {*m.body(), {}, v, y, Budget::effort(1), options, reports, true});
}

Status try_place_effort(const EffortMatrix& m, std::string_view device) noexcept {
    if (!m.body()) return {Code::bad_argument, Argument::a, "the matrix is empty"};
    EffortPlan plan;
    if (const Status none = find_effort_device(device, plan); !none) return none;
    if (const Status bad = check_planes(m, plan); !bad) return bad;
    const EffortProblem problem = effort_problem(*m.body(), m.bytes());
    if (const Status none = choose_effort(problem, {}, plan); !none) return none;
    EffortPlaced placed;
    return place_effort(plan, *m.body(), placed);
}

Status try_matvec(const EffortMatrix& m, std::span<const float> v, std::span<float> y, Budget budget,
                  const EffortOptions& options, EffortReport& report) noexcept {
    return try_matvec_batch(m, {v.data(), 1, static_cast<std::int64_t>(v.size())},
                            {y.data(), 1, static_cast<std::int64_t>(y.size())}, budget, options, {&report, 1});
}

std::string explain_effort(const Status& status, const EffortMatrix& m) {
    if (status) return "all is well";
    return std::string("no product with the effort dial: ") + status.text + "; the matrix has " +
           std::to_string(m.outputs()) + " outputs, " + std::to_string(m.inputs()) + " inputs, " +
           std::to_string(m.experts()) + " experts, layout " + name_of(m.layout());
}

EffortReport matvec(const EffortMatrix& m, std::span<const float> v, std::span<float> y, Budget budget,
                    const EffortOptions& options) {
    EffortReport report;
    const Status status = try_matvec(m, v, y, budget, options, report);
    if (!status)
        throw Error(status, explain_effort(status, m) + "; got " + std::to_string(v.size()) + " values and room for " +
                                std::to_string(y.size()));
    return report;
}

}  // namespace tw
