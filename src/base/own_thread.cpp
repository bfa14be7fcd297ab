// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "base/own_thread.hpp"

#include <pthread.h>
#include <signal.h>

#include <initializer_list>

namespace tw {
namespace {

/// While threads are made: a program's signals are for its own threads, which may wait for them with sigwait() or have
/// handlers that need more stack. What an instruction itself raises can't be left to another thread.
class SignalsBlocked {
public:
    SignalsBlocked() noexcept {
        sigset_t blocked;
        sigfillset(&blocked);
        for (const int raised_by_itself : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS})
            sigdelset(&blocked, raised_by_itself);
        pthread_sigmask(SIG_SETMASK, &blocked, &callers_);
    }
    ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &callers_, nullptr); }
    SignalsBlocked(const SignalsBlocked&) = delete;
    SignalsBlocked& operator=(const SignalsBlocked&) = delete;

private:
    sigset_t callers_;
};

}  // namespace

bool start_own_thread(void* (*work)(void*), void* argument, std::size_t stack_bytes) noexcept {
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) != 0) return false;
    const SignalsBlocked inherited;
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    if (stack_bytes > 0) pthread_attr_setstacksize(&attributes, stack_bytes);
    pthread_t thread;
    const bool has_started = pthread_create(&thread, &attributes, work, argument) == 0;
    pthread_attr_destroy(&attributes);
    return has_started;
}

}  // namespace tw
