// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// A product by remainders (scheme/remainders.hpp), pass by pass, and what the passes leave for one another. The host
// waits for none of them: how many moduli there are, and which tiles of C are left to a plain kernel, is found and read
// on the device.
//
//    measure     every row of A and column of B: its largest part, and its 2-norm
//    convert     scaled and rounded to whole numbers, whose remainders become planes of int8, for the fewest moduli
//    - if some row or column has too few large elements to be sure of the error, and else nothing:
//    magnitudes  |A| and |B| in 7 bits, rounded down; their product bounds |A||B| from below, tile by tile
//    convert     again, for one or two moduli more, if that bound asks for them
//    -
//    product     of each plane, remainders again
//    restore     C out of the remainders, with one rounding; alpha and beta
//    native      the tiles that no count of moduli keeps, or that meet an Inf or a NaN
//
// Of complex operands there are two planes for each modulus (scheme/remainders_complex.hpp).
#pragma once

#include "backend/contract.hpp"
#include "backend/cuda/operands/product.cuh"
#include "scheme/remainders_complex.hpp"

namespace tw::cuda {

/// An element of A, B and C: one number, or the two parts of a complex one.
template <class Real, int PARTS_>
struct ElementOf {
    using Part = Real;
    static constexpr int PARTS = PARTS_;
    Real part[PARTS];
};
using ElementF64 = ElementOf<double, 1>;
using ElementC128 = ElementOf<double, 2>;
using ElementC64 = ElementOf<float, 2>;

template <class E>
inline constexpr remainders::Set set_of = E::PARTS == 1     ? remainders::of_f64
                                          : sizeof(E) == 16 ? remainders::of_c128
                                                            : remainders::of_c64;

/// What the passes find, once for the whole product. All 0 at first.
struct RemaindersFound {
    int unsure;               ///< the bound had to be computed, and `native` is filled in
    int above;                ///< moduli beyond the fewest
    int any_native;           ///< a tile of the map is set
    int converted, restored;  ///< pieces that are taken, beyond each block's first two
};

/// A row of A or a column of B.
struct ScaledRow {
    double threshold;                   ///< what counts as a large element
    double step;                        ///< of 7 bits: 127 of them are the largest part or a little more
    int exponents[remainders::counts];  ///< of the scale, for each count
    float worth;                        ///< step / norm, rounded down; 0: not finite, left native; below 0: all zeros
};

/// An operand as it lies, rows along k.
struct RowsAlongK {
    const void* data;
    Layout layout;
    bool is_conj;   ///< its elements count as their conjugates
    bool at_sizes;  ///< they lie at multiples of their size

    __host__ __device__ std::int64_t rows() const { return layout.rows; }
    __host__ __device__ std::int64_t cols() const { return layout.cols; }
    template <class E>
    __device__ const E* at(std::int64_t i, std::int64_t j) const {
        return static_cast<const E*>(data) + layout(i, j);
    }
};
inline RowsAlongK rows_along_k(const Matrix& m) {
    return {m.data,
            {m.rows, m.cols, m.row_step, m.col_step, 0},
            m.is_conj,
            reinterpret_cast<std::uintptr_t>(m.data) % size_of(m.type) == 0};
}

/// One operand.
struct RemaindersOperand {
    RowsAlongK rows;
    ScaledRow* scaled;
    unsigned long long* large;  ///< of each row: how many elements were seen, above how many parts reach the threshold
    double* partial_sums;       ///< of squares: slabs of rows
    unsigned* partial_tops;
    std::int8_t* planes;
    std::int64_t pitch;       ///< of a plane's rows
    const std::int8_t* kept;  ///< planes for the fewest moduli that an earlier call made, and `scaled`, too; else null
    const RemaindersFound* found_then;  ///< what that conversion found

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
    remainders::Set set;

    /// The planes that only more moduli than the fewest need hold magnitudes until then: two rows of planes each for
    /// complex operands, whose parts lie side by side, and of B once more the other way round.
    __host__ __device__ std::int64_t magnitudes_of(const RemaindersOperand& one) const {
        return set.least * set.planes * one.plane_bytes();
    }
    __host__ __device__ int most_planes() const { return set.most() * set.planes; }
};

/// So much of k is scanned by one block where k is not contiguous.
inline constexpr int slab_of_k = 256;

template <class E>
Status measure_rows(const RemaindersCall& call, void* stream) noexcept;
template <class E>
Status convert_rows(const RemaindersCall& call, void* stream) noexcept;
/// Three passes that do nothing where the first conversion was sure.
template <class E>
Status write_magnitudes(const RemaindersCall& call, void* stream) noexcept;
Status bound_products(const RemaindersCall& call, void* stream) noexcept;
template <class E>
Status convert_again(const RemaindersCall& call, void* stream) noexcept;

Status multiply_remainders(const RemaindersCall& call, void* stream) noexcept;

Status restore(const RemaindersCall& call, const Product<double>& product, void* stream) noexcept;
template <class E>
Status restore_complex(const RemaindersCall& call, const Call& product, void* stream) noexcept;

}  // namespace tw::cuda
