// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "backend/cuda/async/last_wave_sums.cuh"
#include "backend/cuda/async/level.cuh"

namespace tw::cuda {

template Status run_level<__nv_bfloat16>(const Job& job);
template Status finish_last_wave<__nv_bfloat16>(const Job& job, const LastWave& wave, const Output& out,
                                                const Raster& raster, int rows);

}  // namespace tw::cuda
