// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "effort/on_cuda.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <new>
#include <vector>

#include "backend/cuda/backend.hpp"
#include "base/float_mode.hpp"
#include "effort/choice/affordable.hpp"
#include "effort/choice/job.hpp"
#include "effort/cuda_matrix.hpp"
#include "effort/cuda_paces.hpp"
#include "plan/dial_store.hpp"

namespace tw::effort {
namespace {

constexpr Status no_memory{Code::out_of_memory, Argument::scratch, "not enough memory of the device"};
constexpr int most_products = 16;

bool takes_longer_than_dense(const EffortBody& body, const Asked& asked) {
    const double tuned = tuned_habits({body.layout(), body.outputs, body.inputs, body.type, "cuda"}).toll;
    if (tuned > 0) return tuned * static_cast<double>(asked.bytes) > static_cast<double>(dense_tiling_of(body).bytes);
    return dense_is_quicker(body, asked, paces_on_h200);
}

constexpr std::size_t lines(std::size_t bytes) { return (bytes + 255) / 256 * 256; }

/// Up to 16 products of one order.
class Order {
public:
    Order(const Dials& dials, const Held& held, std::int64_t first, int products)
        : d_(dials),
          backend_(*held.backend),
          m_(held.matrix),
          first_(first),
          products_(products),
          v_rows_(dials.v.rows == 1 ? 1 : products) {}

    Status run() {
        if (const Status bad = lay_out(); !bad) return bad;
        if (d_.budget.is_error() && !order_.is_dense && !order_.everything)
            if (const Status bad = choose_here(); !bad) return bad;
        if (const Status bad = backend_.effort->run(m_, order_, notes_); !bad) return bad;
        return bring_back();
    }

private:
    const float* v_row(int p) const { return d_.v_of(first_ + p); }

    Status lay_out() {
        const EffortBody& body = d_.body;
        v_is_there_ = is_on_cuda(d_.v.data), y_is_there_ = is_on_cuda(d_.y.data);
        for (int p = 0; p < products_; ++p) experts_[static_cast<std::size_t>(p)] = d_.expert_of(first_ + p);
        const Affordable allowed = affordable(body, d_.budget);
        const UnitWeights weights(body);
        order_.everything = allowed.everything;
        order_.reached = weights.reached(allowed.bytes), order_.affordable = weights.within(allowed.bytes);
        const bool has_dense = m_.dense_tiles > 0 && d_.options.dense != DenseSwitch::never;
        const bool of_one = std::all_of(experts_.begin(), experts_.begin() + products_,
                                        [&](int expert) { return expert == experts_[0]; });
        const bool is_slower = has_dense && d_.options.dense == DenseSwitch::when_quicker && !d_.budget.is_error() &&
                               takes_longer_than_dense(body, {allowed.bytes, products_, of_one});
        order_.is_dense = has_dense && (d_.densely || order_.everything || is_slower);
        if (d_.budget.is_error() && !order_.everything && !order_.is_dense && v_is_there_)
            return {Code::unsupported, Argument::b,
                    "a budget of error is chosen by the host: the vector has to be in its memory"};

        const std::size_t notes = lines(backend_.effort->scratch_bytes(m_, products_));
        const std::size_t v_bytes = lines(static_cast<std::size_t>(v_rows_ * body.inputs) * 4),
                          y_bytes = lines(static_cast<std::size_t>(products_ * body.outputs) * 4);
        const std::size_t bytes = notes + (v_is_there_ ? 0 : v_bytes) + (y_is_there_ ? 0 : y_bytes);
        const std::span<std::byte> scratch = backend_.scratch(bytes, d_.options.stream);
        if (scratch.size() < bytes) return no_memory;
        notes_ = scratch.first(notes);
        std::byte* at = scratch.data() + notes;
        order_.experts = {experts_.data(), static_cast<std::size_t>(products_)}, order_.stream = d_.options.stream;
        order_.v = v_row(0), order_.v_step = d_.v.rows == 1 ? 0 : d_.v.row_step;
        order_.y = &d_.y(first_, 0), order_.y_step = d_.y.row_step;
        if (!y_is_there_) order_.y = reinterpret_cast<float*>(at), order_.y_step = body.outputs, at += y_bytes;
        if (v_is_there_) return {};
        order_.v = reinterpret_cast<float*>(at), order_.v_step = d_.v.rows == 1 ? 0 : body.inputs;
        const Matrix to{at, Type::f32, v_rows_, body.inputs, body.inputs};
        return backend_.copy(to,
                             {const_cast<float*>(v_row(0)), Type::f32, v_rows_, body.inputs,
                              d_.v.rows == 1 ? body.inputs : d_.v.row_step},
                             order_.stream);
    }

