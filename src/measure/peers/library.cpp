// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "measure/peers/library.hpp"

#include <dlfcn.h>
#if defined(__linux__)
#include <link.h>
#endif

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <utility>

#include "base/cpu_features.hpp"
#include "measure/peers/cublas.hpp"
#include "measure/peers/trial.hpp"

namespace tw::measure {
namespace {

constexpr int row_major = 101, no_transpose = 111;

/// A function by its plain name, or as the wheels spell it: scipy_NAME, NAME64_, scipy_NAME64_.
struct Symbol {
    void* address = nullptr;
    bool has_long_integers = false;
};

Symbol find_symbol(void* handle, const std::string& name) {
    for (const char* prefix : {"", "scipy_"})
        for (const char* suffix : {"", "64_"})
            if (void* address = dlsym(handle, (prefix + name + suffix).c_str())) return {address, *suffix != '\0'};
    return {};
}

template <class F>
F* function(void* handle, const std::string& name) {
    return reinterpret_cast<F*>(find_symbol(handle, name).address);
}

template <class T, class Int>
void call_cblas(void* address, const Matrix& a, const Matrix& b, const Matrix& c) {
    using Gemm = void(int, int, int, Int, Int, Int, T, const T*, Int, const T*, Int, T, T*, Int);
    const auto whole = [](std::int64_t x) { return static_cast<Int>(x); };
    reinterpret_cast<Gemm*>(address)(row_major, no_transpose, no_transpose, whole(c.rows), whole(c.cols), whole(a.cols),
                                     T{1}, static_cast<const T*>(a.data), whole(a.row_step),
                                     static_cast<const T*>(b.data), whole(b.row_step), T{0}, static_cast<T*>(c.data),
                                     whole(c.row_step));
}

template <class T>
std::function<bool(const Matrix&, const Matrix&, const Matrix&)> cblas(void* handle, const char* name) {
    const Symbol symbol = find_symbol(handle, name);
    if (!symbol.address) return {};
    return [symbol](const Matrix& a, const Matrix& b, const Matrix& c) {
        if (symbol.has_long_integers) call_cblas<T, std::int64_t>(symbol.address, a, b, c);
        else call_cblas<T, int>(symbol.address, a, b, c);
        return true;
    };
}

template <class T, class Int>
void call_cblas_batch(void* address, const Matrix& a, const Matrix& b, const Matrix& c, std::int64_t products) {
    using Gemm = void(int, int, int, Int, Int, Int, T, const T*, Int, Int, const T*, Int, Int, T, T*, Int, Int, Int);
    const auto whole = [](std::int64_t x) { return static_cast<Int>(x); };
    const auto size = [](const Matrix& one) { return static_cast<Int>(one.rows * one.row_step); };
    reinterpret_cast<Gemm*>(address)(row_major, no_transpose, no_transpose, whole(c.rows), whole(c.cols), whole(a.cols),
                                     T{1}, static_cast<const T*>(a.data), whole(a.row_step), size(a),
                                     static_cast<const T*>(b.data), whole(b.row_step), size(b), T{0},
                                     static_cast<T*>(c.data), whole(c.row_step), size(c), whole(products));
}

template <class T>
std::function<bool(const Matrix&, const Matrix&, const Matrix&, std::int64_t)> cblas_batch(void* handle,
                                                                                           const char* name) {
    const Symbol symbol = find_symbol(handle, name);
    if (!symbol.address) return {};
    return [symbol](const Matrix& a, const Matrix& b, const Matrix& c, std::int64_t products) {
        if (symbol.has_long_integers) call_cblas_batch<T, std::int64_t>(symbol.address, a, b, c, products);
        else call_cblas_batch<T, int>(symbol.address, a, b, c, products);
        return true;
    };
}

void describe_openblas(void* handle, PeerLibrary& library) {
    if (auto* config = function<const char*()>(handle, "openblas_get_config")) {
        const std::string text = config();  // "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH ..."
        const std::size_t start = text.find(' ') + 1;
        library.version = text.substr(start, text.find(' ', start) - start);
    }
    if (auto* core = function<const char*()>(handle, "openblas_get_corename")) library.core_type = core();
}

/// Asked before it is initialised, BLIS 0.9 ends the process when BLIS_ARCH_TYPE is set.
void describe_blis(void* handle, PeerLibrary& library) {
    if (auto* initialise = function<void()>(handle, "bli_init")) initialise();
    if (auto* version = function<const char*()>(handle, "bli_info_get_version_str")) library.version = version();
    auto* query = function<int()>(handle, "bli_arch_query_id");
    auto* name = function<const char*(int)>(handle, "bli_arch_string");
    if (query && name) library.core_type = name(query());
}

std::string isa_name(int isa) {
    constexpr std::pair<int, const char*> names[] = {{0x1, "sse41"},
                                                     {0x3, "avx"},
                                                     {0x7, "avx2"},
                                                     {0xf, "avx2_vnni"},
                                                     {0x1f, "avx2_vnni_2"},
                                                     {0x27, "avx512_core"},
                                                     {0x67, "avx512_core_vnni"},
                                                     {0xe7, "avx512_core_bf16"},
                                                     {0x1ef, "avx512_core_fp16"},
                                                     {0xfef, "avx512_core_amx"},
                                                     {0x1fef, "avx512_core_amx_fp16"}};
    for (const auto& [value, text] : names)
        if (value == isa) return text;
    char text[24];
    std::snprintf(text, sizeof text, "isa 0x%x", static_cast<unsigned>(isa));
    return text;
}

void describe_onednn(void* handle, PeerLibrary& library) {
    struct Version {
        int major, minor, patch;
    };
    if (auto* version = function<const Version*()>(handle, "dnnl_version"))
        library.version = std::to_string(version()->major) + "." + std::to_string(version()->minor) + "." +
                          std::to_string(version()->patch);
    if (auto* isa = function<int()>(handle, "dnnl_get_effective_cpu_isa")) library.core_type = isa_name(isa());
}

std::function<bool(const Matrix&, const Matrix&, const Matrix&)> onednn_sgemm(void* handle) {
    using Gemm = int(char, char, std::int64_t, std::int64_t, std::int64_t, float, const float*, std::int64_t,
                     const float*, std::int64_t, float, float*, std::int64_t);
    auto* gemm = function<Gemm>(handle, "dnnl_sgemm");
    if (!gemm) return {};
    return [gemm](const Matrix& a, const Matrix& b, const Matrix& c) {
        return gemm('N', 'N', c.rows, c.cols, a.cols, 1, static_cast<const float*>(a.data), a.row_step,
                    static_cast<const float*>(b.data), b.row_step, 0, static_cast<float*>(c.data), c.row_step) == 0;
    };
}

/// The code branch by its number in MKL's header of conditional numerical reproducibility.
std::string branch_name(int branch) {
    constexpr std::pair<int, const char*> names[] = {
        {3, "compatible"}, {4, "SSE2"},  {6, "SSSE3"},        {7, "SSE4.1"},   {8, "SSE4.2"},
        {9, "AVX"},        {10, "AVX2"}, {11, "AVX-512 MIC"}, {12, "AVX-512"}, {14, "AVX-512 E1"}};
    for (const auto& [value, text] : names)
        if (value == branch) return text;
    return "branch " + std::to_string(branch);
}

void describe_mkl(void* handle, PeerLibrary& library) {
    if (auto* version = function<void(char*, int)>(handle, "MKL_Get_Version_String")) {
        char text[200] = {};
        version(text, sizeof text - 1);
        // "... Math Kernel Library Version 2024.0-Product Build ..."
        const std::string sentence = text;
        const std::size_t at = sentence.find("Version ");
        if (at != std::string::npos) library.version = sentence.substr(at + 8, sentence.find('-', at) - at - 8);
    }
    if (auto* branch = function<int()>(handle, "mkl_cbwr_get_auto_branch")) library.core_type = branch_name(branch());
}

void describe_libxsmm(void* handle, PeerLibrary& library) {
    if (auto* target = function<const char*()>(handle, "libxsmm_get_target_arch")) library.core_type = target();
}

/// By columns, as Fortran has it: C^T = B^T A^T. What is too large for it goes to the BLAS that it was built with.
template <class T>
std::function<bool(const Matrix&, const Matrix&, const Matrix&)> libxsmm(void* handle, const char* name) {
    using Gemm = void(const char*, const char*, const int*, const int*, const int*, const T*, const T*, const int*,
                      const T*, const int*, const T*, T*, const int*);
    auto* gemm = function<Gemm>(handle, name);
    if (!gemm) return {};
    return [gemm](const Matrix& a, const Matrix& b, const Matrix& c) {
        const auto m = static_cast<int>(c.cols), n = static_cast<int>(c.rows), k = static_cast<int>(a.cols);
        const auto lda = static_cast<int>(b.row_step), ldb = static_cast<int>(a.row_step),
                   ldc = static_cast<int>(c.row_step);
        const T one = 1, zero = 0;
        gemm("N", "N", &m, &n, &k, &one, static_cast<const T*>(b.data), &lda, static_cast<const T*>(a.data), &ldb,
             &zero, static_cast<T*>(c.data), &ldc);
        return true;
    };
}

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

std::string lower(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}

}  // namespace

int vector_bits(const std::string& core_type) {
    const std::string name = lower(core_type);
    for (const char* wide : {"skylakex", "cooperlake", "sapphirerapids", "skx", "knl", "zen4", "zen5"})
        if (name == wide) return 512;
    for (const char* middle : {"haswell", "zen", "zen2", "zen3", "excavator", "steamroller", "piledriver"})
        if (name == middle) return 256;
    for (const char* narrow :
         {"prescott", "core2", "penryn", "dunnington", "nehalem", "athlon", "opteron", "barcelona", "bobcat", "atom",
          "sandybridge", "bulldozer", "generic", "katmai", "northwood", "banias"})
        if (name == narrow) return 128;
    return 0;
}

std::string better_core_type(const std::string& peer, const std::string& detected, std::uint64_t features) {
    const int wanted = features & cpu_feature::avx512 ? 512 : features & cpu_feature::avx2 ? 256 : 128;
    const int has = vector_bits(detected);
    if (has == 0 || has >= wanted) return "";
    if (peer == "openblas") return wanted == 512 ? "SkylakeX" : "Haswell";
    if (peer == "blis") return wanted == 512 ? "skx" : "haswell";
    return "";
}

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
        if (name == "onednn") {
            describe_onednn(handle, library);
            library.f32 = onednn_sgemm(handle);
        } else if (name == "libxsmm") {
            describe_libxsmm(handle, library);
            library.f32 = libxsmm<float>(handle, "libxsmm_sgemm");
            library.f64 = libxsmm<double>(handle, "libxsmm_dgemm");
        } else if (name == "cublas") {
            open_cublas(handle, library);
        } else {
            if (name == "openblas") describe_openblas(handle, library);
            if (name == "blis") describe_blis(handle, library);
            if (name == "mkl") describe_mkl(handle, library);
            library.f32 = cblas<float>(handle, "cblas_sgemm");
            library.f64 = cblas<double>(handle, "cblas_dgemm");
            library.f32_batch = cblas_batch<float>(handle, "cblas_sgemm_batch_strided");
            library.f64_batch = cblas_batch<double>(handle, "cblas_dgemm_batch_strided");
        }
        const bool is_usable = library.f32 || library.f64;
        if (is_usable) library.trouble.clear();
        else if (library.trouble == "not found") library.trouble = "it opens, but has no function that multiplies";
        if (is_usable || !library.file.empty()) return library;
    }
    return library;
}

}  // namespace tw::measure
