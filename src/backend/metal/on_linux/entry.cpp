// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// What the library shows to door.cpp.
#include <array>
#include <cstdlib>
#include <mutex>

#include "backend/metal/on_linux/check_file.hpp"
#include "backend/metal/on_linux/door.hpp"
#include "backend/metal/on_linux/machine/executor.hpp"
#include "backend/metal/on_linux/modules.hpp"
#include "base/environment.hpp"

namespace tw::metal_check {
namespace {

constexpr Status unknown_kernel{Code::device_failed, Argument::none,
                                "the Metal executor was built without this kernel"};
constexpr Status faults{Code::device_failed, Argument::none,
                        "the Metal executor found faults in this kernel: tw metal-check shows them"};

std::mutex last_mutex;
LastRun& last() {
    static LastRun run;
    return run;
}

/// TW_METAL_SEED shuffles the order of threads; 0 or unset: in order.
unsigned seed() {
    const char* word = environment("TW_METAL_SEED");
    return word ? static_cast<unsigned>(std::strtoul(word, nullptr, 10)) : 0;
}

Status launch_one(const metal::Dispatch& wanted, LastRun& run) {
    const Family* family = find_family(wanted.family);
    if (!family) return unknown_kernel;
    const char* mode = environment("TW_METAL_CHECK");
    const bool checked = !mode || std::string_view(mode) != "plain";
    std::array<Bound, std::tuple_size_v<decltype(wanted.arguments)>> buffers;
    for (std::size_t i = 0; i < buffers.size(); ++i)
        buffers[i] = {const_cast<void*>(wanted.arguments[i].data), wanted.arguments[i].bytes};
    Request request;
    request.module = checked ? family->checked : family->plain;
    request.kernel = wanted.function;
    request.buffers = buffers;
    request.grid = {wanted.groups_x * wanted.threads_x, wanted.groups_y * wanted.threads_y, 1};
    request.threads = {wanted.threads_x, wanted.threads_y, 1};
    request.checked = checked;
    request.seed = seed();
    Outcome outcome = execute(request);
    run.function = wanted.function;
    run.outcome.counters += outcome.counters;
    run.outcome.seconds += outcome.seconds;
    for (Finding& finding : outcome.findings) run.outcome.findings.push_back(std::move(finding));
    return run.outcome.findings.empty() ? Status{} : faults;
}

Status launch(std::span<const metal::Dispatch> dispatches) {
    LastRun run;
    Status status;
    for (const metal::Dispatch& dispatch : dispatches)
        if (status) status = launch_one(dispatch, run);
    const std::lock_guard lock(last_mutex);
    last() = std::move(run);
    return status;
}

void last_run(LastRun& out) {
    const std::lock_guard lock(last_mutex);
    out = last();
}

constexpr Door way{launch, last_run, check_file};

}  // namespace

const Family* find_family(std::string_view name) noexcept {
    for (const Family& family : families())
        if (family.name == name) return &family;
    return nullptr;
}

}  // namespace tw::metal_check

extern "C" __attribute__((visibility("default"))) const tw::metal_check::Door* tw_metal_check_door(unsigned stamp) {
    return stamp == tw::metal_check::door_stamp ? &tw::metal_check::way : nullptr;
}
