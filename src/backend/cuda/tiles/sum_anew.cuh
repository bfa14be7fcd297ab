// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// A sum of products that the unit's parts of f32 can't hold, plainly: with fewer roundings one behind the other than
// the unit's sums have, so that a certificate holds for both.
#pragma once

namespace tw::cuda {

/// product(k, sum): what is added to the sum, by FMA.
template <class Product>
__device__ float sum_anew(int from, int end, const Product& product) {
    constexpr int few = 16, many = few * few;
    float all = 0;
#pragma unroll 1
    for (int first = from; first < end; first += many) {
        float of_many = 0;
#pragma unroll 1
        for (int at = first; at < min(first + many, end); at += few) {
            float sum = 0;
#pragma unroll 1
            for (int k = at; k < min(at + few, end); ++k) sum = product(k, sum);
            of_many += sum;
        }
        all += of_many;
    }
    return all;
}

}  // namespace tw::cuda
