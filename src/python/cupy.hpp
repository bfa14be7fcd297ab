// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// CuPy's arrays, which have no table of C functions (exchange.hpp): read by their attributes, without a line of Python.
#pragma once

#include "python/arrays.hpp"

namespace tw::python::cupy {

/// Whether objects of this type are CuPy's arrays. CuPy is never imported before one comes.
bool is_array(PyTypeObject* type);

/// Where an array lies, and its type, shape and steps; -1 for what is not to be had so, without an exception: another
/// device than the current one, other elements, too many dimensions. Else the number of its device.
int look(PyObject* array, int least_dims, Operand& operand);

/// A fresh array of the elements of `like` on the current device; a new reference.
PyObject* make(PyObject* like, PyObject* sizes);

/// The stream that CuPy is working on; false: with an exception.
bool stream(void*& current);

}  // namespace tw::python::cupy
