// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "python/handed.hpp"

#include <cstddef>
#include <cstring>

#include "python/cupy.hpp"
#include "python/watch.hpp"

namespace tw::python {
namespace {

/// What Python is asked for again and again, looked up once. A reference that is held for good: the types live as long.
struct Known {
    PyTypeObject* array = nullptr;  ///< numpy.ndarray
    PyObject* empty = nullptr;      ///< numpy.empty
    PyTypeObject *tensor = nullptr, *parameter = nullptr;
    PyObject* grad_enabled = nullptr;  ///< torch.is_grad_enabled
    PyObject* empty_like = nullptr;    ///< torch.empty_like
    const exchange::Table* table = nullptr;
    bool has_looked_for_torch = false;
    PyObject *dtype, *requires_grad, *is_neg, *empty_beside;

    Known() {
        dtype = PyUnicode_InternFromString("dtype");
        requires_grad = PyUnicode_InternFromString("requires_grad");
        is_neg = PyUnicode_InternFromString("is_neg");
        empty_beside = PyUnicode_InternFromString("new_empty");
        if (PyObject* numpy = PyImport_ImportModule("numpy")) {
            array = reinterpret_cast<PyTypeObject*>(PyObject_GetAttrString(numpy, "ndarray"));
            empty = PyObject_GetAttrString(numpy, "empty");
            Py_DECREF(numpy);
        }
        PyErr_Clear();
    }

    bool is_tensor(PyTypeObject* type) const { return table && (type == tensor || type == parameter); }

