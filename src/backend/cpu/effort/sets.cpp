// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "backend/cpu/effort/kernels.hpp"
#include "base/cpu_features.hpp"

namespace tw::cpu {
namespace {

#if defined(__x86_64__)
constexpr EffortKernels avx2 = {
    "avx2",        cpu_feature::avx2, effort_dense_avx2, effort_buckets_avx2, effort_tiers_avx2, effort_planes_avx2,
    {20, 4.4, 2.6}};
constexpr EffortKernels avx512 = {"avx512",
                                  cpu_feature::avx512 | cpu_feature::avx512_vnni | cpu_feature::avx512_vbmi,
                                  effort_dense_avx512,
                                  effort_buckets_avx512,
                                  effort_tiers_avx512,
                                  effort_planes_avx512,
                                  {2.1, 3.2, 1.4}};
#endif

const EffortKernels* const sets[] = {
    &effort_portable,
#if defined(__x86_64__)
    &avx2,
    &avx512,
#endif
};

}  // namespace

EffortKernelSets effort_kernel_sets() noexcept { return {sets, static_cast<int>(sizeof sets / sizeof *sets)}; }

}  // namespace tw::cpu
