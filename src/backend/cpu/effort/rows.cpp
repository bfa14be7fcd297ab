// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "backend/cpu/effort/rows.hpp"

#include "backend/cpu/effort/products.hpp"
#include "base/cpu_features.hpp"

namespace tw::cpu {
namespace {

// What a set's row costs is told by two numbers: what a byte of the dense copy takes one thread, roughly, in 32nds of a
// nanosecond, so that a better set's rows are the cheaper ones; and how much longer a byte of a layout takes, in
// hundredths, as measured at the effort where a product takes as long as dense: of 14336 x 4096 weights in f16, one
// thread, from memory. A power of 2 as the first number leaves comparisons within a set exact.
template <int thirty_seconds>
double dense_nanoseconds(const EffortProblem& p) {
    return static_cast<double>(p.dense_bytes) * (thirty_seconds / 32.0);
}

template <int hundredths, int thirty_seconds>
double nanoseconds(const EffortProblem& p) {
    return static_cast<double>(p.bytes) * (hundredths / 100.0) * (thirty_seconds / 32.0);
}

/// As a type: under a sanitizer g++ compares no function with null in a constant.
template <void (*)(const EffortWholeTile&)>
inline constexpr bool is_there = true;
template <>
inline constexpr bool is_there<nullptr> = false;

template <void (*multiply)(const EffortTile&), int hundredths, int thirty_seconds,
          void (*whole)(const EffortWholeTile&) = nullptr>
constexpr EffortKernel tiles_row(const char* name, const char* kernels, EffortLayout layout, std::uint64_t needs) {
    return {.name = name,
            .kernels = kernels,
            .layout = layout,
            .needs = needs,
            .puts_together = is_there<whole>,
            .most_products = most_products_of_tiles,
            .nanoseconds = nanoseconds<hundredths, thirty_seconds>,
            .run = run_tiles<multiply, whole>};
}

constexpr EffortKernel dense_portable = {.name = "effort_dense_portable",
                                         .kernels = "portable",
                                         .is_dense = true,
                                         .needs = 0,
                                         .most_products = most_dense_products,
                                         .nanoseconds = dense_nanoseconds<128>,
                                         .run = run_densely<effort_dense_portable>};
constexpr EffortKernel buckets_portable =
    tiles_row<effort_buckets_portable, 125, 128>("effort_buckets_portable", "portable", EffortLayout::buckets, 0);
constexpr EffortKernel tiers_portable =
    tiles_row<effort_tiers_portable, 110, 128>("effort_tiers_portable", "portable", EffortLayout::tiers, 0);
constexpr EffortKernel planes_portable = tiles_row<effort_planes_portable, 670, 128, effort_planes_whole_portable>(
    "effort_planes_portable", "portable", EffortLayout::planes, 0);

#if defined(__x86_64__)
constexpr EffortKernel dense_avx2 = {.name = "effort_dense_avx2",
                                     .kernels = "avx2",
                                     .is_dense = true,
                                     .needs = cpu_feature::avx2,
                                     .most_products = most_dense_products,
                                     .nanoseconds = dense_nanoseconds<4>,
                                     .run = run_densely<effort_dense_avx2>};
constexpr EffortKernel buckets_avx2 =
    tiles_row<effort_buckets_avx2, 2000, 4>("effort_buckets_avx2", "avx2", EffortLayout::buckets, cpu_feature::avx2);
constexpr EffortKernel tiers_avx2 =
    tiles_row<effort_tiers_avx2, 440, 4>("effort_tiers_avx2", "avx2", EffortLayout::tiers, cpu_feature::avx2);
constexpr EffortKernel planes_avx2 = tiles_row<effort_planes_avx2, 150, 4, effort_planes_whole_avx2>(
    "effort_planes_avx2", "avx2", EffortLayout::planes, cpu_feature::avx2);

constexpr std::uint64_t vnni = cpu_feature::avx512 | cpu_feature::avx512_vnni | cpu_feature::avx512_vbmi;
constexpr EffortKernel dense_avx512 = {.name = "effort_dense_avx512",
                                       .kernels = "avx512",
                                       .is_dense = true,
                                       .needs = vnni,
                                       .most_products = most_dense_products,
                                       .nanoseconds = dense_nanoseconds<2>,
                                       .run = run_densely<effort_dense_avx512>};
constexpr EffortKernel buckets_avx512 =
    tiles_row<effort_buckets_avx512, 210, 2>("effort_buckets_avx512", "avx512", EffortLayout::buckets, vnni);
constexpr EffortKernel tiers_avx512 =
    tiles_row<effort_tiers_avx512, 320, 2>("effort_tiers_avx512", "avx512", EffortLayout::tiers, vnni);
constexpr EffortKernel planes_avx512 = tiles_row<effort_planes_avx512, 140, 2, effort_planes_whole_avx512>(
    "effort_planes_avx512", "avx512", EffortLayout::planes, vnni);
#endif
#if defined(__aarch64__)
// What is rounded to 8 bits goes the portable way.
constexpr EffortKernel planes_neon = tiles_row<effort_planes_portable, 670, 128, effort_planes_whole_neon>(
    "effort_planes_neon", "neon", EffortLayout::planes, cpu_feature::neon | cpu_feature::neon_dot);
#endif

}  // namespace

const EffortKernel* const effort_rows[effort_row_count] = {
    &dense_portable, &buckets_portable, &tiers_portable, &planes_portable,
#if defined(__x86_64__)
    &dense_avx2,     &buckets_avx2,     &tiers_avx2,     &planes_avx2,
    &dense_avx512,   &buckets_avx512,   &tiers_avx512,   &planes_avx512,
#endif
#if defined(__aarch64__)
    &planes_neon,
#endif
};

}  // namespace tw::cpu
