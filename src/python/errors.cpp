// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "python/matmul.hpp"
#include "tilewright/error.hpp"

namespace tw::python {

void set_error(const Error& error) {
    PyObject* kind = PyExc_RuntimeError;
    switch (error.status().code) {
        case Code::bad_argument:
        case Code::bad_file:
        case Code::unsupported: kind = PyExc_ValueError; break;
        case Code::out_of_memory: kind = PyExc_MemoryError; break;
        case Code::verification_failed: kind = PyExc_ArithmeticError; break;
        default: break;
    }
    PyErr_SetString(kind, error.what());
}

void bind_errors(nanobind::module_&) {
    nanobind::register_exception_translator([](const std::exception_ptr& thrown, void*) {
        try {
            std::rethrow_exception(thrown);
        } catch (const Error& error) {
            set_error(error);
        }
    });
}

}  // namespace tw::python
