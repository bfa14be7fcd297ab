// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// What the library shows to door.cpp.
#include <mutex>

#include "backend/metal/on_linux/check_file.hpp"
#include "backend/metal/on_linux/door.hpp"
#include "backend/metal/on_linux/executor.hpp"
#include "backend/metal/on_linux/modules.hpp"
#include "base/environment.hpp"

namespace tw::metal_check {
namespace {

constexpr Status unknown_kernel{Code::device_failed, Argument::none,
                                "the Metal executor was built without this kernel"};
constexpr Status faults{Code::device_failed, Argument::none,
                        "the Metal executor found faults in this kernel: tw metal-check tells which"};

std::mutex last_mutex;
LastRun& last() {
    static LastRun run;
    return run;
}

Status launch(const metal::Launch& wanted) {
    const Family* family = find_family(wanted.family);
    if (!family) return unknown_kernel;
    const char* mode = environment("TW_METAL_CHECK");
    const bool checked = !mode || std::string_view(mode) != "plain";
    metal::Parameters parameters = wanted.parameters;
    const Bound buffers[] = {{const_cast<void*>(wanted.a), wanted.a_bytes},
                             {const_cast<void*>(wanted.b), wanted.b_bytes},
                             {wanted.c, wanted.c_bytes},
                             {&parameters, sizeof parameters}};
    Request request;
    request.module = checked ? family->checked : family->plain;
    request.kernel = wanted.function;
    request.buffers = buffers;
    request.grid = {wanted.groups_x * wanted.threads_x, wanted.groups_y * wanted.threads_y, 1};
    request.threads = {wanted.threads_x, wanted.threads_y, 1};
    request.checked = checked;
    Outcome outcome = execute(request);
    const bool clean = outcome.findings.empty();
    const std::lock_guard lock(last_mutex);
    last() = {wanted.function, std::move(outcome)};
    return clean ? Status{} : faults;
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
