// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "measure/loaders/loaders.hpp"

#include <algorithm>
#include <numeric>

#include "backend/cuda/backend.hpp"
#include "backend/metal/backend.hpp"
#include "backend/metal/loaders.hpp"
#include "backend/metal/on_linux/backend.hpp"
#include "backend/metal/on_linux/door.hpp"
#include "measure/loaders/loaders_cuda.hpp"

namespace tw::measure {
namespace {

constexpr int rounds = 21, groups_counted = 2, groups_timed = 4096;

/// Floats in the backend's memory.
class Floats {
public:
    Floats(const Backend& backend, std::size_t count) : backend_(backend), host_(backend.alloc ? 0 : count) {
        if (backend.alloc) lent_ = static_cast<float*>(backend.alloc(count * sizeof(float)));
        all_ = {backend.alloc ? lent_ : host_.data(), backend.alloc && !lent_ ? 0 : count};
    }
    ~Floats() {
        if (lent_) backend_.free(lent_);
    }
    Floats(const Floats&) = delete;
    Floats& operator=(const Floats&) = delete;
    std::span<float> all() const { return all_; }  ///< empty when there is no memory

private:
    const Backend& backend_;
    std::vector<float> host_;
    float* lent_ = nullptr;
    std::span<float> all_;
};

void run_once(const Backend& backend, std::span<const float> from, std::span<float> to, LoadersRow& row) {
    const auto loaders = static_cast<metal::uint>(row.loaders);
    const metal::Dispatch dispatch = metal::loaders_dispatch(row.form.c_str(), from, to, loaders);
    std::fill(to.begin(), to.end(), -1.0f);
    const Status status =
        backend.times_mean_nothing ? metal_check::launch({&dispatch, 1}) : metal::launch({&dispatch, 1});
    if (!status) {
        row.trouble = status.text;
        return;
    }
    if (!metal::is_loaded_right(from, to)) {
        row.trouble = "threads read other data than the loaders should have loaded";
        row.is_wrong = true;
        return;
    }
    if (!backend.times_mean_nothing) {
        row.seconds.push_back(metal::last_gpu_seconds());
        return;
    }
    metal_check::LastRun last;
    metal_check::door()->last_run(last);
    row.counts = last.outcome.counters;
}

}  // namespace

namespace {

bool is_cuda(const Backend& backend) noexcept { return &backend == &cuda::backend(); }

}  // namespace

bool has_loaders(const Backend& backend) noexcept {
    return is_cuda(backend) || &backend == &metal::backend() || &backend == &metal_check::backend();
}

LoadersRun bench_loaders(const Backend& backend, const Watch& watch) {
    if (is_cuda(backend)) return bench_cuda_loaders(backend, watch);
    LoadersRun run{.groups = backend.times_mean_nothing ? groups_counted : groups_timed};
    for (const char* form : metal::loader_forms)
        for (int loaders = 1; loaders <= static_cast<int>(metal::most_loaders); ++loaders)
            run.rows.push_back({.form = form, .loaders = loaders});
    const Floats from(backend, metal::loaders_floats),
        to(backend, static_cast<std::size_t>(run.groups) * metal::loaders_threads);
    if (from.all().empty() || to.all().empty()) {
        for (LoadersRow& row : run.rows) row.trouble = "the device has no memory for it";
        return run;
    }
    std::iota(from.all().begin(), from.all().end(), 0.0f);
    const int times = backend.times_mean_nothing ? 1 : rounds;
    for (int round = 0; round < times && !watch.is_interrupted(); ++round) {
        watch.say("loading", static_cast<double>(round) / times);
        for (LoadersRow& row : run.rows)
            if (row.trouble.empty()) run_once(backend, from.all(), to.all(), row);
    }
    for (LoadersRow& row : run.rows) std::sort(row.seconds.begin(), row.seconds.end());
    return run;
}

}  // namespace tw::measure
