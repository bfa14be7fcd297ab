// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "base/own_thread.hpp"

#include <pthread.h>
#include <signal.h>

#if defined(__linux__)
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstring>
#endif

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

#if defined(__linux__)

int own_thread_number() noexcept { return static_cast<int>(syscall(SYS_gettid)); }

int processor_at_hand() noexcept { return sched_getcpu(); }

bool keep_off(int thread, int processor) noexcept {
    cpu_set_t allowed;
    const auto one = static_cast<unsigned>(processor);
    if (thread <= 0 || processor < 0 || sched_getaffinity(thread, sizeof allowed, &allowed) != 0) return false;
    if (!CPU_ISSET(one, &allowed) || CPU_COUNT(&allowed) < 2) return false;
    CPU_CLR(one, &allowed);
    return sched_setaffinity(thread, sizeof allowed, &allowed) == 0;
}

void let_back(int processor) noexcept {
    cpu_set_t before, all, got;
    if (processor < 0 || sched_getaffinity(0, sizeof before, &before) != 0) return;
    CPU_SET(static_cast<unsigned>(processor), &before);
    // Who asks for all gets what the control group grants, now and when that changes. If that is more than the thread
    // had, somebody limited it on purpose.
    std::memset(&all, 0xff, sizeof all);
    const bool has_all = sched_setaffinity(0, sizeof all, &all) == 0 && sched_getaffinity(0, sizeof got, &got) == 0;
    if (!has_all || !CPU_EQUAL(&got, &before)) sched_setaffinity(0, sizeof before, &before);
}

#else

int own_thread_number() noexcept { return 0; }
int processor_at_hand() noexcept { return -1; }
bool keep_off(int, int) noexcept { return false; }
void let_back(int) noexcept {}

#endif

}  // namespace tw