    /// The CPU's own choice, product by product.
    Status choose_here() {
        const EffortBody& body = d_.body;
        const EffortNotes notes = backend_.effort->notes_in(notes_, m_, products_);
        if (!make_jobs()) return no_memory;
        std::array<EffortChosenOnDevice, most_products> chosen{};
        for (int p = 0; p < products_; ++p) {
            Job& job = jobs_[static_cast<std::size_t>(p)];
            job = {.v = v_row(p), .y = nullptr, .expert = experts_[static_cast<std::size_t>(p)]};
            prepare(body, d_.budget, desk_.bytes().first(lines(desk_bytes(body))), kept(p), job);
            spread(job);
            chosen[static_cast<std::size_t>(p)] = {static_cast<std::uint32_t>(job.count), 0, job.is_fine, 0,
                                                   job.factor};
            const std::size_t bytes = static_cast<std::size_t>(job.count) * sizeof *job.entries;
            if (bytes == 0) continue;
            if (const Status bad = backend_.copy(bytes_at(notes.entries + p * body.inputs, bytes),
                                                 bytes_at(job.entries, bytes), order_.stream);
                !bad)
                return bad;
        }
        order_.is_chosen = true;
        const std::size_t bytes = static_cast<std::size_t>(products_) * sizeof chosen[0];
        return backend_.copy(bytes_at(notes.chosen, bytes), bytes_at(chosen.data(), bytes), order_.stream);
    }

    /// The device has an entry for every input; from the last one on, so that none is written over before it is moved.
    void spread(Job& job) const {
        std::int64_t listed = job.count;
        for (std::int64_t i = d_.body.inputs; i-- > 0;) {
            const bool is_listed = listed > 0 && job.entries[listed - 1].input == static_cast<std::uint32_t>(i);
            job.entries[i] = is_listed ? job.entries[--listed] : EffortEntry{static_cast<std::uint32_t>(i), 0, 0};
        }
        job.count = d_.body.inputs;
    }

    bool make_jobs() {
        jobs_.resize(static_cast<std::size_t>(products_));
        return desk_.allocate(lines(desk_bytes(d_.body)) +
                              static_cast<std::size_t>(products_) * lines(kept_bytes(d_.body)));
    }

    std::span<std::byte> kept(int p) const {
        return desk_.bytes().subspan(
            lines(desk_bytes(d_.body)) + static_cast<std::size_t>(p) * lines(kept_bytes(d_.body)), kept_bytes(d_.body));
    }

    Status bring_back() {
        const EffortBody& body = d_.body;
        if (!y_is_there_) {
            const Matrix from{order_.y, Type::f32, products_, body.outputs, body.outputs};
            if (const Status bad = backend_.copy({&d_.y(first_, 0), Type::f32, products_, body.outputs, d_.y.row_step},
                                                 from, order_.stream);
                !bad)
                return bad;
        }
        const bool has_reports = !d_.reports.empty(), can_judge = !v_is_there_ && !y_is_there_;
        if (!v_is_there_ || !y_is_there_)
            if (const Status bad = backend_.wait(order_.stream); !bad) return bad;
        for (int p = 0; p < products_ && has_reports; ++p) {
            EffortReport& report = d_.reports[static_cast<std::size_t>(first_ + p)];
            if (!can_judge) report = known_before();
            else if (const Status bad = judge(p, report); !bad) return bad;
        }
        return {};
    }

    EffortReport known_before() const {
        EffortReport report;
        report.rows = d_.body.units() * d_.body.inputs;
        report.bytes = bytes_of_all(d_.body);
        report.rows_read = order_.everything || order_.is_dense ? report.rows : -1;
        report.bytes_read = order_.everything || order_.is_dense ? report.bytes : -1;
        if (order_.is_dense) report.bytes_read = report.bytes = dense_tiling_of(d_.body).bytes;
        report.dense = order_.is_dense, report.kernels = "cuda";
        report.estimated_error = -1;
        return report;
    }

