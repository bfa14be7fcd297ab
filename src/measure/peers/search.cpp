// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "measure/peers/search.hpp"

#include <glob.h>

#include <algorithm>

#include "base/environment.hpp"

namespace tw::measure {
namespace {

std::vector<std::string> matches(const std::string& pattern) {
    std::vector<std::string> found;
    glob_t result{};
    if (glob(pattern.c_str(), 0, nullptr, &result) == 0)
        for (std::size_t i = 0; i < result.gl_pathc; ++i) found.emplace_back(result.gl_pathv[i]);
    globfree(&result);
    return found;
}

void append(std::vector<std::string>& all, const std::vector<std::string>& more) {
    for (const std::string& one : more)
        if (std::find(all.begin(), all.end(), one) == all.end()) all.push_back(one);
}

}  // namespace

const std::vector<PeerKind>& peer_kinds() {
    static const std::vector<PeerKind> kinds{
        {"openblas",
         "TW_PEER_OPENBLAS",
         "cpu",
         {"libopenblas.so.0", "libopenblas.so", "libopenblas.0.dylib", "libopenblas.dylib"},
         {"scipy_openblas32/lib/libscipy_openblas*.so*", "scipy_openblas64/lib/libscipy_openblas*.so*",
          "numpy.libs/lib*openblas*.so*", "scipy.libs/lib*openblas*.so*"}},
        {"blis",
         "TW_PEER_BLIS",
         "cpu",
         {"libblis.so.4", "libblis.so.5", "libblis-mt.so", "libblis.so", "libblis.4.dylib", "libblis.dylib"},
         {"blis/lib*blis*.so*", "../../libblis*.so*"}},
        {"onednn",
         "TW_PEER_ONEDNN",
         "cpu",
         {"libdnnl.so.3", "libdnnl.so.2", "libdnnl.so", "libdnnl.dylib"},
         {"../../libdnnl.so.3*", "onednn*/lib/libdnnl.so*"}},
        {"mkl",
         "TW_PEER_MKL",
         "cpu",
         {"libmkl_rt.so.3", "libmkl_rt.so.2", "libmkl_rt.so"},
         {"../../libmkl_rt.so*", "mkl/lib/libmkl_rt.so*"}},
        {"libxsmm",
         "TW_PEER_LIBXSMM",
         "cpu",
         {"libxsmm.so.2", "libxsmm.so.1", "libxsmm.so", "libxsmm.dylib"},
         {"../../libxsmm.so*", "libxsmm/lib/libxsmm.so*"}},
        {"cublas",
         "TW_PEER_CUBLAS",
         "cuda",
         {"libcublas.so.13", "libcublas.so.12", "libcublas.so"},
         {"nvidia/cu13/lib/libcublas.so.*", "nvidia/cublas/lib/libcublas.so.*"}},
    };
    return kinds;
}

const PeerKind* find_peer_kind(std::string_view name) {
    for (const PeerKind& kind : peer_kinds())
        if (name == kind.name) return &kind;
    return nullptr;
}

std::vector<std::string> python_package_folders() {
    std::vector<std::string> prefixes;
    if (const char* active = environment("VIRTUAL_ENV")) prefixes.emplace_back(active);
    if (const char* conda = environment("CONDA_PREFIX")) prefixes.emplace_back(conda);
    if (const char* home = environment("HOME")) prefixes.push_back(std::string(home) + "/.local");
    prefixes.insert(prefixes.end(), {"/usr/local", "/usr", "/opt/homebrew"});
    std::vector<std::string> folders;
    for (const std::string& prefix : prefixes)
        for (const char* below :
             {"/lib/python3*/site-packages", "/lib/python3*/dist-packages", "/lib64/python3*/site-packages"})
            append(folders, matches(prefix + below));
    return folders;
}

std::vector<PeerCandidate> peer_candidates(const PeerKind& kind) {
    if (const char* path = environment(kind.variable)) return {{path, kind.variable}};
    std::vector<PeerCandidate> candidates;
    for (const std::string& name : kind.sonames) candidates.push_back({name, "the loader"});
    if (kind.device == std::string_view("cuda"))
        for (const std::string& name : kind.sonames)
            for (const std::string& file : matches("/usr/local/cuda/lib64/" + name))
                candidates.push_back({file, "CUDA's toolkit"});
    for (const std::string& folder : python_package_folders())
        for (const std::string& pattern : kind.in_packages)
            for (const std::string& file : matches(folder + "/" + pattern))
                candidates.push_back({file, "Python's packages"});
    return candidates;
}

}  // namespace tw::measure
