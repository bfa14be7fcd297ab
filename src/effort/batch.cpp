// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "effort/batch.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "base/float_mode.hpp"
#include "base/scratch.hpp"
#include "base/threads.hpp"
#include "carry/execute_effort.hpp"
#include "carry/place_effort.hpp"
#include "effort/choice/affordable.hpp"
#include "effort/choice/job.hpp"
#include "plan/operands.hpp"

namespace tw::effort {
namespace {

constexpr int most_products = 16;  // prepared together

constexpr std::size_t lines(std::size_t bytes) { return (bytes + 255) / 256 * 256; }

/// As many products as one call of a kernel can do.
class EffortBatch {
public:
    EffortBatch(const EffortPlan& plan, const EffortPlaced& placed, const Request& request, std::int64_t first,
                int products)
        : plan_(plan),
          body_(request.body),
          request_(request),
          first_(first),
          products_(products),
          call_{.matrix = placed} {}

    Status run() {
        describe();
        if (const Status bad = decide(); !bad) return bad;
        if (!allocate()) return {Code::out_of_memory, Argument::scratch, "not enough memory to choose what is read"};
        if (chosen_here_) choose();
        if (const Status bad = chosen_here_ ? run_chosen() : execute(call_, is_dense_); !bad) return bad;
        for (int p = 0; p < products_ && !request_.reports.empty(); ++p)
            if (const Status bad = report(p, request_.reports[static_cast<std::size_t>(first_ + p)]); !bad) return bad;
        return {};
    }

private:
    void describe() {
        for (int p = 0; p < products_ && !request_.chosen.empty(); ++p)
            experts_[static_cast<std::size_t>(p)] = request_.expert_of(first_ + p);
        call_.products = products_;
        if (!request_.chosen.empty()) call_.experts = {experts_.data(), static_cast<std::size_t>(products_)};
        if (request_.chosen_there) call_.experts_there = request_.chosen_there + first_;
        call_.v = request_.v_of(first_), call_.v_step = request_.v.rows == 1 ? 0 : request_.v.row_step;
        call_.y = &request_.y(first_, 0), call_.y_step = request_.y.row_step;
        call_.executor = request_.options.executor, call_.stream = request_.options.stream;
    }

    /// Decides which kernel runs, and whether the host or the kernel chooses what is read.
    Status decide() {
        const Affordable allowed = affordable(body_, request_.budget);
        const UnitWeights weights(body_);
        call_.everything = allowed.everything;
        call_.reached = weights.reached(allowed.bytes), call_.affordable = weights.within(allowed.bytes);
        host_reads_v_ = host_reads(place_of(request_.v.data)), host_reads_y_ = host_reads(place_of(request_.y.data));
        const bool may_be_dense = plan_.dense && request_.options.dense != DenseSwitch::never && !request_.chosen_there;
        is_dense_ = may_be_dense && (request_.densely || allowed.everything || is_slower_at_once(allowed.bytes));
        chosen_here_ = !is_dense_ && (!plan_.kernel->chooses || (request_.budget.is_error() && !allowed.everything));
        if (chosen_here_ && !host_reads_v_)
            return {Code::unsupported, Argument::b,
                    "for a budget of error the host chooses what is read, so the vector must be in the host's memory"};
        call_.is_chosen = chosen_here_;
        call_.threads = allowed_threads();
        if (is_dense_ && !request_.densely) call_.threads = threads_for(products_ * dense_tiling_of(body_).bytes);
        return {};
    }

    /// For a kernel that chooses itself: by the bytes it may read, since what it will read is not known yet.
    bool is_slower_at_once(std::int64_t bytes) const {
        if (!plan_.kernel->chooses || request_.options.dense != DenseSwitch::when_quicker || request_.budget.is_error())
            return false;
        const bool of_one = std::all_of(call_.experts.begin(), call_.experts.end(),
                                        [&](int expert) { return expert == call_.experts[0]; });
        return dense_is_quicker(plan_, effort_problem(body_, bytes, products_, of_one));
    }

    int allowed_threads() const { return request_.options.threads > 0 ? request_.options.threads : default_threads(); }
    int threads_for(std::int64_t bytes) const { return effort_threads(plan_, bytes, allowed_threads()); }

