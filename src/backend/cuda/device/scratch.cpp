// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "backend/cuda/device/scratch.hpp"

#include <algorithm>

#include "backend/cuda/device/calls.hpp"
#include "backend/cuda/device/device.hpp"
#include "backend/cuda/device/failure.hpp"
#include "backend/cuda/device/graph_memory.hpp"

namespace tw::cuda {
namespace {

constexpr std::size_t bytes_beside = most_counters * sizeof(unsigned) + most_mailboxes * sizeof(std::uint64_t);

/// Of a block with so much scratch, with what lies beside it: whole units of 2 MiB, as the driver hands them out.
std::size_t block_bytes(std::size_t scratch) noexcept {
    constexpr std::size_t unit = std::size_t{1} << 21;
    return (std::max<std::size_t>(scratch + bytes_beside, 1) + unit - 1) / unit * unit;
}

struct Kept {
    void* stream;
    int device;
    unsigned long long capture;  ///< 0: of no capture, the thread's own
    std::span<std::byte> memory;
};

/// What this thread knows of device memory: one block for each stream, since products on two streams may overlap.
template <bool of_graphs>
struct KeptBlocks {
    static constexpr int most = 8;
    Kept blocks[most]{};
    unsigned oldest = 0;

    Kept* find(void* stream, int device, unsigned long long capture) noexcept {
        for (Kept& one : blocks)
            if (one.stream == stream && one.device == device && one.capture == capture && one.memory.data())
                return &one;
        return nullptr;
    }
    Kept& of(void* stream, int device, unsigned long long capture) noexcept {
        if (Kept* found = find(stream, device, capture)) return *found;
        for (Kept& one : blocks)
            if (!one.memory.data()) return one = {stream, device, capture, {}};
        Kept& taken = blocks[oldest++ % most];
        let_go(taken);
        return taken = {stream, device, capture, {}};
    }
    /// A graph's memory is the graph's to free.
    static void let_go(Kept& one) noexcept {
        if (!of_graphs) release(one.memory.data());
        one.memory = {};
    }
    ~KeptBlocks() {
        for (Kept& one : blocks) let_go(one);
    }
};
thread_local KeptBlocks<false> kept;
thread_local KeptBlocks<true> captured;  // apart, so that a capture lets nothing go

/// Zeros where counters and mailboxes are; while captured, a node of the graph that each replay begins with.
Status clear_beside(std::byte* memory, std::size_t bytes, void* stream) noexcept {
    return status_of(calls().clear(memory + bytes - bytes_beside, 0, bytes_beside, static_cast<cudaStream_t>(stream)),
                     Step::clear);
}

/// The newest block of the stream: of its capture, where it is captured.
Kept* newest(void* stream) noexcept {
    int device = 0;
    if (calls().get_device(&device) != cudaSuccess) return nullptr;
    const unsigned long long capture = capture_of(stream).id;
    return capture ? captured.find(stream, device, capture) : kept.find(stream, device, 0);
}

}  // namespace

std::span<std::byte> kept_scratch(std::size_t bytes, void* stream) noexcept {
    int device = 0;
    if (calls().get_device(&device) != cudaSuccess) return {};
    const Capture capture = capture_of(stream);
    Kept& mine = capture.id ? captured.of(stream, device, capture.id) : kept.of(stream, device, 0);
    if (mine.memory.data() && mine.memory.size() >= bytes) return mine.memory;
    capture.id ? captured.let_go(mine) : kept.let_go(mine);
    free_memory_of_lost_graphs();
    const std::size_t whole = block_bytes(bytes);
    auto* memory = static_cast<std::byte*>(capture.id ? allocate_for(capture, whole) : allocate(whole));
    if (!memory) return {};
    if (!clear_beside(memory, whole, stream) || (!capture.id && !wait(stream))) {
        if (!capture.id) release(memory);
        return {};
    }
    return mine.memory = {memory, whole - bytes_beside};
}

std::size_t kept_bytes(void* stream, int device) noexcept {
    const Kept* mine = kept.find(stream, device, 0);
    return mine ? mine->memory.size() : 0;
}

unsigned* kept_counters(void* stream) noexcept {
    const Kept* mine = newest(stream);
    return mine ? reinterpret_cast<unsigned*>(mine->memory.data() + mine->memory.size()) : nullptr;
}

std::uint64_t* kept_mailboxes(void* stream) noexcept {
    unsigned* counters = kept_counters(stream);
    return counters ? reinterpret_cast<std::uint64_t*>(counters + most_counters) : nullptr;
}

}  // namespace tw::cuda
