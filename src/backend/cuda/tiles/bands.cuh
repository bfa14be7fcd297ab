// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// In which order blocks walk C: those that run together share rows and columns in L2.
#pragma once

namespace tw::cuda {

/// Tiles of C in bands of `rows` rows of tiles, down a column of the band first.
struct Bands {
    static constexpr int rows = 8;
    int down, across;

    unsigned tiles() const { return static_cast<unsigned>(down) * static_cast<unsigned>(across); }

#ifdef __CUDACC__
    __device__ int2 tile() const { return tile(static_cast<int>(blockIdx.x)); }
    __device__ int2 tile(int number) const {
        const int of_band = rows * across, first = number / of_band * rows;
        const int high = min(rows, down - first), inside = number % of_band;
        return {first + inside % high, inside / high};
    }
#endif
};

}  // namespace tw::cuda
