// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The accuracy dial. A scheme says how a product is built from narrower ones and what the splitting loses;
// promise() turns a name of the dial into the number that a kernel's certificate must stay under.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "tilewright/accuracy.hpp"
#include "tilewright/types.hpp"

namespace tw {

inline constexpr double unit_f32 = 0x1p-24;
inline constexpr double unit_f64 = 0x1p-53;

/// n roundings of unit u, worst case: n u / (1 - n u). From 1 / u roundings on there is none: a number that no error
/// exceeds.
constexpr double gamma(double n, double u) noexcept { return n * u < 1 ? n * u / (1 - n * u) : 1e300; }

struct Scheme {
    const char* name;
    Type narrow;                                ///< what the parts are
    int parts;                                  ///< how many parts an operand is split into
    std::span<const std::array<int, 2>> terms;  ///< (i, j): part i of A times part j of B, smallest first
    double split_loss;                          ///< |C - AB| / (|A||B|) lost by leaving terms out
    double flush_loss = 0;  ///< besides, k * flush_loss * (max|a_i| + max|b_j| + 1): parts have no more bits there
};

/// Operands as they are, one product.
extern const Scheme plain_f32, plain_f64;

/// Of kernels that take T as it is.
template <class T>
inline constexpr const Scheme* unsplit = part_of(type_of<T>) == Type::f32 ? &plain_f32 : &plain_f64;

/// Rows scaled by powers of two, then cut into fp16 parts.
extern const Scheme fp16x1, fp16x3;

/// f32 rounded to bf16, or cut into two or three parts of it.
extern const Scheme bf16x1, bf16x3, bf16x6;

/// Rows scaled to whole numbers of three int8 digits (held in f32 here: no element of a matrix has that type); what the
/// kernels may give to digits keeps these losses, the rest goes by FMA.
extern const Scheme int8x8, int8x6;

/// f64 rounded to whole numbers in units of rows' norms, and known by their remainders by 14 to 16 moduli (held in f64
/// here). Kernels keep what rounding loses below what is left of a plain sum's bound, or do without: it counts nothing.
extern const Scheme remainders_of_f64;

/// f32 cut into tf32 parts, whose exponents reach as far.
extern const Scheme tf32x1, tf32x3;

/// True when the accuracy's name leaves room for what parts flush; a number and fp32_elementwise do not.
bool allows_flush_loss(Accuracy accuracy) noexcept;

/// `automatic` resolved for operands of this type.
Accuracy resolve(Accuracy accuracy, Type in) noexcept;

/// The largest |C - AB| / (|A||B|) that the accuracy allows for sums of k terms.
double promise(Accuracy accuracy, Type in, std::int64_t k) noexcept;

/// The dial's spelling: "fp32", "tf32", ..., or a decimal number: the inverse of parse_accuracy(). Writes at most
/// `size` bytes.
int spell(Accuracy accuracy, char* text, int size) noexcept;

}  // namespace tw