    Status judge(int p, EffortReport& report) {
        const EffortBody& body = d_.body;
        if (order_.is_dense) {
            report = known_before();
            Job job{.v = v_row(p),
                    .y = &d_.y(first_ + p, 0),
                    .expert = experts_[static_cast<std::size_t>(p)],
                    .is_dense = true,
                    .report = report};
            const float* squares = body.left_of(job.expert);
            for (std::int64_t i = 0; i < body.inputs; ++i)
                job.all +=
                    static_cast<double>(job.v[i]) * static_cast<double>(job.v[i]) * static_cast<double>(squares[i]);
            conclude(body, "cuda", job);
            report = job.report;
            return {};
        }
        if (!order_.is_chosen) {
            const EffortNotes notes = backend_.effort->notes_in(notes_, m_, products_);
            if (jobs_.empty() && !make_jobs()) return no_memory;
            EffortChosenOnDevice chosen{};
            if (const Status bad = fetch(&chosen, notes.chosen + p, sizeof chosen); !bad) return bad;
            std::vector<EffortEntry> entries(chosen.entries);
            if (const Status bad =
                    fetch(entries.data(), notes.entries + p * body.inputs, entries.size() * sizeof entries[0]);
                !bad)
                return bad;
            std::vector<std::uint8_t> units(static_cast<std::size_t>(body.inputs));
            for (const EffortEntry& entry : entries) units[entry.input] = static_cast<std::uint8_t>(entry.units);
            Job& job = jobs_[static_cast<std::size_t>(p)];
            job = {.v = v_row(p), .y = nullptr, .expert = experts_[static_cast<std::size_t>(p)]};
            const double cutoff = order_.everything ? 0
                                                    : static_cast<double>(std::bit_cast<float>(chosen.worth)) /
                                                          static_cast<double>(std::bit_cast<float>(chosen.scale));
            account_for(body, units.data(), cutoff, chosen.fine != 0, kept(p), job);
        }
        Job& job = jobs_[static_cast<std::size_t>(p)];
        job.y = &d_.y(first_ + p, 0);
        conclude(body, "cuda", job);
        report = job.report;
        return {};
    }

    Status fetch(void* to, const void* from, std::size_t bytes) {
        if (bytes == 0) return {};
        if (const Status bad = backend_.copy(bytes_at(to, bytes), bytes_at(from, bytes), order_.stream); !bad)
            return bad;
        return backend_.wait(order_.stream);
    }

    const Dials& d_;
    const Backend& backend_;
    const EffortOnDevice& m_;
    std::int64_t first_;
    int products_;
    std::int64_t v_rows_;
    bool v_is_there_ = false, y_is_there_ = false;
    EffortOrder order_{};
    std::array<int, most_products> experts_{};
    std::span<std::byte> notes_{};
    std::vector<Job> jobs_{};
    Memory desk_{};
};

}  // namespace

bool names_cuda(std::string_view device) noexcept { return device == "cuda" || device.starts_with("cuda:"); }

bool is_on_cuda(const void* memory) noexcept { return cuda::owns(memory); }

Status place_on_cuda(const EffortBody& body, std::string_view device) noexcept {
    try {
        std::shared_ptr<const Held> held;
        return held_by(body, device, held);
    } catch (const std::bad_alloc&) {
        return no_memory;
    }
}

Status run_on_cuda(const Dials& dials) noexcept {
    const IeeeMode mode;
    try {
        std::shared_ptr<const Held> held;
        if (const Status bad = held_by(dials.body, dials.options.device, held); !bad) return bad;
        for (std::int64_t row = 0; row < dials.y.rows; row += most_products) {
            const int products = static_cast<int>(std::min<std::int64_t>(most_products, dials.y.rows - row));
            if (const Status bad = Order(dials, *held, row, products).run(); !bad) return bad;
        }
        return {};
    } catch (const std::bad_alloc&) {
        return no_memory;
    }
}

}  // namespace tw::effort
