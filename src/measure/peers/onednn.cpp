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

PeerLibrary::General sgemm(void* handle) {
    using Gemm = int(char, char, std::int64_t, std::int64_t, std::int64_t, float, const float*, std::int64_t,
                     const float*, std::int64_t, float, float*, std::int64_t);
    auto* gemm = function<Gemm>(handle, "dnnl_sgemm");
    if (!gemm) return {};
    return [gemm](const Matrix& given_a, const Matrix& given_b, const Matrix& given_c, double beta) {
        const bool turned = !is_by_rows(given_c);
        const Matrix a = turned ? given_b.transposed() : given_a, b = turned ? given_a.transposed() : given_b,
                     c = turned ? given_c.transposed() : given_c;
        const auto turn = [](const Matrix& x) { return is_by_rows(x) ? 'N' : 'T'; };
        return gemm(turn(a), turn(b), c.rows, c.cols, a.cols, 1, static_cast<const float*>(a.data), line_step(a),
                    static_cast<const float*>(b.data), line_step(b), static_cast<float>(beta),
                    static_cast<float*>(c.data), line_step(c)) == 0;
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
    library.general_f32 = sgemm(handle);
    if (library.general_f32)
        library.f32 = [general = library.general_f32](const Matrix& a, const Matrix& b, const Matrix& c) {
            return general(a, b, c, 0);
        };
}

}  // namespace tw::measure
