// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The table of one NVIDIA device: every bar, each result checked before it is timed, cuBLAS beside it.
//   h200_table [row...]             rows a, b, c, c', d, e, f, g, h, i, and `errors` of c and d over five seeds; all
//                                   without arguments
//   h200_table doubles [N] | double_errors   f64, c128 and c64 beside DGEMM, ZGEMM, CGEMM; errors over five seeds
//   h200_table hostile              inputs that scaling by rows would spoil; `ordinary`: what others take
//   h200_table tiles KERNEL N...    every tile of one kernel; N: 4096 or 16x8192x4096
#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <vector>

#include "around.hpp"
#include "doubles.hpp"
#include "hostile.hpp"
#include "plan/registry.hpp"
#include "product.hpp"

namespace {

using bench::Case;
using tw::Type;

std::vector<Case> cases() {
    std::vector<Case> list;
    for (const char* rung : {"cuda.r1_naive.f32", "cuda.r2_coalesced.f32", "cuda.r3_tiled.f32",
                             "cuda.r4_register_tile.f32", "cuda.r5_register_block.f32", "cuda.r6_vectorized.f32"})
        list.push_back(
            {.row = "a", .kernel = rung, .m = 4096, .n = 4096, .k = 4096, .b_k_major = false, .turn_ms = 100});
    for (const int n : {4096, 8192})
        for (const bool weights : {false, true})
            list.push_back(
                {.row = "a", .kernel = "cuda.r7_hierarchical.f32", .m = n, .n = n, .k = n, .b_k_major = weights});
    for (const auto values :
         {bench::Values::normal, bench::Values::symmetric, bench::Values::uniform, bench::Values::spread})
        for (const int n : {2048, 4096, 8192, 16384}) {
            if (values != bench::Values::normal && n == 16384) continue;
            list.push_back({.row = "c",
                            .kernel = "cuda.r10_split.f32.fp16x3",
                            .m = n,
                            .n = n,
                            .k = n,
                            .values = values,
                            .with_burst = values == bench::Values::normal});
        }
    for (const int n : {4096, 8192}) {
        list.push_back({.row = "c'", .kernel = "cuda.r10_split.f32.bf16x6", .m = n, .n = n, .k = n});
        list.push_back(
            {.row = "d", .kernel = "cuda.r10_split.f32.fp16x1", .m = n, .n = n, .k = n, .peer = bench::Compute::tf32});
    }
    for (const Type type : {Type::bf16, Type::f16})
        for (const int n : {1024, 2048, 4096, 8192, 16384})
            list.push_back({.row = "b",
                            .kernel = type == Type::bf16 ? "cuda.r9_async_pipeline.bf16" : "cuda.r9_async_pipeline.f16",
                            .m = n,
                            .n = n,
                            .k = n,
                            .in = type,
                            .out = type,
                            .with_burst = true});
    list.push_back({.row = "g",
                    .kernel = "cuda.r9_async_pipeline.bf16",
                    .m = 4096,
                    .n = 4095,
                    .k = 4096,
                    .in = Type::bf16,
                    .out = Type::bf16});
    list.push_back({.row = "g",
                    .kernel = "cuda.r9_async_pipeline.bf16",
                    .m = 4095,
                    .n = 4095,
                    .k = 4095,
                    .in = Type::bf16,
                    .out = Type::bf16});
    const int walls[][2] = {{8192, 8192}, {14336, 4096}, {4096, 14336}};
    for (const Type type : {Type::f32, Type::bf16})
        for (const auto& [n, k] : walls)
            for (const int m : {1, 8, 16})
                list.push_back({.row = type == Type::f32 ? "e" : "f",
                                .kernel = type == Type::f32 ? "cuda.few_rows_async.f32" : "cuda.few_rows_async.bf16",
                                .m = m,
                                .n = n,
                                .k = k,
                                .in = type,
                                .out = type,
                                .turn_ms = 60});
    return list;
}

}  // namespace

/// Row h: with `reproducible`, a row of C has the same bits whatever m is. How many of the m tried differ.
int rows_that_differ(Type type) {
    constexpr int n = 1024, k = 2048, most = 4096;
    const std::size_t size = size_of(type);
    const bench::Buffer a(most * k * size), b(n * k * size), c(most * n * size);
    bench::fill(a.get(), std::size_t{most} * k, type, bench::Values::normal, 1);
    bench::fill(b.get(), std::size_t{n} * k, type, bench::Values::normal, 2);
    const auto bits = [&](int m) {
        bench::poison(c.get(), most * n * size);
        const tw::Matrix am{a.get(), type, m, k, k}, bm{b.get(), type, k, n, 1, k}, cm{c.get(), type, m, n, n};
        if (!tw::try_multiply(am, bm, cm, {.reproducible = true, .device = "cuda"})) return std::vector<char>();
        std::vector<char> host(static_cast<std::size_t>(m) * n * size);
        bench::check(cudaMemcpy(host.data(), c.get(), host.size(), cudaMemcpyDeviceToHost), "reading C");
        return host;
    };
    const std::vector<char> all = bits(most);
    int differ = all.empty();
    for (const int m : {1, 2, 3, 5, 8, 16, 17, 63, 64, 100, 127, 129, 255, 257, 1000, 2048, 3001, 4095, 4096}) {
        const std::vector<char> some = bits(m);
        differ += some.empty() || !std::equal(some.begin(), some.end(), all.begin());
    }
    return differ;
}