    /// Host memory: to choose in, for what the host or the device chose, and for a kernel that runs on the host.
    bool allocate() {
        const std::size_t of_kernel = bytes_of_kernels();
        const bool looks = chosen_here_ || (!is_dense_ && !request_.reports.empty() && host_reads_v_ && host_reads_y_);
        const auto notes = static_cast<std::size_t>(chosen_here_ ? products_ : 1) * kept_bytes(body_);
        const std::size_t own = looks ? lines(workspace_bytes(body_)) + lines(notes) : 0;
        if (of_kernel + own == 0) return true;
        const std::span<std::byte> all = thread_scratch(of_kernel + own);
        if (all.size() < of_kernel + own) return false;
        call_.scratch = all.first(of_kernel);
        if (looks) workspace_ = all.subspan(of_kernel, workspace_bytes(body_));
        if (looks) kept_ = all.subspan(of_kernel + lines(workspace_bytes(body_)), notes);
        return true;
    }

    std::size_t bytes_of_kernels() const {
        if (plan_.backend->scratch) return 0;  // the backend has its own
        const bool may_be_dense = plan_.dense && (is_dense_ || chosen_here_);
        const std::size_t of_layout = is_dense_ ? 0 : effort_scratch_bytes(plan_, *plan_.kernel, call_),
                          of_dense = may_be_dense ? effort_scratch_bytes(plan_, *plan_.dense, call_) : 0;
        return lines(std::max(of_layout, of_dense));
    }

    EffortEntry* entries_of(int p) const {
        return reinterpret_cast<EffortEntry*>(kept_.data()) + (chosen_here_ ? p * body_.inputs : 0);
    }
    std::span<std::byte> memory_for(int p) const { return std::as_writable_bytes(std::span(entries_of(p), inputs())); }
    std::size_t inputs() const { return static_cast<std::size_t>(body_.inputs); }

    Job job_of(int p) const {
        return {
            .v = request_.v_of(first_ + p), .y = &request_.y(first_ + p, 0), .expert = request_.expert_of(first_ + p)};
    }

    void choose() {
        for (int p = 0; p < products_; ++p) {
            Job& job = jobs_[static_cast<std::size_t>(p)] = job_of(p);
            job.may_be_whole = plan_.kernel->puts_together;
            prepare(body_, request_.budget, workspace_, memory_for(p), job);
            if (!plan_.kernel->chooses) switch_to_dense(job);
            if (plan_.kernel->takes_every_input) spread(job);
            const std::uint32_t fine = job.is_whole ? job.has_gaps ? 3 : 2 : job.is_fine ? 1 : 0;
            chosen_[static_cast<std::size_t>(p)] = {static_cast<std::uint32_t>(job.count), 0, fine, 0, job.factor};
        }
        call_.notes = {chosen_.data(), entries_of(0)};
    }

    /// Makes a job read the dense copy if that is faster, or the only way to keep the budget.
    void switch_to_dense(Job& job) const {
        if (!plan_.dense || request_.options.dense == DenseSwitch::never) return;
        const bool is_slower = request_.options.dense == DenseSwitch::when_quicker &&
                               dense_is_quicker(plan_, effort_problem(body_, job.report.bytes_read));
        if (is_slower || needs_all(request_.budget, job)) make_dense(body_, job);
    }

    /// Makes an entry for every input; from the last to the first, so that none is overwritten before it is moved.
    void spread(Job& job) const {
        std::int64_t listed = job.count;
        for (std::int64_t i = body_.inputs; i-- > 0;) {
            const bool is_listed = listed > 0 && job.entries[listed - 1].input == static_cast<std::uint32_t>(i);
            job.entries[i] = is_listed ? job.entries[--listed] : EffortEntry{static_cast<std::uint32_t>(i), 0, 0};
        }
        job.count = body_.inputs;
    }

    /// Neighbouring products that all read the dense copy, or all do not, are one call.
    Status run_chosen() {
        std::int64_t bytes = 0;
        for (int p = 0; p < products_; ++p) bytes += jobs_[static_cast<std::size_t>(p)].report.bytes_read;
        call_.threads = threads_for(bytes);
        for (int begin = 0, end; begin < products_; begin = end) {
            const bool is_dense = jobs_[static_cast<std::size_t>(begin)].is_dense;
            end = begin + 1;
            while (end < products_ && jobs_[static_cast<std::size_t>(end)].is_dense == is_dense) ++end;
            EffortCall part = call_;
            part.products = end - begin;
            if (!call_.experts.empty())
                part.experts =
                    call_.experts.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
            part.v += begin * call_.v_step, part.y += begin * call_.y_step;
            part.notes = {call_.notes.chosen + begin, call_.notes.entries + begin * body_.inputs};
            if (const Status bad = execute(part, is_dense); !bad) return bad;
        }
        return {};
    }

