// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "backend/cuda/device/graph_memory.hpp"

#include <atomic>
#include <new>

#include "backend/cuda/device/calls.hpp"
#include "backend/cuda/device/device.hpp"

namespace tw::cuda {
namespace {

/// CUDA forbids its own calls in the function that it tells of a lost graph. So that one only puts the memory on this
/// list, which the next allocation empties.
struct Lost {
    void* memory;
    Lost* next;
};
std::atomic<Lost*> lost{nullptr};

void CUDART_CB on_loss(void* held) {
    auto* one = static_cast<Lost*>(held);
    one->next = lost.load(std::memory_order_relaxed);
    while (!lost.compare_exchange_weak(one->next, one, std::memory_order_release, std::memory_order_relaxed)) {
    }
}

}  // namespace

Capture capture_of(void* stream) noexcept {
    cudaStreamCaptureStatus status{};
    Capture found;
    if (calls().capture_info(static_cast<cudaStream_t>(stream), &status, &found.id, &found.graph) == cudaSuccess)
        return status == cudaStreamCaptureStatusActive ? found : Capture{};
    calls().last_error();
    return {};
}

void* allocate_for(const Capture& capture, std::size_t bytes) noexcept {
    auto* one = new (std::nothrow) Lost{allocate(bytes), nullptr};
    if (!one) return nullptr;
    void* memory = one->memory;
    cudaUserObject_t object{};
    if (!memory ||
        calls().create_user_object(&object, one, on_loss, 1, cudaUserObjectNoDestructorSync) != cudaSuccess) {
        release(memory);
        delete one;
        calls().last_error();
        return nullptr;
    }
    if (calls().retain_user_object(capture.graph, object, 1, cudaGraphUserObjectMove) == cudaSuccess) return memory;
    calls().last_error();
    calls().release_user_object(object, 1);  // the last reference: on_loss has the memory
    return nullptr;
}

void free_memory_of_lost_graphs() noexcept {
    for (Lost* one = lost.exchange(nullptr, std::memory_order_acquire); one;) {
        Lost* next = one->next;
        release(one->memory);
        delete one;
        one = next;
    }
}

}  // namespace tw::cuda
