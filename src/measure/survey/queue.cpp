// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "measure/survey/queue.hpp"

#include <cstdlib>
#include <utility>

#include "backend/cuda/backend.hpp"
#include "backend/cuda/device/replays.hpp"
#include "measure/basis/clock.hpp"
#include "plan/operands.hpp"

namespace tw::measure {
namespace {

constexpr std::size_t page = 4096;

/// Null for every backend but CUDA's.
const cuda::Replays* replays_of(const Backend& backend) {
    return &backend == &cuda::backend() ? cuda::replays() : nullptr;
}

}  // namespace

Queue::Queue(const Backend& backend, int threads) : Queue(backend, threads, replays_of(backend)) {}
Queue::Queue(const Backend& backend, int threads, const cuda::Replays* replays)
    : backend_(backend), threads_(threads), replays_(replays) {}

Status Queue::open() {
    if (!backend_.async_copies) return {};
    void* back = nullptr;
    return backend_.async_copies->open(stream_, back);
}

Status Queue::wait() const { return backend_.wait ? backend_.wait(stream_) : Status{}; }

double Queue::time() const { return clock_of(backend_.place, threads_)(); }

Status Queue::copy(const Matrix& to, const Matrix& from) const {
    if (backend_.copy) return backend_.copy(to, from, stream_);
    convert(to, from);
    return {};
}

bool Queue::can_record() const { return stream_ && replays_; }

Status Queue::record(const std::function<Status()>& work, std::shared_ptr<void>& graph) const {
    const cuda::Replays* replays = replays_;
    if (!replays) return {Code::unsupported, Argument::none, "no graphs on this device"};
    if (const Status bad = replays->record(stream_); !bad) return bad;
    const Status done = work();
    void* made = nullptr;
    const Status ended = replays->end(stream_, made);
    std::shared_ptr<void> kept(made, [replays](void* one) { replays->drop(one); });
    if (!done || !ended) return done ? ended : done;
    graph = std::move(kept);
    return {};
}

Status Queue::replay(const std::shared_ptr<void>& graph) const { return replays_->replay(graph.get(), stream_); }

Memory::Memory(const Backend& backend, std::size_t bytes) : backend_(&backend), size_(bytes) {
    data_ = static_cast<std::byte*>(backend.alloc ? backend.alloc(bytes)
                                                  : std::aligned_alloc(page, (bytes + page - 1) / page * page));
    if (!data_) size_ = 0;
}

Memory::~Memory() {
    if (!data_) return;
    if (backend_->free) backend_->free(data_);
    else std::free(data_);
}

Memory::Memory(Memory&& other) noexcept
    : backend_(other.backend_), data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

Memory& Memory::operator=(Memory&& other) noexcept {
    std::swap(backend_, other.backend_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
}

}  // namespace tw::measure
