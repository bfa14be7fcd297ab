// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "python/quick.hpp"

#include <nanobind/nanobind.h>

#include "python/matmul.hpp"
#include "python/product.hpp"
#include "tilewright/multiply.hpp"

namespace tw::python {
namespace {

/// Of m n k: some microseconds. Getting the interpreter back may take longer.
constexpr std::int64_t few_steps = 1 << 18;

bool is_short(const Handed& a, const Handed& b) {
    const std::int64_t m = a.operand.rows(), n = b.operand.cols(), k = a.operand.cols();
    return a.dims() == 2 && b.dims() == 2 && m <= few_steps && n <= few_steps && k <= few_steps && m * n <= few_steps &&
           m * n * k <= few_steps && !a.is_far();
}

/// A batch whose rows follow one another evenly is one matrix of all of them; false when they do not.
bool fold(Operand& operand) {
    for (; operand.batch_dims > 0; --operand.batch_dims) {
        const int last = operand.batch_dims - 1;  // of the batch
        const std::int64_t count = operand.shape[last], rows = operand.shape[last + 1];
        if (count != 1 && rows != 1 && operand.steps[last] != rows * operand.steps[last + 1]) return false;
        if (rows == 1) operand.steps[last + 1] = operand.steps[last];
        operand.shape[last] = count * rows;
        operand.steps[last] = operand.steps[last + 1];
        operand.shape[last + 1] = operand.shape[last + 2];
        operand.steps[last + 1] = operand.steps[last + 2];
    }
    return true;
}

/// One B for all of a batch: rows below one another are one product, which reads B once. A row's bits may not know it.
void multiply_folded(const Handed& a, const Handed& b, const Handed& c, const Handed* residual, Options& options) {
    Operand x = a.operand, z = c.operand, addend = residual ? residual->operand : Operand("residual");
    const bool is_one = c.dims() == 2 || (b.dims() == 2 && a.dims() == c.dims() && fold(x) && fold(z) &&
                                          (!residual || (residual->dims() == c.dims() && fold(addend))));
    if (!is_one)
        return multiply_operands(a.operand, b.operand, c.operand, residual ? &residual->operand : nullptr, options);
    if (residual) options.epilogue.residual = addend.matrix(addend.data);
    multiply(x.matrix(x.data), b.operand.matrix(b.operand.data), z.matrix(z.data), options);
}

}  // namespace

bool shape_of_product(const Handed& a, const Handed& b, std::int64_t (&shape)[most_dims], int& dims) {
    const Operand &left = a.operand, &right = b.operand;
    if (left.cols() != right.rows()) return false;
    dims = a.dims() > b.dims() ? a.dims() : b.dims();
    for (int d = 0; d < dims - 2; ++d) {
        const int of_left = d - (dims - a.dims()), of_right = d - (dims - b.dims());
        const std::int64_t x = of_left < 0 ? 1 : left.shape[of_left], y = of_right < 0 ? 1 : right.shape[of_right];
        if (x != y && x != 1 && y != 1) return false;
        shape[d] = x == 1 ? y : x;
    }
    shape[dims - 2] = left.rows();
    shape[dims - 1] = right.cols();
    return true;
}

bool has_shape(const Handed& array, const std::int64_t* shape, int dims) {
    bool same = array.dims() == dims;
    for (int d = 0; same && d < dims; ++d) same = array.operand.shape[d] == shape[d];
    return same;
}

bool multiply_handed(const Handed& a, const Handed& b, const Handed& c, const Handed* residual, Options& options) {
    if (c.is_far() && !c.stream(options.stream)) return false;
    PyThreadState* others_may_run = is_short(a, b) ? nullptr : PyEval_SaveThread();
    const auto back = [&] {
        if (others_may_run) PyEval_RestoreThread(others_may_run);
    };
    try {
        multiply_folded(a, b, c, residual, options);
        back();
        return true;
    } catch (const Error& error) {
        back();
        set_error(error);
    } catch (const std::exception& error) {
        back();
        PyErr_SetString(PyExc_RuntimeError, error.what());
    }
    return false;
}

}  // namespace tw::python
