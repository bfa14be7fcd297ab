// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "measure/turns/openmp_region.hpp"

#include <dlfcn.h>

#include <atomic>
#include <initializer_list>

namespace tw::measure {
namespace {

/// The functions that compilers call for a region: GNU's interface, which LLVM's runtime has, too.
struct Runtime {
    void (*parallel)(void (*body)(void*), void* context, unsigned threads, unsigned flags) = nullptr;
    int (*thread_number)() = nullptr;

    Runtime() {
        for (const char* name : {"libgomp.so.1", "libomp.so.5", "libomp.so"}) {
            void* const handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
            if (!handle) continue;
            parallel = reinterpret_cast<decltype(parallel)>(dlsym(handle, "GOMP_parallel"));
            thread_number = reinterpret_cast<decltype(thread_number)>(dlsym(handle, "omp_get_thread_num"));
            if (is_whole()) return;
        }
    }
    bool is_whole() const { return parallel && thread_number; }
};

const Runtime& runtime_here() {
    static const Runtime runtime;
    return runtime;
}

struct Region {
    void (*call)(void*, int);
    void* context;
    int threads;
    std::atomic<int> done{0};
};

/// The current region, passed by atomics, since a thread sanitizer does not see how the runtime synchronises.
constinit std::atomic<Region*> under_way{nullptr};

void take_part(void*) {
    Region& region = *under_way.load(std::memory_order_acquire);
    if (const int thread = runtime_here().thread_number(); thread < region.threads) region.call(region.context, thread);
    ++region.done;
}

}  // namespace

bool has_openmp() { return runtime_here().is_whole(); }

bool run_in_region(int threads, void (*call)(void*, int), void* context) {
    if (!has_openmp()) return false;
    Region region{call, context, threads};
    under_way.store(&region, std::memory_order_release);
    runtime_here().parallel(take_part, nullptr, static_cast<unsigned>(threads), 0);
    return region.done == threads;
}

}  // namespace tw::measure
