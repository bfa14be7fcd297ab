// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "measure/peers/library.hpp"

#include <dlfcn.h>
#if defined(__linux__)
#include <link.h>
#include <sched.h>
#endif

#include <cstdlib>
#include <string_view>

#include "measure/peers/cblas.hpp"
#include "measure/peers/cublas.hpp"
#include "measure/peers/libxsmm.hpp"
#include "measure/peers/neighbours.hpp"
#include "measure/peers/onednn.hpp"
#include "measure/peers/trial.hpp"

namespace tw::measure {
namespace {

std::string path_of(void* handle, const std::string& otherwise) {
#if defined(__linux__)
    link_map* map = nullptr;
    if (dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 && map && map->l_name && *map->l_name) return map->l_name;
#else
    (void)handle;
#endif
    return otherwise;
}

void set(const char* name, const std::string& value) { setenv(name, value.c_str(), 1); }

void set_threads(int threads) {
    for (const char* name :
         {"OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "GOTO_NUM_THREADS", "BLIS_NUM_THREADS", "MKL_NUM_THREADS"})
        set(name, std::to_string(threads));
    set("OMP_DYNAMIC", "FALSE");
    set("MKL_DYNAMIC", "FALSE");
}

/// TBB, which some builds of oneDNN share their work by, has as many threads as its process has processors.
void stay_on_few_processors(int threads) {
#if defined(__linux__)
    cpu_set_t allowed, few{};
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
    for (int cpu = CPU_SETSIZE - 1, left = threads; cpu >= 0 && left > 0; --cpu)
        if (CPU_ISSET(cpu, &allowed)) CPU_SET(cpu, &few), --left;
    sched_setaffinity(0, sizeof few, &few);
#else
    (void)threads;
#endif
}

}  // namespace

void describe_peer(const PeerKind& kind, void* handle, PeerLibrary& library) {
    const std::string name = kind.name;
    if (name == "openblas") open_openblas(handle, library);
    else if (name == "blis") open_blis(handle, library);
    else if (name == "mkl") open_mkl(handle, library);
    else if (name == "onednn") open_onednn(handle, library);
    else if (name == "libxsmm") open_libxsmm(handle, library);
    else if (name == "cublas") open_cublas(handle, library);
}

PeerLibrary open_peer(const PeerKind& kind, int threads) {
    PeerLibrary library;
    set_threads(threads);
    if (kind.name == std::string_view("onednn")) stay_on_few_processors(threads);
    library.trouble = "not found";
    for (const PeerCandidate& candidate : newest_first(kind, peer_candidates(kind))) {
        correct_core_type(kind, candidate.file);
        std::string why;
        void* handle = open_with_neighbours(candidate.file, why);
        if (!handle) {
            if (candidate.found_by != "the loader") library.trouble = why;
            continue;
        }
        library.file = path_of(handle, candidate.file);
        library.found_by = candidate.found_by;
        describe_peer(kind, handle, library);
        if (library.f32 || library.f64) library.trouble.clear();
        else if (library.trouble == "not found") library.trouble = "it opens, but has no function that multiplies";
        return library;
    }
    return library;
}

}  // namespace tw::measure
