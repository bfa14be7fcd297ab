// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// An array that is handed over without a line of Python: NumPy's by its buffer, torch's by DLPack's C functions,
// CuPy's by its attributes. Everything else, and whatever is out of the ordinary in these, is for
// tilewright/product.py, which says what is wrong with it.
#pragma once

#include <utility>

#include "python/arrays.hpp"
#include "python/exchange.hpp"

namespace tw::python {

/// Of a tensor whose gradient somebody wants: it is not taken; it is, and said so; or nobody asks, below torch's own
/// records.
enum class Gradient { refused, noted, ignored };

class Handed {
public:
    explicit Handed(const char* name) : operand(name) {}
    ~Handed() { reset(); }
    Handed(const Handed&) = delete;
    Handed& operator=(const Handed&) = delete;

    /// False, without an exception, for an array that is not to be had so. The array must outlive this.
    bool take(PyObject* array, bool is_written);

    /// A vector, as the one row of a matrix.
    bool take_row(PyObject* array) {
        least_dims_ = 1;
        return take(array, false) && dims() == 1 && (turn_into_row(), true);
    }

    /// What lies transposed in memory is read so.
    void transpose() {
        std::swap(operand.shape[operand.batch_dims], operand.shape[operand.batch_dims + 1]);
        std::swap(operand.steps[operand.batch_dims], operand.steps[operand.batch_dims + 1]);
    }

    /// The same library's fresh array of a type, a shape and a place of `like`, taken; a new reference. Null: with an
    /// exception.
    PyObject* make(const Handed& like, const std::int64_t* shape, int dims);

    int dims() const { return operand.batch_dims + 2; }
    bool is_far() const { return device_.kind != exchange::cpu; }
    bool is_beside(const Handed& other) const {
        return device_.kind == other.device_.kind && device_.number == other.device_.number;
    }
    bool overlaps(const Handed& other) const;
    bool lies_as(const std::int64_t* shape, int dims) const;  ///< of this shape, row by row without gaps

    /// The stream that the library is working on; false: with an exception.
    bool stream(void*& current) const;

    Operand operand;
    Gradient gradient = Gradient::refused;
    bool wants_gradient = false;  ///< where that is noted

private:
    void turn_into_row();
    bool take_buffer(PyObject* array, bool is_written);
    bool take_tensor(PyObject* array);
    bool look_at_tensor(PyObject* array);
    bool take_cupy(PyObject* array);
    void reset();

    PyObject* array_ = nullptr;  ///< borrowed
    int least_dims_ = 2;
    const exchange::Table* table_ = nullptr;  ///< of a library that has one: CuPy has none
    exchange::Device device_{exchange::cpu, 0};
    Py_buffer buffer_{};
};

}  // namespace tw::python
