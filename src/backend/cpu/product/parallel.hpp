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

/// Calls body(worker, item) once for each item; `worker` is below call.threads and names memory that is its own.
template <class Body>
void share_out(const Call& call, std::int64_t items, const Body& body) noexcept {
    const int workers = static_cast<int>(std::min<std::int64_t>(call.threads, items));
    if (workers <= 1) {
        for (std::int64_t item = 0; item < items; ++item) body(0, item);
        return;
    }
    struct Shared {
        const Body& body;
        std::int64_t items;
        std::atomic<std::int64_t> next{0};
    } shared{body, items};
    run_tasks(
        call.executor, workers, workers,
        [](void* context, int worker) {
            auto& s = *static_cast<Shared*>(context);
            for (std::int64_t item; (item = s.next.fetch_add(1, std::memory_order_relaxed)) < s.items;)
                s.body(worker, item);
        },
        &shared);
}

}  // namespace tw::cpu
