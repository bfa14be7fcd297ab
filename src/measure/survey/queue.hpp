// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Where the survey's work is enqueued: a stream of a device, whose work can be recorded as a graph. On the host work is
// done at once.
#pragma once

#include <functional>
#include <memory>

#include "backend/contract.hpp"

namespace tw::cuda {
struct Replays;
}

namespace tw::measure {

class Queue {
public:
    /// `threads`: of the host's products.
    explicit Queue(const Backend& backend, int threads = 0);
    /// With other graphs than the backend's, or none (null).
    Queue(const Backend& backend, int threads, const cuda::Replays* replays);

    /// Call it first, on a device.
    Status open();
    void* stream() const { return stream_; }
    const Backend& backend() const { return backend_; }

    Status wait() const;

    /// Seconds of the wall clock, or of this thread if the host works with it alone: other programs may hold its core.
    double time() const;

    /// Copies between any places, after what is in the queue.
    Status copy(const Matrix& to, const Matrix& from) const;

    bool can_record() const;

    /// Records the work that `work` enqueues as a graph. If it fails there is no graph, and the queue is unchanged.
    Status record(const std::function<Status()>& work, std::shared_ptr<void>& graph) const;
    Status replay(const std::shared_ptr<void>& graph) const;

private:
    const Backend& backend_;
    int threads_;
    const cuda::Replays* replays_;
    void* stream_ = nullptr;
};

/// Memory of the queue's device, or of the host, freed by the destructor.
class Memory {
public:
    Memory() = default;
    Memory(const Backend& backend, std::size_t bytes);
    ~Memory();
    Memory(Memory&& other) noexcept;
    Memory& operator=(Memory&& other) noexcept;

    /// Null when there is not enough.
    std::byte* data() const { return data_; }
    std::size_t size() const { return size_; }

private:
    const Backend* backend_ = nullptr;
    std::byte* data_ = nullptr;
    std::size_t size_ = 0;
};

}  // namespace tw::measure
