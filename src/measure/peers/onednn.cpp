// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "measure/peers/onednn.hpp"

#include <cstdio>
#include <utility>

#include "measure/peers/symbols.hpp"

namespace tw::measure {
namespace {

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

std::function<bool(const Matrix&, const Matrix&, const Matrix&)> sgemm(void* handle) {
    using Gemm = int(char, char, std::int64_t, std::int64_t, std::int64_t, float, const float*, std::int64_t,
                     const float*, std::int64_t, float, float*, std::int64_t);
    auto* gemm = function<Gemm>(handle, "dnnl_sgemm");
    if (!gemm) return {};
    return [gemm](const Matrix& a, const Matrix& b, const Matrix& c) {
        return gemm('N', 'N', c.rows, c.cols, a.cols, 1, static_cast<const float*>(a.data), a.row_step,
                    static_cast<const float*>(b.data), b.row_step, 0, static_cast<float*>(c.data), c.row_step) == 0;
    };
}

}  // namespace

void open_onednn(void* handle, PeerLibrary& library) {
    struct Version {
        int major, minor, patch;
    };
    if (auto* version = function<const Version*()>(handle, "dnnl_version"))
        library.version = std::to_string(version()->major) + "." + std::to_string(version()->minor) + "." +
                          std::to_string(version()->patch);
    if (auto* isa = function<int()>(handle, "dnnl_get_effective_cpu_isa")) library.core_type = isa_name(isa());
    library.f32 = sgemm(handle);
}

}  // namespace tw::measure
