// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The parameters of a product's kernel, shared by the host and the shader. Element (i, j) of A is
// a[i * a_row + j * a_col]; steps have 64 bits, so that no offset overflows.
#ifndef TW_METAL_PARAMETERS
#define TW_METAL_PARAMETERS

#ifndef __METAL_VERSION__
#include <cstdint>
namespace tw::metal {
using uint = std::uint32_t;
using step_t = std::int64_t;
#else
typedef long step_t;
#endif

struct Parameters {
    step_t a_row, a_col, b_row, b_col, c_row, c_col;
    uint m, n, k;
    uint vectors;                 // bit 0: rows of A can be read four elements at a time; bit 1: those of B
    float alpha, beta;            // beta 0: C is never read
    float alpha_imag, beta_imag;  // of complex elements
    uint conjugates;              // bit 0: A counts as its conjugates; bit 1: B
};

#ifndef __METAL_VERSION__
static_assert(sizeof(Parameters) == 88);
}  // namespace tw::metal
#endif

#endif
