// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// tilewright.matmul itself. Arrays that are handed over without Python's help go to the product from here; every other
// call goes to the general function of tilewright/product.py, with the arguments that came.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <string>
#include <string_view>

#include "python/handed.hpp"
#include "python/matmul.hpp"
#include "python/quick.hpp"

namespace tw::python {
namespace {

PyObject* general;  // tilewright.product.matmul

/// Arrays that are never written to and have a product of their own: jax's.
struct Elsewhere {
    PyTypeObject* type = nullptr;
    PyObject* product = nullptr;
} elsewhere;

struct Asked {
    PyObject *a = nullptr, *b = nullptr, *out = nullptr;
    Options options;
};

bool read_text(PyObject* value, std::string_view& text) {
    Py_ssize_t size = 0;
    const char* begins = PyUnicode_Check(value) ? PyUnicode_AsUTF8AndSize(value, &size) : nullptr;
    if (!begins) return PyErr_Clear(), false;
    text = {begins, static_cast<std::size_t>(size)};
    return true;
}

bool read_number(PyObject* value, double& number) {
    if (!PyFloat_Check(value) && !PyLong_Check(value)) return false;
    number = PyFloat_AsDouble(value);
    if (!PyErr_Occurred()) return true;
    PyErr_Clear();
    return false;
}

bool read_flag(PyObject* value, bool& flag) {
    flag = value == Py_True;
    return flag || value == Py_False;
}

bool read_verify(PyObject* value, Verify& verify) {
    std::string_view word;
    bool flag = false;
    if (read_text(value, word)) return verify = Verify::correct, word == "correct";
    if (!read_flag(value, flag)) return false;
    return verify = flag, true;
}

bool read_threads(PyObject* value, int& threads) {
    const long number = PyLong_Check(value) ? PyLong_AsLong(value) : -1;
    if (number < 0 || number > 65536) return PyErr_Clear(), false;
    threads = static_cast<int>(number);
    return true;
}

bool read_accuracy(PyObject* value, Accuracy& accuracy) {
    std::string_view name;
    return read_text(value, name) && !name.empty() && parse_accuracy(name, accuracy);
}

/// One argument by its name; false when it is not of the kind that is read here.
bool read_named(std::string_view name, PyObject* value, Asked& asked) {
    Options& options = asked.options;
    if (value == Py_None) {  // what they default to
        for (const char* optional : {"out", "accuracy", "epilogue", "device", "algorithm", "stream"})
            if (name == optional) return true;
        return false;
    }
    if (name == "out") return asked.out = value, true;
    if (name == "alpha") return read_number(value, options.alpha);
    if (name == "beta") return read_number(value, options.beta);
    if (name == "accuracy") return read_accuracy(value, options.accuracy);
    if (name == "verify") return read_verify(value, options.verify);
    if (name == "reproducible") return read_flag(value, options.reproducible);
    if (name == "threads") return read_threads(value, options.threads);
    if (name == "algorithm") return read_text(value, options.kernel);
    return false;
}

bool read(PyObject* const* arguments, Py_ssize_t count, PyObject* names, Asked& asked) {
    if (count != 2) return false;
    asked.a = arguments[0], asked.b = arguments[1];
    const Py_ssize_t named = names ? PyTuple_Size(names) : 0;
    for (Py_ssize_t i = 0; i < named; ++i) {
        std::string_view name;
        if (!read_text(PyTuple_GetItem(names, i), name) || !read_named(name, arguments[count + i], asked)) return false;
    }
    return true;
}

/// The result; null without an exception when the general function is to be asked.
PyObject* product_of(Asked& asked) {
    Handed a("a"), b("b"), c("out");
    if (!a.take(asked.a, false) || !b.take(asked.b, false) || !a.is_beside(b)) return nullptr;
    std::int64_t shape[most_dims];
    int dims = 0;
    if (!shape_of_product(a, b, shape, dims)) return nullptr;
    PyObject* made = nullptr;
    if (asked.out) {
        if (!c.take(asked.out, true) || !c.is_beside(a) || !has_shape(c, shape, dims) || c.overlaps(a) || c.overlaps(b))
            return nullptr;
    } else {
        if (asked.options.beta != 0) return nullptr;
        made = c.make(a, shape, dims);
        if (!made) return nullptr;
    }
    if (multiply_handed(a, b, c, nullptr, asked.options)) return made ? made : Py_NewRef(asked.out);
    Py_XDECREF(made);
    return nullptr;
}

PyObject* matmul(PyObject*, PyObject* const* arguments, Py_ssize_t count, PyObject* names) {
    if (count == 2 && !names && elsewhere.type && Py_TYPE(arguments[0]) == elsewhere.type &&
        Py_TYPE(arguments[1]) == elsewhere.type)
        return PyObject_Vectorcall(elsewhere.product, arguments, 2, nullptr);
    Asked asked;
    if (read(arguments, count, names, asked)) {
        PyObject* product = product_of(asked);
        if (product || PyErr_Occurred()) return product;
    }
    return PyObject_Vectorcall(general, arguments, static_cast<std::size_t>(count), names);
}

/// The function with the general one's words. It is the package's: help() and pickle find it there.
nanobind::object entrance_before(nanobind::object function) {
    static std::string words;
    static PyMethodDef method{"matmul", nullptr, METH_FASTCALL | METH_KEYWORDS, nullptr};
    words =
        "matmul(a, b, *, out=None, alpha=1.0, beta=0.0, accuracy=None, epilogue=None, verify=False, device=None, "
        "algorithm=None, reproducible=False, slabs=0, threads=0, stream=None)\n--\n\n" +
        (function.doc().is_none() ? "" : nanobind::cast<std::string>(function.doc()));  // python -OO keeps none
    method.ml_meth = reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(&matmul));
    method.ml_doc = words.c_str();
    Py_XDECREF(general);
    general = function.release().ptr();
    return nanobind::steal(PyCFunction_NewEx(&method, nullptr, nanobind::str("tilewright").ptr()));
}

void entrance_for(nanobind::type_object type, nanobind::object product) {
    Py_XDECREF(reinterpret_cast<PyObject*>(elsewhere.type));
    Py_XDECREF(elsewhere.product);
    elsewhere = {reinterpret_cast<PyTypeObject*>(type.release().ptr()), product.release().ptr()};
}

}  // namespace

void bind_entrance(nanobind::module_& module) {
    module.def("entrance_before", &entrance_before, nanobind::arg("function"),
               "tilewright.matmul: what needs no Python is done at once, the rest by this function.");
    module.def("entrance_for", &entrance_for, nanobind::arg("type"), nanobind::arg("product"),
               "Two arrays of this type alone, with nothing else asked for, go to this function.");
}

}  // namespace tw::python
