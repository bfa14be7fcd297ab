// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The product: choose what is read of each vector, then tiles of outputs, each by one thread from its first entry to its last.
// Nothing is added across threads, so the bits don't depend on how many there are.
#include <algorithm>
#include <array>
#include <cstring>

#include "base/float_mode.hpp"
#include "base/scratch.hpp"
#include "base/threads.hpp"
#include "effort/job.hpp"
#include "effort/layout_buckets.hpp"
#include "effort/layout_dense.hpp"
#include "effort/layout_planes.hpp"
#include "effort/layout_tiers.hpp"
#include "effort/on_cuda.hpp"
#include "effort/on_metal.hpp"
#include "effort/select.hpp"
#include "plan/dial_store.hpp"

namespace tw {
namespace {

using namespace effort;

constexpr int most_jobs = 16;  // prepared together: the experts of a token, or a few vectors
constexpr std::int64_t bytes_worth_a_thread = 1 << 18;  // where nothing was tuned

struct Round {
    const EffortBody& body;
    const cpu::EffortKernels& kernels;
    std::span<Job> jobs;
    std::int64_t tiles, bytes_a_thread;
};

void run_tile(const Round& round, const Job& job, std::int64_t tile) noexcept {
    const EffortBody& body = round.body;
    const Tiling tiling = tiling_of(body);
    const std::int64_t first = tile * tiling.outputs_of_tile, left = body.outputs - first;
    alignas(64) float y[cpu::most_outputs_of_tile] = {};
    cpu::EffortTile call{};
    call.rows = body.rows.data() + job.expert * tiling.bytes + tile * tiling.bytes_of_tile;
    call.inputs = body.inputs, call.bucket = body.bucket, call.masking = !body.truncating, call.fine = job.is_fine;
    call.type = body.type, call.entries = job.entries, call.count = job.count, call.y = y;
    if (body.layout == EffortLayout::buckets) {
        call.width = BucketsTile::buckets_for(left, body.bucket);
        round.kernels.buckets(call);
    } else if (body.layout == EffortLayout::tiers) {
        call.width = TiersTile::buckets_for(left);
        round.kernels.tiers(call);
    } else {
        call.width = PlanesTile::quarters_for(left);
        round.kernels.planes(call);
        for (float& sum : y) sum = static_cast<float>(static_cast<double>(sum) * job.factor);
    }
    std::memcpy(job.y + first, y, static_cast<std::size_t>(std::min(left, tiling.outputs_of_tile)) * sizeof(float));
}

void run_dense_tile(const EffortBody& body, const cpu::EffortKernels& kernels, int expert, View<const float> v, View<float> y,
                    std::int64_t tile) noexcept {
    const Tiling tiling = dense_tiling_of(body);
    const std::int64_t first = tile * tiling.outputs_of_tile, left = body.outputs - first;
    alignas(64) float sums[DenseTile::outputs * cpu::most_dense_vectors];
    const std::byte* rows = body.dense.data() + expert * tiling.bytes + tile * tiling.bytes_of_tile;
    for (std::int64_t r = 0; r < v.rows; r += cpu::most_dense_vectors) {
        const int vectors = static_cast<int>(std::min<std::int64_t>(cpu::most_dense_vectors, v.rows - r));
        kernels.dense({rows, body.inputs, DenseTile::width_for(left), body.type, &v(r, 0), v.row_step, vectors, sums});
        for (int s = 0; s < vectors; ++s)
            std::memcpy(&y(r + s, first), sums + DenseTile::outputs * s,
                        static_cast<std::size_t>(std::min(left, tiling.outputs_of_tile)) * sizeof(float));
    }
}

/// Tiles of every job; jobs that became dense have tiles of their own width.
void run_round(const Round& round, const EffortOptions& options) noexcept {
    std::int64_t bytes = 0;
    for (const Job& job : round.jobs) bytes += job.report.bytes_read;
    const int allowed = options.threads > 0 ? options.threads : default_threads();
    const int threads = static_cast<int>(std::clamp<std::int64_t>(bytes / round.bytes_a_thread, 1, allowed));
    run_tasks(
        options.executor, threads, static_cast<int>(round.tiles * static_cast<std::int64_t>(round.jobs.size())),
        [](void* context, int index) {
            const IeeeMode mode;
            const Round& r = *static_cast<const Round*>(context);
            const Job& job = r.jobs[static_cast<std::size_t>(index / r.tiles)];
            const std::int64_t tile = index % r.tiles;
            if (!job.is_dense) {
                if (tile < tiling_of(r.body).tiles) run_tile(r, job, tile);
            } else if (tile < dense_tiling_of(r.body).tiles) {
                run_dense_tile(r.body, r.kernels, job.expert, {job.v, 1, r.body.inputs}, {job.y, 1, r.body.outputs}, tile);
            }
        },
        const_cast<Round*>(&round));
}

constexpr Status no_memory{Code::out_of_memory, Argument::scratch, "not enough memory to choose what is read"};

Status check(const EffortMatrix& m, View<const float> v, View<float> y, Budget budget, const EffortOptions& options) noexcept {
    const auto bad = [](Argument argument, const char* text) { return Status{Code::bad_argument, argument, text}; };
    if (!m.body()) return bad(Argument::a, "the matrix is empty");
    if (v.cols != m.inputs() || (v.rows > 0 && !v.data)) return bad(Argument::b, "the vector has one value for each input");
    if (y.cols != m.outputs() || (y.rows > 0 && !y.data)) return bad(Argument::c, "the result has one value for each output");
    if (v.col_step != 1 || y.col_step != 1) return bad(Argument::options, "a vector's values are neighbours in memory");
    if (budget.is_error() ? !(budget.value() >= 0) : !(budget.value() >= 0 && budget.value() <= 1))
        return bad(Argument::options, "an effort is from 0 to 1, and an error is not negative");
    const bool is_cuda = names_cuda(options.device);
    if (!options.device.empty() && options.device != "cpu" && !is_cuda && !metal_device(options.device))
        return {Code::no_device, Argument::options, "the effort dial runs on the devices cpu, cuda, metal and metal-check"};
    const bool is_far = v.rows > 0 && is_on_cuda(v.data);
    if (!is_cuda && (is_far || (y.rows > 0 && is_on_cuda(y.data))))
        return bad(is_far ? Argument::b : Argument::c, "memory of a CUDA device is for the device cuda alone");
    for (std::int64_t r = 0; r < v.rows && !is_far; ++r)
        if (unit_scale(&v(r, 0), v.cols) == 0.f) return bad(Argument::b, "the vector has a value that is not finite");
    return {};
}

struct Dials {
    const EffortBody& body;
    std::span<const int> chosen;
    View<const float> v;
    View<float> y;
    Budget budget;
    std::span<EffortReport> reports;
};

Status run_dials_on(const MetalDevice& device, const Dials& d) noexcept {
    const IeeeMode mode;
    for (std::int64_t row = 0; row < d.y.rows; ++row) {
        EffortReport report;
        const int expert = d.chosen.empty() ? 0 : d.chosen[static_cast<std::size_t>(row)];
        const Status status =
            run_on_metal(device, d.body, expert, &d.v(d.v.rows == 1 ? 0 : row, 0), &d.y(row, 0), d.budget, report);
        if (!status) return status;
        if (!d.reports.empty()) d.reports[static_cast<std::size_t>(row)] = report;
    }
    return {};
}

/// Each row of v is a vector for the expert chosen[row]; without `chosen`, for the first.
Status run_dials(const EffortMatrix& m, std::span<const int> chosen, View<const float> v, View<float> y, Budget budget,
                 const EffortOptions& options, std::span<EffortReport> reports) noexcept {
    const EffortBody& body = *m.body();
    if (names_cuda(options.device)) return run_on_cuda({body, chosen, v, y, budget, options, reports});
    if (const MetalDevice* device = metal_device(options.device)) {
        const Dials dials{body, chosen, v, y, budget, reports};
        return run_dials_on(*device, dials);
    }
    const cpu::EffortKernels* kernels = choose_kernels(options.kernels);
    if (!kernels) return {Code::unsupported, Argument::options, "this machine has no set of kernels of that name"};
    const DialHabits tuned = tuned_habits({body.layout, body.outputs, body.inputs, body.type, kernels->name});
    const double toll = tuned.toll > 0 ? tuned.toll : kernels->tolls[static_cast<int>(body.layout)];
    const std::int64_t bytes_a_thread = tuned.bytes_a_thread > 0 ? tuned.bytes_a_thread : bytes_worth_a_thread;
    const IeeeMode mode;
    const std::int64_t tiles = std::max(tiling_of(body).tiles, body.dense.size() > 0 ? dense_tiling_of(body).tiles : 0);
    for (std::int64_t from = 0; from < y.rows; from += most_jobs) {
        const auto count = static_cast<std::size_t>(std::min<std::int64_t>(most_jobs, y.rows - from));
        const std::size_t desk = (desk_bytes(body) + 63) / 64 * 64, kept = kept_bytes(body);
        const std::span<std::byte> scratch = thread_scratch(desk + count * kept);
        if (scratch.empty()) return no_memory;
        std::array<Job, most_jobs> jobs{};
        for (std::size_t j = 0; j < count; ++j) {
            const std::int64_t row = from + static_cast<std::int64_t>(j);
            jobs[j].v = &v(v.rows == 1 ? 0 : row, 0), jobs[j].y = &y(row, 0);
            jobs[j].expert = chosen.empty() ? 0 : chosen[static_cast<std::size_t>(row)];
            prepare(body, budget, scratch.first(desk), scratch.subspan(desk + j * kept, kept), jobs[j]);
            switch_to_dense(body, budget, options.dense, toll, jobs[j]);
        }
        run_round({body, *kernels, {jobs.data(), count}, tiles, bytes_a_thread}, options);
        for (std::size_t j = 0; j < count; ++j) {
            conclude(body, kernels->name, jobs[j]);
            if (!reports.empty()) reports[static_cast<std::size_t>(from) + j] = jobs[j].report;
        }
    }
    return {};
}

struct DenseBatch {
    const EffortBody& body;
    const cpu::EffortKernels& kernels;
    View<const float> v;
    View<float> y;
};

void run_dense_batch(DenseBatch batch, const EffortOptions& options) noexcept {
    run_tasks(
        options.executor, options.threads > 0 ? options.threads : default_threads(),
        static_cast<int>(dense_tiling_of(batch.body).tiles),
        [](void* context, int tile) {
            const IeeeMode mode;
            const DenseBatch& b = *static_cast<const DenseBatch*>(context);
            run_dense_tile(b.body, b.kernels, 0, b.v, b.y, tile);
        },
        &batch);
}

}  // namespace

Status try_matvec_experts(const EffortMatrix& m, std::span<const int> chosen, View<const float> v, View<float> y, Budget budget,
                          const EffortOptions& options, std::span<EffortReport> reports) noexcept {
    if (const Status bad = check(m, v, y, budget, options); !bad) return bad;
    const auto count = static_cast<std::int64_t>(chosen.size());
    if (y.rows != count || (v.rows != 1 && v.rows != count))
        return {Code::bad_argument, Argument::c, "there is a result for each expert chosen, and one vector or as many"};
    if (!reports.empty() && reports.size() != chosen.size())
        return {Code::bad_argument, Argument::options, "there is a report for each result, or none"};
    for (const int expert : chosen)
        if (expert < 0 || expert >= m.experts()) return {Code::bad_argument, Argument::options, "an expert is chosen that is not there"};
    return run_dials(m, chosen, v, y, budget, options, reports);
}

Status try_matvec_batch(const EffortMatrix& m, View<const float> v, View<float> y, Budget budget, const EffortOptions& options,
                        std::span<EffortReport> reports) noexcept {
    if (const Status bad = check(m, v, y, budget, options); !bad) return bad;
    if (y.rows != v.rows) return {Code::bad_argument, Argument::c, "there is a result for each vector"};
    if (!reports.empty() && static_cast<std::int64_t>(reports.size()) != v.rows)
        return {Code::bad_argument, Argument::options, "there is a report for each result, or none"};
    if (v.rows == 0) return {};
    if (v.rows < effort_dense_batch) return run_dials(m, {}, v, y, budget, options, reports);
    if (names_cuda(options.device)) return run_on_cuda({*m.body(), {}, v, y, Budget::effort(1), options, reports, true});
    if (!m.has_dense() || options.dense == DenseSwitch::never || metal_device(options.device)) return run_dials(m, {}, v, y, Budget::effort(1), options, reports);

    const EffortBody& body = *m.body();
    const cpu::EffortKernels* kernels = choose_kernels(options.kernels);
    if (!kernels) return {Code::unsupported, Argument::options, "this machine has no set of kernels of that name"};
    run_dense_batch({body, *kernels, v, y}, options);
    for (std::size_t r = 0; r < reports.size(); ++r) {
        const std::int64_t bytes = dense_tiling_of(body).bytes;
        reports[r] = {m.rows(), m.rows(), bytes, bytes, 0, 0x1p-24, true, kernels->name};
    }
    return {};
}

Status try_place_effort(const EffortMatrix& m, std::string_view device) noexcept {
    if (!m.body()) return {Code::bad_argument, Argument::a, "the matrix is empty"};
    if (device.empty() || device == "cpu" || metal_device(device)) return {};
    if (!names_cuda(device)) return {Code::no_device, Argument::options, "the effort dial runs on the devices cpu, cuda, metal and metal-check"};
    return place_on_cuda(*m.body(), device);
}

Status try_matvec(const EffortMatrix& m, std::span<const float> v, std::span<float> y, Budget budget, const EffortOptions& options,
                  EffortReport& report) noexcept {
    return try_matvec_batch(m, {v.data(), 1, static_cast<std::int64_t>(v.size())}, {y.data(), 1, static_cast<std::int64_t>(y.size())},
                            budget, options, {&report, 1});
}

std::string explain_effort(const Status& status, const EffortMatrix& m) {
    if (status) return "all is well";
    return std::string("no product with the effort dial: ") + status.text + "; the matrix has " + std::to_string(m.outputs()) +
           " outputs, " + std::to_string(m.inputs()) + " inputs, " + std::to_string(m.experts()) + " experts, layout " + name_of(m.layout());
}

EffortReport matvec(const EffortMatrix& m, std::span<const float> v, std::span<float> y, Budget budget, const EffortOptions& options) {
    EffortReport report;
    const Status status = try_matvec(m, v, y, budget, options, report);
    if (!status) throw Error(status, explain_effort(status, m) + "; got " + std::to_string(v.size()) + " values and room for " + std::to_string(y.size()));
    return report;
}

}  // namespace tw
