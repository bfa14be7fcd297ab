// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// A product of doubles by remainders (scheme/remainders.hpp), pass by pass, and what the passes leave for one another.
// The host waits for none of them: how many moduli there are, and which tiles of C are left to the matrix unit for
// doubles, is found and read on the device.
//
//    measure     every row of A and column of B: its largest element, and its 2-norm
//    convert     scaled and rounded to whole numbers, whose remainders become planes of int8, for 14 moduli
//    - if some row or column has too few large elements to be sure of the error, and else nothing:
//    magnitudes  |A| and |B| in 7 bits, rounded down; their product bounds |A||B| from below, tile by tile
//    convert     again, for 15 or 16 moduli, if that bound asks for them
//    -
//    product     of each plane, remainders again
//    restore     C out of the remainders, with one rounding; alpha and beta
//    r8          the tiles that no count of moduli keeps, or that meet an Inf or a NaN
#pragma once

#include "backend/contract.hpp"
#include "backend/cuda/operands/product.cuh"
#include "scheme/remainders.hpp"

namespace tw::cuda {

/// What the passes find, once for the whole product. All 0 at first.
struct RemaindersFound {
    int unsure;      ///< the bound had to be computed, and `native` is filled in
    int above;       ///< moduli beyond the least count
    int any_native;  ///< a tile of the map is set
};

/// A row of A or a column of B.
struct ScaledRow {
    double threshold;                   ///< what counts as a large element
    double step;                        ///< of 7 bits: 127 of them are the largest element or a little more
    int exponents[remainders::counts];  ///< of the scale, for each count
    float worth;                        ///< step / norm, rounded down; 0: not finite, left native; below 0: all zeros
};

/// One operand, rows along k.
struct RemaindersOperand {
    Tensor<const double> rows;
    ScaledRow* scaled;
    unsigned long long* large;  ///< of each row: how many elements were seen, above how many reach the threshold
    double* partial_sums;       ///< of squares: slabs of rows
    unsigned* partial_tops;
    std::int8_t* planes;
    std::int64_t pitch;  ///< of a plane's rows

    __host__ __device__ std::int64_t plane_bytes() const { return rows.layout.rows * pitch; }
};

/// Remainders of C: tiles of 128 x 256, in the order of the matrix unit's fragments (product_sm90.cu), and the map of
/// tiles that go native.
struct RemaindersOutput {
    std::uint8_t* bytes;
    std::uint8_t* native;
    int down, across;  ///< tiles

    static constexpr int rows = 128, columns = 256, tile_bytes = rows * columns;
};

struct RemaindersCall {
    RemaindersOperand a, b;
    RemaindersOutput out;
    RemaindersFound* found;
};

/// So much of k is scanned by one block where k is not contiguous.
inline constexpr int slab_of_k = 256;

Status measure_rows(const RemaindersCall& call, void* stream) noexcept;
Status convert_rows(const RemaindersCall& call, void* stream) noexcept;
/// Three passes that do nothing where the first conversion was sure.
Status write_magnitudes(const RemaindersCall& call, void* stream) noexcept;
Status bound_products(const RemaindersCall& call, void* stream) noexcept;
Status convert_again(const RemaindersCall& call, void* stream) noexcept;

Status multiply_remainders(const RemaindersCall& call, void* stream) noexcept;
Status restore(const RemaindersCall& call, const Product<double>& product, void* stream) noexcept;

}  // namespace tw::cuda
