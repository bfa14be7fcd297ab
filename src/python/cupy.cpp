// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "python/cupy.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace tw::python::cupy {
namespace {

/// What CuPy is asked for again and again. References that are held for good.
struct Known {
    PyTypeObject* array = nullptr;
    PyObject *empty = nullptr, *stream = nullptr, *device = nullptr;
    PyObject *data, *ptr, *device_id, *dtype, *letter, *shape, *strides;

    Known() {
        data = PyUnicode_InternFromString("data");
        ptr = PyUnicode_InternFromString("ptr");
        device_id = PyUnicode_InternFromString("device_id");
        dtype = PyUnicode_InternFromString("dtype");
        letter = PyUnicode_InternFromString("char");
        shape = PyUnicode_InternFromString("shape");
        strides = PyUnicode_InternFromString("strides");
    }

    void find() {
        PyObject* module = PyImport_ImportModule("cupy");
        PyObject* cuda = module ? PyObject_GetAttrString(module, "cuda") : nullptr;
        PyObject* runtime = cuda ? PyObject_GetAttrString(cuda, "runtime") : nullptr;
        empty = runtime ? PyObject_GetAttrString(module, "empty") : nullptr;
        stream = empty ? PyObject_GetAttrString(cuda, "get_current_stream") : nullptr;
        device = stream ? PyObject_GetAttrString(runtime, "getDevice") : nullptr;
        if (device) array = reinterpret_cast<PyTypeObject*>(PyObject_GetAttrString(module, "ndarray"));
        Py_XDECREF(module), Py_XDECREF(cuda), Py_XDECREF(runtime);
        PyErr_Clear();
    }
};

Known& known() {
    static Known* all = new Known;  // never freed: Python may be gone by then
    return *all;
}

/// A whole number that an object has, or is; -1 when it has none. Takes the reference.
std::int64_t whole(PyObject* number) {
    const std::int64_t value = number ? static_cast<std::int64_t>(PyLong_AsUnsignedLongLongMask(number)) : -1;
    Py_XDECREF(number);
    return PyErr_Occurred() ? -1 : value;
}

bool type_of(PyObject* dtype, Type& type) {
    PyObject* letter = dtype ? PyObject_GetAttr(dtype, known().letter) : nullptr;
    const char* text = letter ? PyUnicode_AsUTF8AndSize(letter, nullptr) : nullptr;
    const char named = text ? text[0] : 0;
    Py_XDECREF(letter);
    switch (named) {
        case 'd': type = Type::f64; return true;
        case 'f': type = Type::f32; return true;
        case 'e': type = Type::f16; return true;
        default: return false;
    }
}

bool read_shape(PyObject* shape, PyObject* strides, int least_dims, Operand& operand) {
    if (!shape || !strides || !PyTuple_Check(shape) || !PyTuple_Check(strides)) return false;
    const auto dims = static_cast<int>(PyTuple_Size(shape));
    const auto bytes = static_cast<std::int64_t>(size_of(operand.type));
    if (dims < least_dims || dims > most_dims) return false;
    operand.batch_dims = dims - 2;
    for (int d = 0; d < dims; ++d) {
        operand.shape[d] = PyLong_AsLongLong(PyTuple_GetItem(shape, d));
        const std::int64_t stride = PyLong_AsLongLong(PyTuple_GetItem(strides, d));
        if (stride % bytes != 0) return false;
        operand.steps[d] = stride / bytes;
    }
    return !PyErr_Occurred();
}

}  // namespace

bool is_array(PyTypeObject* type) {
    Known& of = known();
    if (of.array) return type == of.array;
    PyObject* name = PyObject_GetAttrString(reinterpret_cast<PyObject*>(type), "__module__");
    const char* module = name ? PyUnicode_AsUTF8AndSize(name, nullptr) : nullptr;
    if (module && std::strcmp(module, "cupy") == 0) of.find();
    Py_XDECREF(name);
    PyErr_Clear();
    return of.array && type == of.array;
}

int look(PyObject* array, int least_dims, Operand& operand) {
    const Known& of = known();
    PyObject* dtype = PyObject_GetAttr(array, of.dtype);
    PyObject* shape = PyObject_GetAttr(array, of.shape);
    PyObject* strides = PyObject_GetAttr(array, of.strides);
    PyObject* data = PyObject_GetAttr(array, of.data);
    std::int64_t device = -1;
    if (data && type_of(dtype, operand.type) && read_shape(shape, strides, least_dims, operand)) {
        operand.data = reinterpret_cast<std::byte*>(whole(PyObject_GetAttr(data, of.ptr)));
        device = whole(PyObject_GetAttr(data, of.device_id));
        if (device != whole(PyObject_CallNoArgs(of.device))) device = -1;
    }
    Py_XDECREF(dtype), Py_XDECREF(shape), Py_XDECREF(strides), Py_XDECREF(data);
    PyErr_Clear();
    return static_cast<int>(device);
}

PyObject* make(PyObject* like, PyObject* sizes) {
    PyObject* dtype = PyObject_GetAttr(like, known().dtype);
    PyObject* arguments[] = {sizes, dtype};
    PyObject* made = dtype ? PyObject_Vectorcall(known().empty, arguments, 2, nullptr) : nullptr;
    Py_XDECREF(dtype);
    return made;
}

bool stream(void*& current) {
    PyObject* now = PyObject_CallNoArgs(known().stream);
    PyObject* address = now ? PyObject_GetAttr(now, known().ptr) : nullptr;
    Py_XDECREF(now);
    if (!address) return false;
    current = reinterpret_cast<void*>(whole(address));
    return !PyErr_Occurred();
}

}  // namespace tw::python::cupy
