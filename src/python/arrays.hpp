// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Arrays of other libraries, seen through DLPack or the buffer protocol: where they are, no copies.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <string>

#include "tilewright/view.hpp"

namespace tw::python {

using Array = nanobind::ndarray<nanobind::ro>;
using WritableArray = nanobind::ndarray<>;

inline constexpr int most_dims = 16;

/// A dtype without a name of its own in DLPack's sender (ml_dtypes' bfloat16) comes as its 16 bits, with the name
/// beside.
struct Operand {
    const char* name;  ///< "a": what a message calls it
    void* data = nullptr;
    Type type = Type::f32;
    int batch_dims = 0;  ///< dimensions before the last two
    std::int64_t shape[most_dims] = {}, steps[most_dims] = {};

    explicit Operand(const char* called) : name(called) {}
    Operand(const char* called, const Array& array, const std::string& dtype);

    std::int64_t rows() const { return shape[batch_dims]; }
    std::int64_t cols() const { return shape[batch_dims + 1]; }

    /// The matrix at a place of `batch`, whose last dimensions are ours; a dimension of ours that is 1 is repeated.
    Matrix at(const std::int64_t* place, int place_dims) const;

    /// Any one of its matrices, by where it begins.
    Matrix matrix(const void* begins) const {
        return {const_cast<void*>(begins), type, rows(), cols(), steps[batch_dims], steps[batch_dims + 1]};
    }
};

}  // namespace tw::python
