// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Work in items, shared out to whoever is free. Which worker does an item never changes its result.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "backend/contract.hpp"
#include "base/pace.hpp"
#include "base/threads.hpp"

namespace tw::cpu {

/// As many as have some microseconds' work each.
inline int workers_for(std::int64_t m, std::int64_t n, std::int64_t k, int threads) noexcept {
    if (threads <= 1) return 1;
    const double products = static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
    return static_cast<int>(std::clamp(products / pace().products_worth_a_thread(), 1.0, static_cast<double>(threads)));
}

/// From 0 for one thread to 1 for sixteen, with which prices of many threads were timed, and more.
inline double share_of_many(int workers) noexcept { return std::min(workers - 1, 15) / 15.0; }

/// Nanoseconds, over those of threads that work alone, that threads take which pack panels for one another and wait
/// behind each block of k.
inline double waiting_for_panels(std::int64_t k, int workers) noexcept {
    return 13 * static_cast<double>(k) * share_of_many(workers);
}

/// Items that wait for the workers. Each worker has a home of neighbouring items and helps in the others' when its own
/// is empty: who repeats a product meets the same operands again, which its own L2 has kept.
class Homes {
public:
    Homes(std::int64_t items, int workers) noexcept : count_(std::min(workers, most)) {
        for (int home = 0; home < count_; ++home) {
            homes_[home].next.store(items * home / count_, std::memory_order_relaxed);
            homes_[home].end = items * (home + 1) / count_;
        }
    }

    /// `at`: the home to look at first, and the one where an item was found; -1 when none is left.
    std::int64_t take(int& at) noexcept {
        for (std::uint32_t empty; (empty = empty_.load(std::memory_order_relaxed)) != all();) {
            if (!(empty >> at & 1)) {
                const std::int64_t item = homes_[at].next.fetch_add(1, std::memory_order_relaxed);
                if (item < homes_[at].end) return item;
                empty_.fetch_or(1u << at, std::memory_order_relaxed);
            }
            at = at + 1 < count_ ? at + 1 : 0;
        }
        return -1;
    }
    int home_of(int worker) const noexcept { return worker % count_; }

private:
    static constexpr int most = 32;
    struct alignas(64) Home {
        std::atomic<std::int64_t> next;
        std::int64_t end;
    };
    std::uint32_t all() const noexcept { return ~std::uint32_t{0} >> (most - count_); }

    const int count_;
    alignas(64) std::atomic<std::uint32_t> empty_{0};
    Home homes_[most];
};

/// Calls body(worker, item) once for each item; `worker` is below call.threads and names memory that is its own.
template <class Body>
void share_out(const Call& call, std::int64_t items, const Body& body) noexcept {
    const int workers = static_cast<int>(std::min<std::int64_t>(call.threads, items));
    if (workers <= 1) {
        for (std::int64_t item = 0; item < items; ++item) body(0, item);
        return;
    }
    if (items == workers) {  // nobody has anything to help with
        run_tasks(
            call.executor, workers, workers,
            [](void* context, int worker) { (*static_cast<const Body*>(context))(worker, worker); },
            const_cast<Body*>(&body));
        return;
    }
    struct Shared {
        const Body& body;
        Homes homes;
    } shared{body, Homes(items, workers)};
    run_tasks(
        call.executor, workers, workers,
        [](void* context, int worker) {
            auto& s = *static_cast<Shared*>(context);
            int at = s.homes.home_of(worker);
            for (std::int64_t item; (item = s.homes.take(at)) >= 0;) s.body(worker, item);
        },
        &shared);
}

}  // namespace tw::cpu
