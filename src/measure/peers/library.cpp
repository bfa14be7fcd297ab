// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "measure/peers/library.hpp"

#include <dlfcn.h>
#if defined(__linux__)
#include <link.h>
#endif

#include <cstdlib>
#include <string_view>

#include "measure/basis/places.hpp"
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
    // TBB, which some builds of oneDNN share their work by, has as many threads as its process has processors.
    const bool has_places =
        kind.device == std::string_view("cpu") && (threads > 1 || kind.name == std::string_view("onednn"));
    if (has_places) take_places(threads);
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
        if (has_places) take_first_place(handle, threads);
        library.processors = processors_here();
        if (library.f32 || library.f64) library.trouble.clear();
        else if (library.trouble == "not found") library.trouble = "it opens, but has no function that multiplies";
        return library;
    }
    return library;
}

}  // namespace tw::measure