    Status execute(EffortCall& call, bool is_dense) const {
        return execute_effort(plan_, is_dense ? *plan_.dense : *plan_.kernel, call);
    }

    Status report(int p, EffortReport& report) {
        if (!host_reads_v_ || !host_reads_y_) return report = known_report(), Status{};
        if (is_dense_ && request_.densely && plan_.backend->place == Place::host) {
            report = known_report(), report.estimated_error = 0x1p-24;  // a batch is not worth estimating one by one
            return {};
        }
        Job job = chosen_here_ ? jobs_[static_cast<std::size_t>(p)] : job_of(p);
        if (is_dense_) report_dense(job);
        else if (!chosen_here_)
            if (const Status bad = report_choice(p, job); !bad) return bad;
        conclude(body_, plan_.kernel->kernels, job);
        report = job.report;
        return {};
    }

    EffortReport known_report() const {
        EffortReport report;
        report.rows = body_.units() * body_.inputs;
        report.bytes = bytes_of_all(body_);
        report.rows_read = call_.everything || is_dense_ ? report.rows : -1;
        report.bytes_read = call_.everything || is_dense_ ? report.bytes : -1;
        if (is_dense_) report.bytes_read = report.bytes = dense_tiling_of(body_).bytes;
        report.dense = is_dense_, report.kernels = plan_.kernel->kernels;
        report.estimated_error = -1;
        return report;
    }

    void report_dense(Job& job) const {
        job.is_dense = true, job.report = known_report();
        const float* squares = body_.left_of(job.expert);
        for (std::int64_t i = 0; i < body_.inputs; ++i)
            job.all += static_cast<double>(job.v[i]) * static_cast<double>(job.v[i]) * static_cast<double>(squares[i]);
    }

    /// Reports on what the device chose.
    Status report_choice(int p, Job& job) const {
        EffortChosen chosen{};
        EffortEntry* const entries = entries_of(p);
        if (const Status bad = fetch_choice(plan_, call_, p, chosen, entries); !bad) return bad;
        auto* units = reinterpret_cast<std::uint8_t*>(workspace_.data());
        std::fill_n(units, body_.inputs, std::uint8_t{0});
        for (const EffortEntry& entry : std::span(entries, chosen.entries))
            units[entry.input] = static_cast<std::uint8_t>(entry.units);
        const double cutoff = call_.everything ? 0
                                               : static_cast<double>(std::bit_cast<float>(chosen.worth)) /
                                                     static_cast<double>(std::bit_cast<float>(chosen.scale));
        account_for(body_, units, cutoff, chosen.fine != 0, memory_for(p), job);
        return {};
    }

    const EffortPlan& plan_;
    const EffortBody& body_;
    const Request& request_;
    std::int64_t first_;
    int products_;
    EffortCall call_;
    bool host_reads_v_ = true, host_reads_y_ = true;  ///< the host can
    bool is_dense_ = false, chosen_here_ = false;
    std::array<int, most_products> experts_{};
    std::array<Job, most_products> jobs_{};
    std::array<EffortChosen, most_products> chosen_{};
    std::span<std::byte> workspace_{}, kept_{};
};

}  // namespace

Status run(EffortPlan plan, const Request& d) noexcept {
    const IeeeMode mode;
    const EffortBody& body = d.body;
    if (const Status none = choose_effort(effort_problem(body, bytes_of_all(body)), d.options.kernels, plan); !none)
        return none;
    EffortPlaced placed;
    if (const Status bad = place_effort(plan, body, placed); !bad) return bad;
    const bool all_densely = d.densely && plan.dense && d.options.dense != DenseSwitch::never;
    const int most = all_densely ? plan.dense->most_products : std::min(most_products, plan.kernel->most_products);
    for (std::int64_t row = 0; row < d.y.rows; row += most) {
        const int products = static_cast<int>(std::min<std::int64_t>(most, d.y.rows - row));
        if (const Status bad = EffortBatch(plan, placed, d, row, products).run(); !bad) return bad;
    }
    return {};
}

}  // namespace tw::effort
