// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// What a process finds out once: its features, its threads, its environment. Without a lock: a child that is forked
// while another thread holds one would wait for it for ever, and a function's static object has a hidden lock.
#pragma once

#include <atomic>
#include <new>

namespace tw {

/// Threads that ask at the same time may each work out the answer; one is published, and all of them get it.
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
    /// Not inlined: it runs once in a process, and would cost registers in every caller.
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

/// The same for an object, which is never freed.
template <class T>
class RememberedObject {
public:
    /// `fallback` is the answer where there is no memory for one.
    template <class Find>
    const T& get(Find find, const T& fallback) noexcept {
        const T* const found = pointer_.get([&] { return static_cast<const T*>(new (std::nothrow) T(find())); },
                                            [](const T* late) { delete late; });
        return found ? *found : fallback;
    }

private:
    Remembered<const T*> pointer_;
};

}  // namespace tw