    /// torch is never imported here: its tensors come when it is there, complete.
    void look_for_torch(PyTypeObject* type) {
        PyObject* name = PyObject_GetAttrString(reinterpret_cast<PyObject*>(type), "__module__");
        const char* module = name ? PyUnicode_AsUTF8AndSize(name, nullptr) : nullptr;
        if (module && std::strncmp(module, "torch", 5) == 0) find_torch();
        Py_XDECREF(name);
        PyErr_Clear();
    }

private:
    void find_torch() {
        PyObject* torch = PyImport_ImportModule("torch");
        PyObject* nn = torch ? PyObject_GetAttrString(torch, "nn") : nullptr;
        PyObject* of_tensor = torch ? PyObject_GetAttrString(torch, "Tensor") : nullptr;
        PyObject* of_parameter = nn ? PyObject_GetAttrString(nn, "Parameter") : nullptr;
        PyObject* capsule = of_tensor ? PyObject_GetAttrString(of_tensor, "__dlpack_c_exchange_api__") : nullptr;
        auto* found =
            capsule ? static_cast<exchange::Table*>(PyCapsule_GetPointer(capsule, exchange::capsule)) : nullptr;
        while (found && found->major > 1) found = found->older;
        has_looked_for_torch = of_parameter != nullptr;
        if (of_parameter && found && found->look && found->current_stream) {
            grad_enabled = PyObject_GetAttrString(torch, "is_grad_enabled");
            empty_like = PyObject_GetAttrString(torch, "empty_like");
            tensor = reinterpret_cast<PyTypeObject*>(of_tensor);
            parameter = reinterpret_cast<PyTypeObject*>(of_parameter);
            if (grad_enabled && empty_like) table = found;
            find_watchers(torch);
        }
        Py_XDECREF(torch), Py_XDECREF(nn), Py_XDECREF(capsule);
    }
};

Known& known() {
    static Known* all = new Known;  // never freed: Python may be gone by then
    return *all;
}

bool is_true(PyObject* answer) {
    const bool yes = answer == Py_True;
    Py_XDECREF(answer);
    return yes;
}

bool is_gradient_wanted(PyObject* tensor) {
    return is_true(PyObject_GetAttr(tensor, known().requires_grad)) &&
           is_true(PyObject_CallNoArgs(known().grad_enabled));
}

/// A tensor whose numbers are the negatives of what lies in memory.
bool is_negative(PyObject* tensor) { return is_true(PyObject_VectorcallMethod(known().is_neg, &tensor, 1, nullptr)); }

bool type_of_format(const char* format, Py_ssize_t bytes, Type& type) {
    if (!format || format[0] == 0 || format[1] != 0) return false;
    switch (format[0]) {
        case 'd': type = Type::f64; break;
        case 'f': type = Type::f32; break;
        case 'e': type = Type::f16; break;
        default: return false;
    }
    return bytes == static_cast<Py_ssize_t>(size_of(type));
}

bool type_of_dtype(exchange::Dtype dtype, Type& type) {
    if (dtype.lanes != 1) return false;
    if (dtype.code == exchange::bfloat) return type = Type::bf16, dtype.bits == 16;
    if (dtype.code != exchange::floating) return false;
    switch (dtype.bits) {
        case 64: type = Type::f64; return true;
        case 32: type = Type::f32; return true;
        case 16: type = Type::f16; return true;
        default: return false;
    }
}

PyObject* fresh_array(PyObject* like, PyObject* sizes) {
    PyObject* dtype = PyObject_GetAttr(like, known().dtype);
    PyObject* arguments[] = {sizes, dtype};
    PyObject* made = dtype ? PyObject_Vectorcall(known().empty, arguments, 2, nullptr) : nullptr;
    Py_XDECREF(dtype);
    return made;
}

/// Sizes one by one: torch takes a tuple of them apart in another microsecond. Where there are none, as in the product
/// with a square matrix, it is quicker by half a microsecond.
PyObject* fresh_tensor(PyObject* like, const std::int64_t* shape, int dims) {
    PyObject* arguments[1 + most_dims] = {like};
    for (int d = 0; d < dims; ++d) arguments[1 + d] = PyLong_FromLongLong(shape[d]);
    PyObject* made = PyErr_Occurred() ? nullptr
                                      : PyObject_VectorcallMethod(known().empty_beside, arguments,
                                                                  static_cast<std::size_t>(1 + dims), nullptr);
    for (int d = 0; d < dims; ++d) Py_XDECREF(arguments[1 + d]);
    return made;
}

}  // namespace

void Handed::reset() {
    if (buffer_.obj) PyBuffer_Release(&buffer_);
}

bool Handed::take(PyObject* array, bool is_written) {
    Known& of = known();
    array_ = array;
    PyTypeObject* type = Py_TYPE(array);
    if (type == of.array) return take_buffer(array, is_written);
    if (of.is_tensor(type)) return take_tensor(array);
    if (cupy::is_array(type)) return take_cupy(array);
    if (!of.has_looked_for_torch) of.look_for_torch(type);
    return of.is_tensor(type) && take_tensor(array);
}

bool Handed::take_buffer(PyObject* array, bool is_written) {
    if (PyObject_GetBuffer(array, &buffer_, is_written ? PyBUF_RECORDS : PyBUF_RECORDS_RO) != 0) {
        PyErr_Clear();
        return false;
    }
    if (buffer_.ndim < least_dims_ || buffer_.ndim > most_dims ||
        !type_of_format(buffer_.format, buffer_.itemsize, operand.type))
        return false;
    operand.data = buffer_.buf;
    operand.batch_dims = buffer_.ndim - 2;
    for (int d = 0; d < buffer_.ndim; ++d) {
        if (buffer_.strides[d] % buffer_.itemsize != 0) return false;
        operand.shape[d] = buffer_.shape[d];
        operand.steps[d] = buffer_.strides[d] / buffer_.itemsize;
    }
    return true;
}

bool Handed::take_tensor(PyObject* array) {
    wants_gradient = gradient != Gradient::ignored && is_gradient_wanted(array);
    if ((wants_gradient && gradient == Gradient::refused) || is_negative(array)) return false;
    if (!PyErr_Occurred()) return look_at_tensor(array);
    PyErr_Clear();
    return false;
}

bool Handed::look_at_tensor(PyObject* array) {
    const exchange::Table* table = known().table;
    exchange::Tensor seen{};
    if (table->look(array, &seen) != 0) {
        PyErr_Clear();
        return false;
    }
    const bool is_known = seen.device.kind == exchange::cpu || seen.device.kind == exchange::cuda;
    if (!is_known || seen.dims < least_dims_ || seen.dims > most_dims || !seen.strides ||
        !type_of_dtype(seen.dtype, operand.type))
        return false;
    operand.data = static_cast<std::byte*>(seen.data) + seen.byte_offset;
    operand.batch_dims = seen.dims - 2;
    for (int d = 0; d < seen.dims; ++d) operand.shape[d] = seen.shape[d], operand.steps[d] = seen.strides[d];
    device_ = seen.device;
    table_ = table;
    return true;
}

bool Handed::take_cupy(PyObject* array) {
    const int device = cupy::look(array, least_dims_, operand);
    device_ = {exchange::cuda, device};
    return device >= 0;
}

void Handed::turn_into_row() {
    operand.batch_dims = 0;
    operand.shape[1] = operand.shape[0], operand.steps[1] = operand.steps[0];
    operand.shape[0] = 1, operand.steps[0] = operand.shape[1];
}

PyObject* Handed::make(const Handed& like, const std::int64_t* shape, int dims) {
    PyObject* made = nullptr;
    if (like.table_) {
        made = like.lies_as(shape, dims) ? PyObject_Vectorcall(known().empty_like, &like.array_, 1, nullptr)
                                         : fresh_tensor(like.array_, shape, dims);
    } else if (PyObject* sizes = PyTuple_New(dims)) {
        for (int d = 0; d < dims; ++d) PyTuple_SetItem(sizes, d, PyLong_FromLongLong(shape[d]));
        made = like.is_far() ? cupy::make(like.array_, sizes) : fresh_array(like.array_, sizes);
        Py_DECREF(sizes);
    }
    // Of a fresh tensor nobody wants a gradient, and its numbers are what lies in memory.
    const auto is_taken = [&] {
        if (!like.table_ || !known().is_tensor(Py_TYPE(made))) return take(made, true);
        array_ = made;
        return look_at_tensor(made);
    };
    if (made && !is_taken()) {
        Py_DECREF(made);
        PyErr_SetString(PyExc_RuntimeError, "matmul: the result's own library made an array that can't be written to");
        return nullptr;
    }
    return made;
}

bool Handed::lies_as(const std::int64_t* shape, int dims) const {
    bool same = dims == this->dims();
    std::int64_t step = 1;
    for (int d = dims - 1; same && d >= 0; --d) {
        same = operand.shape[d] == shape[d] && operand.steps[d] == step;
        step *= shape[d];
    }
    return same;
}

bool Handed::overlaps(const Handed& other) const {
    const auto ends = [](const Operand& of, std::intptr_t& first, std::intptr_t& last) {
        first = last = reinterpret_cast<std::intptr_t>(of.data);
        const auto bytes = static_cast<std::int64_t>(size_of(of.type));
        for (int d = 0; d < of.batch_dims + 2; ++d) {
            if (of.shape[d] == 0) return false;
            (of.steps[d] < 0 ? first : last) += (of.shape[d] - 1) * of.steps[d] * bytes;
        }
        last += bytes;
        return true;
    };
    std::intptr_t first, last, others_first, others_last;
    return ends(operand, first, last) && ends(other.operand, others_first, others_last) && first < others_last &&
           others_first < last;
}

bool Handed::stream(void*& current) const {
    return table_ ? table_->current_stream(device_.kind, device_.number, &current) == 0 : cupy::stream(current);
}

}  // namespace tw::python
