// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// One plan, many products: each worker takes a few at a time and has its own part of the scratch.
#include "carry/batch.hpp"

#include <algorithm>
#include <atomic>

#include "backend/contract.hpp"
#include "backend/direct.hpp"
#include "base/float_mode.hpp"
#include "base/scratch.hpp"
#include "base/threads.hpp"
#include "carry/arena.hpp"
#include "carry/call_of.hpp"
#include "carry/staging.hpp"

namespace tw {
namespace {

constexpr std::size_t most_scratch = std::size_t{4}
                                     << 20;  // per worker: with more they evict each other's data from L3
constexpr double least_work = 5'000;         // nanoseconds of work that a worker takes at a time

constexpr Status no_memory{Code::out_of_memory, Argument::scratch, "no memory for packed panels"};

struct Work {
    const Plan& plan;
    const Products& products;
    std::int64_t at_a_time;
    std::span<std::byte> scratch;
    std::size_t share;
    bool is_direct;
    std::atomic<std::int64_t> next{0};
    std::atomic<bool> failed{false};
    Status failure{};

    Status one(std::int64_t i, std::span<std::byte> own) const noexcept {
        const Options& options = plan.options;
        if (is_direct) {
            direct_of(plan).run(direct_of(plan), products.a_of(i), products.b_of(i), products.c_of(i), options.alpha,
                                options.beta);
            return {};
        }
        Call call = call_of(options, products.a_of(i), products.b_of(i), products.c_of(i));
        call.scratch = own;
        call.epilogue.residual = products.residual_of(i);
        return run_in_place(plan, call);
    }

    /// A host kernel with enough scratch does not fail; if one does, the other workers stop.
    void take_some(int worker) noexcept {
        const auto own = scratch.subspan(static_cast<std::size_t>(worker) * share, share);
        const std::int64_t size = products.batch.size;
        for (std::int64_t i; (i = next.fetch_add(at_a_time, std::memory_order_relaxed)) < size && !failed;)
            for (const std::int64_t end = std::min(size, i + at_a_time); i < end; ++i)
                if (Status status = one(i, own); !status && !failed.exchange(true)) {
                    status.product = static_cast<std::int32_t>(std::min<std::int64_t>(i, INT32_MAX));
                    failure = status;
                }
    }
};

/// As many workers as there is scratch for; 0 when there is too little for one.
int workers_with_scratch(const Plan& plan, int wanted, std::size_t share, std::span<std::byte>& scratch) noexcept {
    if (share == 0) return wanted;
    const auto granted = [&] {
        return static_cast<int>(std::min<std::size_t>(scratch.size() / share, static_cast<std::size_t>(wanted)));
    };
    scratch = from_first_line(plan.options.scratch);
    if (granted() > 0) return granted();
    scratch = thread_scratch(share * static_cast<std::size_t>(wanted));
    if (granted() == 0) scratch = thread_scratch(share);
    return granted();
}

double nanoseconds(const Plan& plan, int threads) noexcept { return plan.kernel->nanoseconds(plan.problem, threads); }

}  // namespace

bool shares_the_batch(const Plan& alone, const Plan& together, std::int64_t size) noexcept {
    const bool on_threads = alone.backend->place == Place::host && !alone.backend->copy && !alone.backend->scratch;
    if (!on_threads || alone.options.verify || in_lines(aligned_scratch_bytes(alone)) > most_scratch) return false;
    if (together.threads == 1) return true;
    const auto rounds = static_cast<double>((size + together.threads - 1) / together.threads);
    return rounds * nanoseconds(alone, 1) <= static_cast<double>(size) * nanoseconds(together, together.threads);
}

Status execute_batch(const Plan& alone, const Products& products, int threads) noexcept {
    const IeeeMode mode;
    const std::int64_t size = products.batch.size;
    const auto wanted = static_cast<int>(std::min<std::int64_t>(threads, size));
    const bool is_direct = suits(direct_of(alone), products.a, products.b) && alone.options.epilogue.is_empty();
    const std::size_t share = is_direct ? 0 : in_lines(aligned_scratch_bytes(alone));
    std::span<std::byte> scratch;
    const int workers = workers_with_scratch(alone, wanted, share, scratch);
    if (workers == 0) return no_memory;

    const auto fair = std::max<std::int64_t>(1, size / (4 * workers));
    const auto worth = static_cast<std::int64_t>(least_work / std::max(1.0, nanoseconds(alone, 1))) + 1;
    Work work{alone, products, std::min(fair, worth), scratch, share, is_direct};
    if (workers == 1) work.take_some(0);
    else
        run_tasks(
            alone.options.executor, workers, workers,
            [](void* context, int worker) { static_cast<Work*>(context)->take_some(worker); }, &work);
    return work.failure;
}

}  // namespace tw
