// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// What a process finds out once: its features, its threads, its environment. Without a lock: a child forked while
// another thread holds one, the hidden one of a function's static object too, would wait for it for ever.
#pragma once

#include <atomic>

namespace tw {

/// Threads that ask first at the same time may each find the answer; one is published, and all get that one.
/// Objects of this class are constinit, at namespace scope.
template <class T, T unknown = T{}>
class Remembered {
public:
    /// `find` must not answer `unknown`, or it is asked again.
    template <class Find>
    T get(Find find) noexcept {
        return get(find, [](T) {});
    }

    /// As above; an answer that came too late is handed to `discard`.
    template <class Find, class Discard>
    T get(Find find, Discard discard) noexcept {
        const T known = answer_.load(std::memory_order_acquire);
        return known != unknown ? known : find_out(find, discard);
    }

private:
    /// Once in a process: not worth a register of those who ask each time.
    template <class Find, class Discard>
    [[gnu::noinline]] T find_out(Find find, Discard discard) noexcept {
        T known = unknown;
        const T found = find();
        if (answer_.compare_exchange_strong(known, found, std::memory_order_acq_rel, std::memory_order_acquire))
            return found;
        discard(found);
        return known;
    }

    std::atomic<T> answer_{unknown};
};

}  // namespace tw
