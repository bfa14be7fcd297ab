// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// activation(alpha a b + bias) + residual of tensors, for tilewright.torch: arguments by place, so that nothing is
// looked up.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <cstring>
#include <string>
#include <string_view>

#include "python/matmul.hpp"
#include "python/quick.hpp"
#include "python/watch.hpp"

namespace tw::python {
namespace {

constexpr const char* words =
    "affine(a, b, bias, residual, activation, accuracy, reproducible, is_transposed, is_recorded, alpha, out, "
    "/)\n--\n\n"
    "activation(alpha a b + bias) + residual, with b transposed on request; bias, residual, accuracy and out may be "
    "None.\n"
    "NotImplemented when an operand is out of the ordinary or, with is_recorded, torch wants to see: nothing was done "
    "then. Alone in a tuple, with is_recorded, where its gradient is to be recorded.";
enum Place {
    of_a,
    of_b,
    of_bias,
    of_residual,
    of_activation,
    of_accuracy,
    of_reproducible,
    of_transposed,
    of_recorded,
    of_alpha,
    of_out,
    count_of_places
};

bool read_options(PyObject* const* given, Options& options) {
    Py_ssize_t size = 0;
    if (given[of_accuracy] != Py_None) {
        const char* accuracy =
            PyUnicode_Check(given[of_accuracy]) ? PyUnicode_AsUTF8AndSize(given[of_accuracy], &size) : nullptr;
        if (!accuracy || (size > 0 && !parse_accuracy({accuracy, static_cast<std::size_t>(size)}, options.accuracy)))
            return false;
    }
    const char* activation = PyUnicode_AsUTF8AndSize(given[of_activation], &size);
    if (!activation) return false;
    const std::string_view name(activation, static_cast<std::size_t>(size));
    Activation& of = options.epilogue.activation;
    if (name == "relu") of = Activation::relu;
    else if (name == "gelu") of = Activation::gelu;
    else if (name == "silu") of = Activation::silu;
    else if (name != "none") return false;
    options.reproducible = PyObject_IsTrue(given[of_reproducible]) == 1;  // an operator's is a whole number
    options.alpha = PyFloat_AsDouble(given[of_alpha]);
    return !PyErr_Occurred();
}

/// The result, alone in a tuple where its gradient is to be recorded; null without an exception when the caller is to
/// go another way.
PyObject* product_of(PyObject* const* given) {
    Options options;
    Handed a("a"), b("b"), bias("bias"), residual("residual"), c("out");
    const bool is_recorded = given[of_recorded] == Py_True;
    for (Handed* all : {&a, &b, &bias, &residual}) all->gradient = is_recorded ? Gradient::noted : Gradient::ignored;
    if (!is_recorded) c.gradient = Gradient::ignored;
    const bool has_bias = given[of_bias] != Py_None, has_residual = given[of_residual] != Py_None;
    if (!read_options(given, options)) return PyErr_Clear(), nullptr;
    if (!a.take(given[of_a], false) || !b.take(given[of_b], false) || !a.is_beside(b)) return nullptr;
    if (is_recorded && is_watched()) return nullptr;
    if (given[of_transposed] == Py_True) b.transpose();
    std::int64_t shape[most_dims];
    int dims = 0;
    if (!shape_of_product(a, b, shape, dims)) return nullptr;
    if (has_bias) {
        if (!bias.take_row(given[of_bias]) || !bias.is_beside(a) || bias.operand.cols() != shape[dims - 1])
            return nullptr;
        if (bias.operand.cols() > 1 && bias.operand.steps[1] != 1) return nullptr;
        options.epilogue.bias = bias.operand.data;
        options.epilogue.bias_type = bias.operand.type;
        options.epilogue.bias_size = bias.operand.cols();
    }
    if (has_residual &&
        (!residual.take(given[of_residual], false) || !residual.is_beside(a) || !has_shape(residual, shape, dims)))
        return nullptr;
    const bool is_out_given = given[of_out] != Py_None;
    const bool wants_gradient = a.wants_gradient || b.wants_gradient || bias.wants_gradient || residual.wants_gradient;
    if (wants_gradient && is_out_given) return nullptr;
    PyObject* made = nullptr;
    if (is_out_given) {
        if (!c.take(given[of_out], true) || !c.is_beside(a) || !has_shape(c, shape, dims) || c.overlaps(a) ||
            c.overlaps(b) || (has_bias && c.overlaps(bias)) || (has_residual && c.overlaps(residual)))
            return nullptr;
    } else if (!(made = c.make(a, shape, dims))) {
        return nullptr;
    }
    if (multiply_handed(a, b, c, has_residual ? &residual : nullptr, options)) {
        if (!made) return Py_NewRef(given[of_out]);
        if (!wants_gradient) return made;
        PyObject* alone = PyTuple_Pack(1, made);
        Py_DECREF(made);
        return alone;
    }
    Py_XDECREF(made);
    return nullptr;
}

PyObject* affine(PyObject*, PyObject* const* given, Py_ssize_t count) {
    if (count != count_of_places) return PyErr_SetString(PyExc_TypeError, "affine: expected eleven arguments"), nullptr;
    PyObject* product = product_of(given);
    return product || PyErr_Occurred() ? product : Py_NewRef(Py_NotImplemented);
}

/// torch.ops.tilewright's products as Python calls them: by place, which is how most are called, they come here with
/// nothing of Python on the way. What can't be had so is the operator's, and by name the function's that knows names.
enum class Called { matmul, linear, addmm };

template <Called called>
PyObject* call(PyObject* otherwise, PyObject* const* arguments, Py_ssize_t count, PyObject* names) {
    static PyObject* const none = PyUnicode_InternFromString("none");
    static PyObject* const one = PyFloat_FromDouble(1);
    constexpr Py_ssize_t least = called == Called::addmm ? 3 : 2, most = called == Called::linear ? 4 : least;
    if (!names && count >= least && count <= most) {
        PyObject* given[count_of_places] = {Py_None, Py_None, Py_None,  Py_None,
                                            none,    Py_None, Py_False, called == Called::linear ? Py_True : Py_False,
                                            Py_True, one,     Py_None};
        constexpr Py_ssize_t of_addmm[] = {of_bias, of_a, of_b};
        for (Py_ssize_t i = 0; i < count; ++i) given[called == Called::addmm ? of_addmm[i] : of_a + i] = arguments[i];
        PyObject* product = product_of(given);
        if (product && PyTuple_CheckExact(product)) {  // who records takes the same arguments behind it
            PyObject* recorded[1 + most] = {product};
            for (Py_ssize_t i = 0; i < count; ++i) recorded[1 + i] = arguments[i];
            PyObject* result = PyObject_Vectorcall(PyTuple_GetItem(otherwise, 2), recorded,
                                                   static_cast<std::size_t>(1 + count), nullptr);
            Py_DECREF(product);
            return result;
        }
        if (product || PyErr_Occurred()) return product;
    }
    return PyObject_Vectorcall(PyTuple_GetItem(otherwise, names ? 1 : 0), arguments, static_cast<std::size_t>(count),
                               names);
}

template <Called called>
PyMethodDef method_of(const char* name) {
    return {name, reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(&call<called>)),
            METH_FASTCALL | METH_KEYWORDS, nullptr};
}

nanobind::object called_by_place(const std::string& name, nanobind::tuple otherwise) {
    static PyMethodDef methods[] = {method_of<Called::matmul>("matmul"), method_of<Called::linear>("linear"),
                                    method_of<Called::addmm>("addmm")};
    for (PyMethodDef& method : methods)
        if (name == method.ml_name)
            return nanobind::steal(
                PyCFunction_NewEx(&method, otherwise.ptr(), nanobind::str("tilewright._native").ptr()));
    throw nanobind::value_error("called_by_place: expected matmul, linear or addmm");
}

}  // namespace

void bind_affine(nanobind::module_& module) {
    static PyMethodDef method{"affine", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(&affine)),
                              METH_FASTCALL, words};
    module.attr("affine") =
        nanobind::steal(PyCFunction_NewEx(&method, nullptr, nanobind::str("tilewright._native").ptr()));
    module.def("called_by_place", &called_by_place, nanobind::arg("name"), nanobind::arg("otherwise"),
               "matmul, linear or addmm of tensors by place; otherwise: who takes what can't be had so, who takes "
               "names, and who records a gradient.");
}

}  // namespace tw::python
