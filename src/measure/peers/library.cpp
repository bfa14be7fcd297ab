// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "measure/peers/library.hpp"

#include <dlfcn.h>
#if defined(__linux__)
#include <link.h>
#endif

#include <cstdlib>

#include "measure/peers/cblas.hpp"
#include "measure/peers/cublas.hpp"
#include "measure/peers/libxsmm.hpp"
#include "measure/peers/onednn.hpp"
#include "measure/peers/trial.hpp"

namespace tw::measure {
namespace {

std::string path_of(void* handle, const std::string& otherwise) {
#if defined(__linux__)
    link_map* map = nullptr;
    if (dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 && map && *map->l_name) return map->l_name;
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

PeerLibrary open_peer(const PeerKind& kind, int threads) {
    PeerLibrary library;
    set_threads(threads);
    library.trouble = "not found";
    for (const PeerCandidate& candidate : peer_candidates(kind)) {
        correct_core_type(kind, candidate.file);
        void* handle = dlopen(candidate.file.c_str(), RTLD_NOW | RTLD_LOCAL);
        if (!handle) {
            const char* why = dlerror();
            if (candidate.found_by != "the loader") library.trouble = why ? why : "it does not open";
            continue;
        }
        library.file = path_of(handle, candidate.file);
        library.found_by = candidate.found_by;
        const std::string name = kind.name;
        if (name == "openblas") open_openblas(handle, library);
        else if (name == "blis") open_blis(handle, library);
        else if (name == "mkl") open_mkl(handle, library);
        else if (name == "onednn") open_onednn(handle, library);
        else if (name == "libxsmm") open_libxsmm(handle, library);
        else if (name == "cublas") open_cublas(handle, library);
        const bool is_usable = library.f32 || library.f64;
        if (is_usable) library.trouble.clear();
        else if (library.trouble == "not found") library.trouble = "it opens, but has no function that multiplies";
        if (is_usable || !library.file.empty()) return library;
    }
    return library;
}

}  // namespace tw::measure
