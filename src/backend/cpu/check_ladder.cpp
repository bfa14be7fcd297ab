// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// cpu-check: the rows of matrix units on tiles that are emulated, for machines without the unit, and rows whose bits
// others are compared with. Chosen only on request, by --device cpu-check; the tests ask.
#include "backend/cpu/backend.hpp"
#include "backend/cpu/ladder.hpp"

namespace tw::cpu {
namespace {

const Kernel* const ladder[] = {
    &r8_matrix_unit_emulated_f32, &r8_matrix_unit_emulated_bf16, &r8_matrix_unit_emulated_bf16_f32,
    &r10_split_emulated_bf16x3,   &r10_split_emulated_bf16x6,    &r10_split_portable_int8x6,
    &r10_split_portable_int8x8,
#if defined(__x86_64__)
    &r10_split_avx2_int8x6,       &r10_split_avx2_int8x8,
#endif
    &r10_split_emulated_int8x6,   &r10_split_emulated_int8x8,    &r10_split_emulated_sampled,
};

const Backend row{
    .name = "cpu-check",
    .place = Place::host,
    .ladder = ladder,
    .feature_names = backend().feature_names,
    .features = [] { return backend().features(); },
    .devices = [] { return 1; },
    .absence = [] { return ""; },
    .times_mean_nothing = true,
};

}  // namespace

const Backend& check_backend() noexcept { return row; }

}  // namespace tw::cpu
