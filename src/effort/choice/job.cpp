// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "effort/choice/job.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "effort/choice/affordable.hpp"
#include "effort/choice/select.hpp"

namespace tw::effort {
namespace {

constexpr double below_it_fine = 0.04;  // below this predicted error rounding v d finely is worth its time

Question question_of(const EffortBody& body, const Job& job) noexcept {
    Question question{
        job.v, body.inputs, body.units(), body.importance_of(job.expert), body.falls, body.left_of(job.expert), {}};
    for (int u = 0; u < question.units; ++u) question.unit_bytes[u] = bytes_of_unit(body, u);
    return question;
}

/// Selects everything, whatever it is worth.
Selection select_all(const Question& question, std::int64_t bytes, std::span<std::byte> scratch) noexcept {
    Selection chosen{reinterpret_cast<std::uint8_t*>(scratch.data())};
    std::fill_n(chosen.units, question.inputs, static_cast<std::uint8_t>(question.units));
    chosen.rows = question.inputs * question.units, chosen.bytes = bytes;
    for (std::int64_t i = 0; i < question.inputs; ++i) {
        const double square = static_cast<double>(question.v[i]) * static_cast<double>(question.v[i]);
        chosen.left += square * static_cast<double>(question.left[question.units * question.inputs + i]);
        chosen.all += square * static_cast<double>(question.left[i]);
    }
    return chosen;
}

void list_entries(const EffortBody& body, const Selection& chosen, Job& job) noexcept {
    const float* const gains = body.format->has_gains ? body.gains_of(job.expert) : nullptr;
    const float scale = gains ? unit_scale(job.v, body.inputs) : std::ldexp(1.f, -body.exponent_of_rows());
    if (gains) job.factor = std::ldexp(1 / static_cast<double>(scale), -body.exponent);
    const float* const v = job.v;
    const std::uint8_t* const units_of = chosen.units;
    EffortEntry* to = job.entries;
    for (std::int64_t i = 0, inputs = body.inputs; i < inputs; ++i) {
        const unsigned units = units_of[i];
        const float gain = gains ? gains[(std::max(units, 1u) - 1) * inputs + i] : 1.f;
        *to = {static_cast<std::uint32_t>(i), units, v[i] * scale * gain};
        to += units > 0;  // else the next one is written over it
    }
    job.count = to - job.entries;
}

/// The squared error that the kernels add by rounding v.
double rounding_of(const EffortBody& body, const Job& job) noexcept {
    const auto count = static_cast<std::size_t>(job.count);
    return body.format->rounding(body, {job.v, job.expert, {job.entries, count}, job.is_fine, job.is_whole});
}

double predicted(const Job& job) noexcept { return job.all > 0 ? std::sqrt(job.left / job.all) : 0; }

void record(const EffortBody& body, const Selection& chosen, Job& job) noexcept {
    list_entries(body, chosen, job);
    job.left = chosen.left, job.all = chosen.all;
    job.report.rows_read = chosen.rows, job.report.bytes_read = chosen.bytes,
    job.report.cutoff = std::ldexp(chosen.cutoff, -body.exponent);
}

/// Adds the error of rounding v, too; where little else is lost, v is rounded finely.
void record_rounded(const EffortBody& body, const Selection& chosen, Job& job) noexcept {
    record(body, chosen, job);
    if (!body.format->rounding) return;
    job.has_gaps = chosen.rows < body.units() * body.inputs;
    job.is_fine = predicted(job) < below_it_fine && (body.units() == 3 || !job.may_be_whole);
    job.is_whole = job.may_be_whole && (job.is_fine || !job.has_gaps);
    job.left += rounding_of(body, job);
}

}  // namespace

std::size_t workspace_bytes(const EffortBody& body) noexcept { return selection_bytes(body.inputs); }

std::size_t kept_bytes(const EffortBody& body) noexcept {
    return static_cast<std::size_t>(body.inputs) * sizeof(EffortEntry);
}

void prepare(const EffortBody& body, Budget budget, std::span<std::byte> workspace, std::span<std::byte> kept,
             Job& job) noexcept {
    job.entries = reinterpret_cast<EffortEntry*>(kept.data());
    const Question question = question_of(body, job);
    const Affordable allowed = affordable(body, budget);
    if (allowed.everything) {
        record_rounded(body, select_all(question, bytes_of_all(body), workspace), job);
    } else if (budget.is_error()) {
        const double square = budget.value() * budget.value();
        record_rounded(body, select_by_error(question, square, workspace), job);
        const double excess = job.all > 0 ? job.left / job.all - square : 0;  // the roundings of v d, which came after
        if (excess > 0)
            record_rounded(body, select_by_error(question, std::max(0.0, square - 1.02 * excess), workspace), job);
    } else {
        record_rounded(body, select_by_bytes(question, allowed.bytes, workspace), job);
    }
    job.report.rows = question.inputs * question.units, job.report.bytes = bytes_of_all(body);
}

bool needs_all(Budget budget, const Job& job) noexcept {
    return job.report.rows_read == job.report.rows || (budget.is_error() && predicted(job) > budget.value());
}

void make_dense(const EffortBody& body, Job& job) noexcept {
    job.is_dense = true;
    job.left = 0, job.report.cutoff = 0;
    job.report.rows_read = job.report.rows;
    job.report.bytes_read = job.report.bytes = dense_tiling_of(body).bytes;
}

void account_for(const EffortBody& body, std::uint8_t* units, double cutoff, bool is_fine, std::span<std::byte> kept,
                 Job& job) noexcept {
    job.entries = reinterpret_cast<EffortEntry*>(kept.data());
    const Question question = question_of(body, job);
    Selection chosen{units};
    chosen.cutoff = cutoff;
    tally(question, chosen);
    record(body, chosen, job);
    job.is_fine = is_fine && body.format->rounding;
    if (body.format->rounding) job.left += rounding_of(body, job);
    job.report.rows = question.inputs * question.units, job.report.bytes = bytes_of_all(body);
}

void conclude(const EffortBody& body, const char* kernels, Job& job) noexcept {
    double sums[8] = {};  // by turns: each waits for itself
    for (std::int64_t o = 0; o < body.outputs; ++o)
        sums[o % 8] += static_cast<double>(job.y[o]) * static_cast<double>(job.y[o]);
    double square = std::ldexp(std::accumulate(sums, sums + 8, 0.0), 2 * body.exponent);
    constexpr double unit = 0x1p-24;
    const double summing = unit * unit * static_cast<double>(body.inputs) / 3 * job.all;
    const double lost = job.left + summing, whole = square + job.left;
    job.report.estimated_error = whole > 0 ? std::sqrt(lost / whole) : 0;
    job.report.dense = job.is_dense, job.report.kernels = kernels;
}

}  // namespace tw::effort
