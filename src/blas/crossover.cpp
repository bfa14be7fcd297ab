// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "blas/crossover.hpp"

#include <atomic>
#include <bit>
#include <chrono>
#include <limits>

namespace tw::blas {
namespace {

constexpr int smallest = 24;  // log2 of the multiplications

/// Products of one type whose sizes have one power of two.
struct Bucket {
    std::atomic<int> calls{0};
    std::atomic<double> on_cpu{0}, on_gpu{0};  // seconds; 0: not known yet, negative: it failed
};
Bucket buckets[2 * 64];

double now() noexcept {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::uint64_t multiplications(const Matrix& a, const Matrix& c) noexcept {
    std::uint64_t size = 0;
    if (__builtin_mul_overflow(static_cast<std::uint64_t>(c.rows), static_cast<std::uint64_t>(c.cols), &size) ||
        __builtin_mul_overflow(size, static_cast<std::uint64_t>(a.cols), &size))
        return std::numeric_limits<std::uint64_t>::max();
    return size;
}

}  // namespace

Crossing::Crossing(const Matrix& a, const Matrix& c) noexcept {
    const int size = static_cast<int>(std::bit_width(multiplications(a, c))) - 1;
    if (size < smallest) return;
    bucket_ = (a.type == Type::f64 ? 64 : 0) + size;
    Bucket& bucket = buckets[bucket_];
    const int call = bucket.calls.load(std::memory_order_relaxed) > 3 ? 4 : bucket.calls.fetch_add(1);
    const double cpu = bucket.on_cpu.load(), gpu = bucket.on_gpu.load();
    if (call == 0 || gpu < 0) {
        where_ = Where::cpu;
    } else if (call == 1) {
        where_ = Where::gpu_unmeasured;
    } else {
        where_ = call == 2 || cpu == 0 || (gpu != 0 && gpu < cpu) ? Where::gpu : Where::cpu;
    }
    measured_ = call == 0 || call == 2;
    started_ = measured_ ? now() : 0;
}

void Crossing::ended(bool well) noexcept {
    if (bucket_ < 0) return;
    Bucket& bucket = buckets[bucket_];
    if (!well && where_ != Where::cpu) return bucket.on_gpu.store(-1);
    if (measured_) (where_ == Where::cpu ? bucket.on_cpu : bucket.on_gpu).store(now() - started_);
}

}  // namespace tw::blas
