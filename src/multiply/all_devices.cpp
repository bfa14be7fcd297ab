// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "multiply/all_devices.hpp"

#include <algorithm>
#include <cstdio>
#include <mutex>
#include <optional>

#include "base/threads.hpp"
#include "carry/cut.hpp"
#include "multiply/device_threads.hpp"
#include "multiply/log.hpp"
#include "multiply/run_plan.hpp"
#include "plan/operands.hpp"
#include "plan/registry.hpp"
#include "tilewright/plan.hpp"

namespace tw {
namespace {

constexpr Status no_backend{Code::no_device, Argument::options, "no backend of this build has that name"};
constexpr Status no_devices{Code::no_device, Argument::options, "the backend finds no device on this machine"};
constexpr Status one_devices_own{Code::bad_argument, Argument::options,
                                 "a stream and scratch are one device's: expected none where all devices multiply"};
constexpr Status on_one_already{Code::unsupported, Argument::options,
                                "operands of the host are cut over all devices; these lie in a device's memory"};

/// What the threads of one product share.
class FirstFailure {
public:
    void note(const Status& status) noexcept {
        const std::lock_guard hold(lock_);
        if (!status && first_) first_ = status;
    }
    const Status& status() const noexcept { return first_; }

private:
    std::mutex lock_;
    Status first_{};
};

/// Who finds the pool taken works alone. So the devices' threads wait for it, and each has it for a piece of a panel.
class Turns {
public:
    Turns(const Executor* inner, int threads) noexcept : inner_(inner), threads_(threads) {}
    const Executor& executor() const noexcept { return executor_; }

private:
    static void run(void* self, int tasks, void (*task)(void*, int), void* context) noexcept {
        auto& turns = *static_cast<Turns*>(self);
        const std::lock_guard mine(turns.lock_);
        run_tasks(turns.inner_, turns.threads_, tasks, task, context);
    }

    const Executor* const inner_;
    const int threads_;
    std::mutex lock_;
    const Executor executor_{this, run};
};

/// A part whose operands have been checked with the whole.
Status multiply_part(const Matrix& a, const Matrix& b, const Matrix& c, const Options& options,
                     const Sharing& sharing) noexcept {
    Plan plan;
    if (const Status none = try_plan(problem_at(Place::host, a, b, c, options), options, plan); !none) return none;
    log_call(plan);
    return run_plan(plan, a, b, c, nullptr, sharing);
}

Matrix rows_or_columns(const Matrix& m, bool rows, std::int64_t begin, std::int64_t size) noexcept {
    return rows ? m.block(begin, 0, size, m.cols) : m.block(0, begin, m.rows, size);
}

}  // namespace

int shares_of(const Matrix& c, bool by_rows, int devices) noexcept {
    const Pieces whole{.extent = by_rows ? c.rows : c.cols};
    return static_cast<int>(std::clamp<std::int64_t>(whole.most(), 1, std::clamp(devices, 1, most_device_threads)));
}

Share share_of(const Matrix& a, const Matrix& b, const Matrix& c, const Epilogue& epilogue, bool by_rows, int shares,
               int index) noexcept {
    const Pieces pieces{.extent = by_rows ? c.rows : c.cols, .count = shares};
    const std::int64_t begin = pieces.begin(index), size = pieces.size(index);
    Share share{.a = by_rows ? rows_or_columns(a, true, begin, size) : a,
                .b = by_rows ? b : rows_or_columns(b, false, begin, size),
                .c = rows_or_columns(c, by_rows, begin, size),
                .epilogue = epilogue};
    if (epilogue.residual.data) share.epilogue.residual = rows_or_columns(epilogue.residual, by_rows, begin, size);
    if (epilogue.bias && !by_rows) {
        const auto skipped = begin * static_cast<std::int64_t>(size_of(epilogue.bias_type));
        share.epilogue.bias = static_cast<const std::byte*>(epilogue.bias) + skipped;
        share.epilogue.bias_size = size;
    }
    return share;
}

Status multiply_on_devices(std::string_view backend, int devices, const Matrix& a, const Matrix& b, const Matrix& c,
                           const Options& options, MultiplyOnOne multiply_on_one) noexcept {
    const bool by_rows = cuts_rows(c, options.reproducible);
    const int shares = shares_of(c, by_rows, devices);
    const int threads = options.threads > 0 ? options.threads : default_threads();
    Turns turns(options.executor, threads);
    const DeviceLinks* const links = links_of(backend);
    std::optional<SharedOperand> shared;
    if (links && shares > 1) shared.emplace(*links, shares, by_rows);
    FirstFailure failure;
    auto run = [&](int index) noexcept {
        const Share share = share_of(a, b, c, options.epilogue, by_rows, shares, index);
        char device[64];
        std::snprintf(device, sizeof device, "%.*s:%d", static_cast<int>(backend.size()), backend.data(), index);
        Options one = options;
        one.device = device;
        one.epilogue = share.epilogue;
        one.threads = threads;
        if (shares > 1) one.executor = &turns.executor();
        const Sharing sharing{shared ? &*shared : nullptr, index};
        failure.note(multiply_on_one(share.a, share.b, share.c, one, sharing));
        sharing.leave();
    };
    using Run = decltype(run);
    if (run_on_device_threads(shares, [](void* self, int index) { (*static_cast<Run*>(self))(index); }, &run))
        return failure.status();
    shared.reset();  // one after another, none of them can wait for the next
    for (int index = 0; index < shares; ++index) run(index);
    return failure.status();
}

Status multiply_on_all_devices(const Matrix& a, const Matrix& b, const Matrix& c, const Options& options) noexcept {
    if (options.stream || !options.scratch.empty()) return one_devices_own;
    for (const Matrix* operand : {&a, &b, &c})
        if (place_of(operand->data) != Place::host) return on_one_already;
    const Backend* const backend = find_backend(backend_part(options.device));
    if (!backend) return no_backend;
    if (backend->devices() == 0) return no_devices;
    return multiply_on_devices(backend->name, backend->devices(), a, b, c, options, multiply_part);
}

}  // namespace tw
