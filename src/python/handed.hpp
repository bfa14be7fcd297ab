// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// An array that is handed over without a line of Python: NumPy's by its buffer, torch's by DLPack's C functions.
// Everything else, and whatever is out of the ordinary in these, is for tilewright/product.py, which says what is wrong
// with it.
#pragma once

#include "python/arrays.hpp"
#include "python/exchange.hpp"

namespace tw::python {

class Handed {
public:
    explicit Handed(const char* name) : operand(name) {}
    ~Handed() { reset(); }
    Handed(const Handed&) = delete;
    Handed& operator=(const Handed&) = delete;

    /// False, without an exception, for an array that is not to be had so. The array must outlive this.
    bool take(PyObject* array, bool is_written);

    /// The same library's fresh array of a type, a shape and a place of `like`, taken; a new reference. Null: with an
    /// exception.
    PyObject* make(const Handed& like, const std::int64_t* shape, int dims);

    int dims() const { return operand.batch_dims + 2; }
    bool is_far() const { return device_.kind != exchange::cpu; }
    bool is_beside(const Handed& other) const {
        return device_.kind == other.device_.kind && device_.number == other.device_.number;
    }
    bool overlaps(const Handed& other) const;

    /// The stream that the library is working on; false: with an exception.
    bool stream(void*& current) const;

    Operand operand;

private:
    bool take_buffer(PyObject* array, bool is_written);
    bool take_tensor(PyObject* array);
    void reset();

    PyObject* array_ = nullptr;  ///< borrowed
    const exchange::Table* table_ = nullptr;
    exchange::Device device_{exchange::cpu, 0};
    Py_buffer buffer_{};
};

}  // namespace tw::python
