// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "python/arrays.hpp"

#include <cstddef>

namespace tw::python {
namespace {

namespace nb = nanobind;

std::string spelled(nb::dlpack::dtype dtype) {
    using Code = nb::dlpack::dtype_code;
    const char* kind = dtype.code == static_cast<std::uint8_t>(Code::Int)       ? "int"
                       : dtype.code == static_cast<std::uint8_t>(Code::UInt)    ? "uint"
                       : dtype.code == static_cast<std::uint8_t>(Code::Bool)    ? "bool"
                       : dtype.code == static_cast<std::uint8_t>(Code::Complex) ? "complex"
                       : dtype.code == static_cast<std::uint8_t>(Code::Bfloat)  ? "bfloat"
                                                                                : "float";
    return kind + std::to_string(dtype.bits);
}

Type type_of_dtype(const char* called, nb::dlpack::dtype dtype, const std::string& named) {
    if (named == "bfloat16") return Type::bf16;
    if (dtype.lanes == 1) {
        if (dtype == nb::dtype<double>()) return Type::f64;
        if (dtype == nb::dtype<float>()) return Type::f32;
        if (dtype.code == static_cast<std::uint8_t>(nb::dlpack::dtype_code::Complex)) {
            if (dtype.bits == 64) return Type::c64;
            if (dtype.bits == 128) return Type::c128;
        }
        if (dtype.code == static_cast<std::uint8_t>(nb::dlpack::dtype_code::Float) && dtype.bits == 16)
            return Type::f16;
        if (dtype.code == static_cast<std::uint8_t>(nb::dlpack::dtype_code::Bfloat) && dtype.bits == 16)
            return Type::bf16;
    }
    const std::string sentence = std::string(called) +
                                 ": expected float64, float32, float16, bfloat16, complex128 or complex64; it is " +
                                 spelled(dtype);
    throw nb::type_error(sentence.c_str());
}

}  // namespace

Operand::Operand(const char* called, const Array& array, const std::string& dtype)
    : name(called),
      data(const_cast<void*>(array.data())),
      type(type_of_dtype(called, array.dtype(), dtype)),
      batch_dims(static_cast<int>(array.ndim()) - 2) {
    if (batch_dims < 0 || batch_dims + 2 > most_dims) {
        const std::string sentence =
            std::string(called) + ": expected 2 to 16 dimensions; it has " + std::to_string(array.ndim());
        throw nb::value_error(sentence.c_str());
    }
    for (std::size_t d = 0; d < array.ndim(); ++d) {
        shape[d] = static_cast<std::int64_t>(array.shape(d));
        steps[d] = array.stride(d);
    }
}

Matrix Operand::at(const std::int64_t* place, int place_dims) const {
    std::int64_t offset = 0;
    for (int d = 0; d < batch_dims; ++d)
        if (shape[d] > 1) offset += place[place_dims - batch_dims + d] * steps[d];
    return matrix(static_cast<std::byte*>(data) + offset * static_cast<std::int64_t>(size_of(type)));
}

}  // namespace tw::python
