// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include <cuda/std/mdspan>

#include "tilewright/multiply.hpp"

int main() {
    using cuda::std::dextents;
    const float a[] = {1, 2, 3, 4, 5, 6}, b[] = {1, 0, 2, 0, 1, 2};
    const cuda::std::mdspan<const float, dextents<int, 2>> rows(a, 3, 2);
    const cuda::std::mdspan<const float, dextents<int, 2>, cuda::std::layout_left> columns(b, 2, 3);
    float result[9] = {};
    const cuda::std::mdspan<float, cuda::std::extents<int, 3, 3>> out(result);
    const float right[] = {1, 2, 5, 3, 6, 11, 5, 10, 17};
    if (!tw::try_multiply(rows, columns, out)) return 1;
    for (int i = 0; i < 9; ++i)
        if (result[i] != right[i]) return 1;
    return 0;
}
