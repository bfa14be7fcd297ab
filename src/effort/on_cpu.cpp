// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "effort/on_cpu.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/float_mode.hpp"
#include "base/scratch.hpp"
#include "base/threads.hpp"
#include "effort/choice/job.hpp"
#include "formats/buckets.hpp"
#include "formats/dense.hpp"
#include "formats/planes.hpp"
#include "formats/tiers.hpp"
#include "plan/dial_store.hpp"

namespace tw::effort {
namespace {

constexpr int most_jobs = 16;                           // prepared together: the experts of a token, or a few vectors
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
    if (body.layout() == EffortLayout::buckets) {
        call.width = BucketsTile::buckets_for(left, body.bucket);
        round.kernels.buckets(call);
    } else if (body.layout() == EffortLayout::tiers) {
        call.width = TiersTile::buckets_for(left);
        round.kernels.tiers(call);
    } else {
        call.width = PlanesTile::quarters_for(left);
        round.kernels.planes(call);
        for (float& sum : y) sum = static_cast<float>(static_cast<double>(sum) * job.factor);
    }
    std::memcpy(job.y + first, y, static_cast<std::size_t>(std::min(left, tiling.outputs_of_tile)) * sizeof(float));
}

void run_dense_tile(const EffortBody& body, const cpu::EffortKernels& kernels, int expert, View<const float> v,
                    View<float> y, std::int64_t tile) noexcept {
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
                run_dense_tile(r.body, r.kernels, job.expert, {job.v, 1, r.body.inputs}, {job.y, 1, r.body.outputs},
                               tile);
            }
        },
        const_cast<Round*>(&round));
}

/// Row after row of v, each by as much of its matrix as the budget allows.
Status run_dials(const Dials& d, const cpu::EffortKernels& kernels) noexcept {
    const EffortBody& body = d.body;
    const DialHabits tuned = tuned_habits({body.layout(), body.outputs, body.inputs, body.type, kernels.name});
    const double toll = tuned.toll > 0 ? tuned.toll : kernels.tolls[static_cast<int>(body.layout())];
    const std::int64_t bytes_a_thread = tuned.bytes_a_thread > 0 ? tuned.bytes_a_thread : bytes_worth_a_thread;
    const std::int64_t tiles = std::max(tiling_of(body).tiles, body.dense.size() > 0 ? dense_tiling_of(body).tiles : 0);
    const std::size_t desk = (desk_bytes(body) + 63) / 64 * 64, kept = kept_bytes(body);
    for (std::int64_t from = 0; from < d.y.rows; from += most_jobs) {
        const auto count = static_cast<std::size_t>(std::min<std::int64_t>(most_jobs, d.y.rows - from));
        const std::span<std::byte> scratch = thread_scratch(desk + count * kept);
        if (scratch.empty())
            return {Code::out_of_memory, Argument::scratch, "not enough memory to choose what is read"};
        std::array<Job, most_jobs> jobs{};
        for (std::size_t j = 0; j < count; ++j) {
            const std::int64_t row = from + static_cast<std::int64_t>(j);
            jobs[j].v = d.v_of(row), jobs[j].y = &d.y(row, 0), jobs[j].expert = d.expert_of(row);
            prepare(body, d.budget, scratch.first(desk), scratch.subspan(desk + j * kept, kept), jobs[j]);
            switch_to_dense(body, d.budget, d.options.dense, toll, jobs[j]);
        }
        run_round({body, kernels, {jobs.data(), count}, tiles, bytes_a_thread}, d.options);
        for (std::size_t j = 0; j < count; ++j) {
            conclude(body, kernels.name, jobs[j]);
            d.report(from + static_cast<std::int64_t>(j), jobs[j].report);
        }
    }
    return {};
}

/// All rows of v at once by the dense copy, tile after tile.
void run_densely(const Dials& d, const cpu::EffortKernels& kernels) noexcept {
    struct Batch {
        const Dials& dials;
        const cpu::EffortKernels& kernels;
    } batch{d, kernels};
    run_tasks(
        d.options.executor, d.options.threads > 0 ? d.options.threads : default_threads(),
        static_cast<int>(dense_tiling_of(d.body).tiles),
        [](void* context, int tile) {
            const IeeeMode mode;
            const Batch& b = *static_cast<const Batch*>(context);
            run_dense_tile(b.dials.body, b.kernels, 0, b.dials.v, b.dials.y, tile);
        },
        &batch);
    const std::int64_t rows = d.body.units() * d.body.inputs, bytes = dense_tiling_of(d.body).bytes;
    for (std::int64_t row = 0; row < d.y.rows; ++row)
        d.report(row, {rows, rows, bytes, bytes, 0, 0x1p-24, true, kernels.name});
}

}  // namespace

Status run_on_cpu(const Dials& dials) noexcept {
    const cpu::EffortKernels* kernels = choose_kernels(dials.options.kernels);
    if (!kernels) return {Code::unsupported, Argument::options, "this machine has no set of kernels of that name"};
    const IeeeMode mode;
    if (!dials.densely || dials.body.dense.size() == 0 || dials.options.dense == DenseSwitch::never)
        return run_dials(dials, *kernels);
    run_densely(dials, *kernels);
    return {};
}

}  // namespace tw::effort
