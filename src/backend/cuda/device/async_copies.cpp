// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "backend/cuda/device/async_copies.hpp"

#include <cuda_runtime_api.h>

#include <atomic>
#include <utility>

#include "backend/cuda/device/calls.hpp"
#include "backend/cuda/device/device.hpp"
#include "backend/cuda/device/entry.hpp"
#include "backend/cuda/device/failure.hpp"
#include "backend/cuda/device/links.hpp"

namespace tw::cuda {
namespace {

/// What one thread keeps for its copies: streams and events belong to a device, the buffer to the process.
struct Kept {
    int device = -1;
    cudaStream_t there = nullptr, back = nullptr, across = nullptr;
    cudaEvent_t events[AsyncCopies::most_events]{};
    std::span<std::byte> buffer{};

    void forget_device() noexcept {
        for (cudaEvent_t& event : events)
            if (event && calls().destroy_event(std::exchange(event, nullptr)) != cudaSuccess) calls().last_error();
        for (cudaStream_t* stream : {&there, &back, &across})
            if (*stream && calls().destroy_stream(std::exchange(*stream, nullptr)) != cudaSuccess) calls().last_error();
    }
    void forget_buffer() noexcept {
        if (buffer.data() && calls().free_locked(buffer.data()) != cudaSuccess) calls().last_error();
        buffer = {};
    }
    ~Kept() {
        forget_device();
        forget_buffer();
    }
};
thread_local Kept kept;

/// Not ordered after the default stream, on which the kernels may be.
Status make_stream(cudaStream_t& stream) noexcept {
    return stream ? Status{} : status_of(calls().create_stream(&stream, cudaStreamNonBlocking), Step::order);
}

Status open(void*& there, void*& back) noexcept {
    int device = -1;
    if (const Status bad = status_of(calls().get_device(&device), Step::query); !bad) return bad;
    if (kept.device != device) kept.forget_device();
    kept.device = device;
    for (cudaStream_t* stream : {&kept.there, &kept.back})
        if (const Status bad = make_stream(*stream); !bad) return bad;
    there = kept.there, back = kept.back;
    return {};
}

Status open_across(void*& across) noexcept {
    const Status status = make_stream(kept.across);
    across = kept.across;
    return status;
}

Status event_of(int number, cudaEvent_t& event) noexcept {
    cudaEvent_t& mine = kept.events[number];
    const Status status = mine ? Status{} : status_of(calls().create_event(&mine, cudaEventDisableTiming), Step::order);
    event = mine;
    return status;
}

Status record(int number, void* stream) noexcept {
    cudaEvent_t event = nullptr;
    if (const Status bad = event_of(number, event); !bad) return bad;
    return status_of(calls().mark(event, static_cast<cudaStream_t>(stream)), Step::order);
}

/// An event that nobody has marked yet is one that has passed.
Status wait_for(void* stream, int number) noexcept {
    const cudaEvent_t event = kept.events[number];
    return event ? status_of(calls().follow(static_cast<cudaStream_t>(stream), event, 0), Step::order) : Status{};
}

bool has_passed(int number) noexcept {
    const cudaEvent_t event = kept.events[number];
    if (!event) return true;
    const cudaError_t error = calls().ask_event(event);
    if (error == cudaErrorNotReady) calls().last_error();
    return error != cudaErrorNotReady;
}

Status await(int number) noexcept {
    const cudaEvent_t event = kept.events[number];
    return event ? status_of(calls().wait_event(event), Step::wait) : Status{};
}

Status follow(void* stream, void* handle) noexcept {
    return status_of(calls().follow(static_cast<cudaStream_t>(stream), static_cast<cudaEvent_t>(handle), 0),
                     Step::order);
}

constexpr LinkCalls runtime_link_calls{cudaDeviceCanAccessPeer, cudaDeviceEnablePeerAccess};
std::atomic<const LinkCalls*> link_calls{&runtime_link_calls};

/// Devices of one host that are linked map each other's memory once they are asked to.
bool reaches(int other) noexcept {
    const LinkCalls& links = *link_calls.load(std::memory_order_relaxed);
    int mine = -1, can = 0;
    cudaError_t error = calls().get_device(&mine);
    if (error == cudaSuccess) error = links.can_reach(&can, mine, other);
    if (error == cudaSuccess && can) error = links.reach(other, 0);
    if (error != cudaSuccess) calls().last_error();
    return can && (error == cudaSuccess || error == cudaErrorPeerAccessAlreadyEnabled);
}

bool is_page_locked(const void* memory) noexcept {
    cudaPointerAttributes attributes{};
    if (calls().pointer_attributes(&attributes, memory) == cudaSuccess) return attributes.type == cudaMemoryTypeHost;
    calls().last_error();
    return false;
}

std::span<std::byte> page_locked_buffer(std::size_t bytes) noexcept {
    if (kept.buffer.size() >= bytes) return kept.buffer;
    kept.forget_buffer();
    void* memory = nullptr;
    if (!status_of(calls().alloc_locked(&memory, bytes, cudaHostAllocPortable), Step::allocate)) return {};
    return kept.buffer = {static_cast<std::byte*>(memory), bytes};
}

}  // namespace

const AsyncCopies async_copies{
    .free_bytes = [](void* stream) { return scratch_available(stream); },
    .is_page_locked = [](const void* memory) { return is_page_locked(memory); },
    .page_locked_buffer = [](std::size_t bytes) { return page_locked_buffer(bytes); },
    .open = [](void*& there, void*& back) { return open(there, back); },
    .record = [](int event, void* stream) { return record(event, stream); },
    .wait_for = [](void* stream, int event) { return wait_for(stream, event); },
    .has_passed = [](int event) { return has_passed(event); },
    .await = [](int event) { return await(event); },
};

const DeviceLinks device_links{
    .open = [](void*& across) { return open_across(across); },
    .handle_of = [](int event) -> void* { return kept.events[event]; },
    .follow = [](void* stream, void* handle) { return follow(stream, handle); },
    .reaches = [](int device) { return reaches(device); },
};

void replace_link_calls(const LinkCalls* table) noexcept { link_calls = table ? table : &runtime_link_calls; }

}  // namespace tw::cuda

extern "C" TW_API const tw::DeviceLinks* tilewright_cuda_links(unsigned long long stamp) noexcept {
    return stamp == tw::cuda::contract_stamp ? &tw::cuda::device_links : nullptr;
}
