// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Where the survey's work goes: a queue of a device, whose work can be recorded as a graph; on the host, at once.
#pragma once

#include <functional>
#include <memory>

#include "backend/contract.hpp"

namespace tw::measure {

class Queue {
public:
    explicit Queue(const Backend& backend) : backend_(backend) {}

    /// On a device, before anything else.
    Status open();
    void* stream() const { return stream_; }
    const Backend& backend() const { return backend_; }

    Status wait() const;

    /// From any place to any other, behind what is in the queue.
    Status copy(const Matrix& to, const Matrix& from) const;

    bool can_record() const;

    /// A graph of what the work gives the queue. When the work fails there is none, and the queue is as before.
    Status record(const std::function<Status()>& work, std::shared_ptr<void>& graph) const;
    Status replay(const std::shared_ptr<void>& graph) const;

private:
    const Backend& backend_;
    void* stream_ = nullptr;
};

/// Memory of the queue's device, or of the host, given back at the end of its life.
class Memory {
public:
    Memory() = default;
    Memory(const Backend& backend, std::size_t bytes);
    ~Memory();
    Memory(Memory&& other) noexcept;
    Memory& operator=(Memory&& other) noexcept;

    /// Null when there is not so much.
    std::byte* data() const { return data_; }
    std::size_t size() const { return size_; }

private:
    const Backend* backend_ = nullptr;
    std::byte* data_ = nullptr;
    std::size_t size_ = 0;
};

}  // namespace tw::measure