void all_tiles(const bench::Cublas& cublas, const char* name, int m, int n, int k) {
    for (const tw::Kernel* kernel : tw::find_backend("cuda")->ladder) {
        if (std::strcmp(kernel->name, name) != 0) continue;
        for (const tw::Tile& tile : kernel->tiles)
            for (const bool weights : {false, true}) {
                if (m <= 64 && !weights) continue;
                const Case one{.row = "t",
                               .kernel = name,
                               .m = m,
                               .n = n,
                               .k = k,
                               .in = kernel->in,
                               .out = kernel->out,
                               .peer = std::string_view(kernel->scheme->name) == "fp16x1" ? bench::Compute::tf32
                                                                                          : bench::Compute::f32,
                               .b_k_major = weights,
                               .tile = tile,
                               .turn_ms = 100};
                std::printf("%3d %3d %3d ", tile.m, tile.n, tile.k);
                bench::print(bench::measure(cublas, one));
            }
    }
}

/// The other half of rows c and d: no seed of five makes an error larger than cuBLAS's, by f32 and by TF32.
void all_errors(const bench::Cublas& cublas) {
    const Case cases[] = {{.row = "c", .kernel = "cuda.r10_split.f32.fp16x3"},
                          {.row = "d", .kernel = "cuda.r10_split.f32.fp16x1", .peer = bench::Compute::tf32}};
    for (Case one : cases)
        for (const auto values :
             {bench::Values::normal, bench::Values::symmetric, bench::Values::uniform, bench::Values::spread})
            for (const int n : {2048, 4096, 8192, 16384}) {
                one.m = one.n = one.k = n, one.values = values;
                const bench::Worst worst = bench::worst_errors(cublas, one, 5);
                std::printf(
                    "%s   %-13s %5d, the worst of 5 seeds: error %.2e %.2e, cuBLAS %.2e %.2e: %.2f %.2f of it%s\n",
                    one.row.c_str(), bench::name_of(values), n, worst.ours.frobenius, worst.ours.largest,
                    worst.peer.frobenius, worst.peer.largest, worst.ours.frobenius / worst.peer.frobenius,
                    worst.ours.largest / worst.peer.largest, worst.ran ? "" : ", DID NOT RUN");
                std::fflush(stdout);
            }
}

void same_bits() {
    for (const Type type : {Type::f32, Type::bf16, Type::f16})
        std::printf("h   %s, reproducible: %d of 19 m change a row's bits\n", tw::name_of(type),
                    rows_that_differ(type));
    for (const Type type : {Type::bf16, Type::f16})
        for (const int n : {1024, 2048, 4096, 8192, 16384}) {
            const Case one{.row = "h", .kernel = "", .m = n, .n = n, .k = n, .in = type, .out = type, .turn_ms = 100};
            const bench::Price price = bench::price_of_same_bits(one);
            const double flops = 2e-9 * n * n * static_cast<double>(n);
            std::printf("h   %s, %5d: reproducible %.1f TF, not %.1f TF: %.3f of it\n", tw::name_of(type), n,
                        flops / price.reproducible_ms, flops / price.free_ms, price.free_ms / price.reproducible_ms);
            std::fflush(stdout);
        }
}

int main(int count, char** arguments) {
    const bench::Cublas cublas;
    std::printf("cuBLAS %d\n", cublas.version());
    if (count > 3 && std::strcmp(arguments[1], "tiles") == 0) {
        for (int i = 3; i < count; ++i) {
            int m = 0, n = 0, k = 0;
            if (std::sscanf(arguments[i], "%dx%dx%d", &m, &n, &k) == 1) n = k = m;
            all_tiles(cublas, arguments[2], m, n, k);
        }
        return 0;
    }
    if (count == 2 && std::strcmp(arguments[1], "ordinary") == 0) return bench::ordinary_times(cublas), 0;
    if (count >= 2 && std::strcmp(arguments[1], "doubles") == 0)
        return bench::double_speeds(cublas, count > 2 ? std::atoi(arguments[2]) : 0), 0;
    if (count == 2 && std::strcmp(arguments[1], "double_errors") == 0) return bench::double_errors(cublas), 0;
    if (count == 2 && std::strcmp(arguments[1], "hostile") == 0) return bench::hostile_inputs(cublas) ? 1 : 0;
    const auto wanted = [&](const std::string& row) {
        return count == 1 || std::any_of(arguments + 1, arguments + count, [&](const char* one) { return row == one; });
    };
    std::vector<bench::Result> results;
    for (const Case& one : cases()) {
        if (!wanted(one.row)) continue;
        results.push_back(bench::measure(cublas, one));
        bench::print(results.back());
    }
    if (wanted("i"))
        for (const auto& part : {bench::measure_batches(cublas), bench::measure_epilogues()})
            results.insert(results.end(), part.begin(), part.end());
    if (wanted("h")) same_bits();
    if (std::FILE* file = std::fopen("h200.json", "w")) {
        std::fputs(bench::json(results).c_str(), file);
        std::fclose(file);
    }
    if (wanted("errors")) all_errors(cublas);
    bool right = true;
    for (const auto& result : results) right &= result.right;
    return right ? 0 : 1;
}
