// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Graphs by the driver's own functions, found through the table of calls.
#include "backend/cuda/device/replays.hpp"

#include <cuda.h>

#include "backend/cuda/device/calls.hpp"
#include "backend/cuda/device/entry.hpp"
#include "backend/cuda/device/failure.hpp"

namespace tw::cuda {
namespace {

struct Driver {
    decltype(&cuStreamBeginCapture) record = nullptr;
    decltype(&cuStreamEndCapture) end = nullptr;
    decltype(&cuGraphInstantiateWithFlags) instantiate = nullptr;
    decltype(&cuGraphLaunch) replay = nullptr;
    decltype(&cuGraphDestroy) destroy = nullptr;
    decltype(&cuGraphExecDestroy) drop = nullptr;
};

template <class Function>
Status find(const char* name, Function& function) noexcept {
    void* entry = nullptr;
    cudaDriverEntryPointQueryResult answer{};
    constexpr unsigned since = 12000;
    const cudaError_t error = calls().driver_entry(name, &entry, since, cudaEnableDefault, &answer);
    if (const Status bad = status_of(error, Step::order); !bad) return bad;
    if (answer != cudaDriverEntryPointSuccess || !entry) return status_of(cudaErrorInsufficientDriver, Step::order);
    function = reinterpret_cast<Function>(entry);
    return {};
}

Status find_all(Driver& driver) noexcept {
    if (const Status bad = find("cuStreamBeginCapture", driver.record); !bad) return bad;
    if (const Status bad = find("cuStreamEndCapture", driver.end); !bad) return bad;
    if (const Status bad = find("cuGraphInstantiateWithFlags", driver.instantiate); !bad) return bad;
    if (const Status bad = find("cuGraphLaunch", driver.replay); !bad) return bad;
    if (const Status bad = find("cuGraphDestroy", driver.destroy); !bad) return bad;
    return find("cuGraphExecDestroy", driver.drop);
}

/// The runtime's errors have the driver's numbers.
Status status_of_driver(CUresult result) noexcept { return status_of(static_cast<cudaError_t>(result), Step::order); }

Status record(void* queue) noexcept {
    Driver driver;
    if (const Status bad = find_all(driver); !bad) return bad;
    return status_of_driver(driver.record(static_cast<CUstream>(queue), CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
}

Status end(void* queue, void*& recorded) noexcept {
    recorded = nullptr;
    Driver driver;
    if (const Status bad = find_all(driver); !bad) return bad;
    CUgraph graph = nullptr;
    CUgraphExec ready = nullptr;
    if (const Status bad = status_of_driver(driver.end(static_cast<CUstream>(queue), &graph)); !bad) return bad;
    const Status made = status_of_driver(driver.instantiate(&ready, graph, 0));
    if (graph) driver.destroy(graph);
    recorded = ready;
    return made;
}

Status replay(void* recorded, void* queue) noexcept {
    Driver driver;
    if (const Status bad = find("cuGraphLaunch", driver.replay); !bad) return bad;
    return status_of_driver(driver.replay(static_cast<CUgraphExec>(recorded), static_cast<CUstream>(queue)));
}

void drop(void* recorded) noexcept {
    Driver driver;
    if (recorded && find("cuGraphExecDestroy", driver.drop)) driver.drop(static_cast<CUgraphExec>(recorded));
}

constexpr Replays door{
    .record = [](void* queue) { return record(queue); },
    .end = [](void* queue, void*& recorded) { return end(queue, recorded); },
    .replay = [](void* recorded, void* queue) { return replay(recorded, queue); },
    .drop = [](void* recorded) { drop(recorded); },
};

}  // namespace
}  // namespace tw::cuda

extern "C" TW_API const tw::cuda::Replays* tilewright_cuda_replays(unsigned long long stamp) noexcept {
    return stamp == tw::cuda::contract_stamp ? &tw::cuda::door : nullptr;
}
