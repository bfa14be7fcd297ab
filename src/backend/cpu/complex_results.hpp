// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// A tile of complex results on its way to C.
#pragma once

#include "backend/cpu/micro/complex_kernel.hpp"
#include "backend/cpu/product/product.hpp"

namespace tw::cpu {

/// By the micro-kernel where C's rows are contiguous and the scalars are real; else through a buffer, with the same
/// roundings.
template <class T>
void add_tile(const ComplexKernel<T>& micro, const Product<std::complex<T>>& x, ComplexTile<T>& tile,
              const View<std::complex<T>>& c, std::complex<T> beta) {
    constexpr int halves = 2;  // of a number
    if (c.col_step == 1 && x.alpha.imag() == 0 && beta.imag() == 0) {
        tile.c = reinterpret_cast<T*>(c.data), tile.c_step = halves * c.row_step;
        tile.alpha = x.alpha.real(), tile.beta = beta.real();
        return micro.run(tile);
    }
    T sums[ComplexKernel<T>::most_results];
    tile.c = sums, tile.c_step = halves * tile.cols;
    micro.run(tile);
    const Product<std::complex<T>> result{{}, {}, c, x.alpha, beta};
    const T* sum = sums;
    for (std::int64_t i = 0; i < c.rows; ++i)
        for (std::int64_t j = 0; j < c.cols; ++j, sum += halves) result.finish(i, j, {sum[0], sum[1]});
}

}  // namespace tw::cpu
