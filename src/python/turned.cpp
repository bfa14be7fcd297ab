// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The product of a matrix with an effort dial and a tensor that is handed over without Python, for tilewright.torch: a
// token takes one for each layer, and a small one takes no longer than what Python does to reach it.
#include <nanobind/nanobind.h>

#include <algorithm>
#include <vector>

#include "python/handed.hpp"
#include "python/matmul.hpp"
#include "python/watch.hpp"
#include "tilewright/effort.hpp"

namespace tw::python {
namespace {

namespace nb = nanobind;
using namespace nb::literals;

constexpr const char* words =
    "(y, bytes read): W times every vector in the last dimension of x, an effort or an error each. `prompt` vectors or "
    "more (0: only where effort 1 is asked for) are one product at effort 1. NotImplemented when x is out of the "
    "ordinary or, with is_recorded, torch wants to see or to record; nothing was done then.";

/// Vectors that take the dial in one call.
constexpr std::int64_t few = effort_dense_batch - 1;

/// Row by row without gaps, whatever the steps of dimensions of one.
bool follows(const Handed& x) {
    std::int64_t step = 1;
    for (int d = x.dims() - 1; d >= 0; step *= x.operand.shape[d], --d)
        if (x.operand.shape[d] != 1 && x.operand.steps[d] != step) return false;
    return true;
}

/// How a batch is read.
struct Turn {
    Budget budget;
    std::int64_t at_once;

    Turn(std::int64_t rows, bool is_error, double value, std::int64_t prompt)
        : budget(is_error ? Budget::error(value) : Budget::effort(value)), at_once(few) {
        const bool is_full = !is_error && value >= 1;
        if (rows <= few || (!is_full && (prompt <= 0 || rows < prompt))) return;
        budget = Budget::effort(1);
        at_once = rows;
    }
};

Status multiply(const EffortMatrix& matrix, View<const float> v, View<float> y, const Turn& turn, int threads,
                std::vector<EffortReport>& reports) {
    nb::gil_scoped_release others_may_run;
    for (std::int64_t first = 0; first < v.rows; first += turn.at_once) {
        const std::int64_t count = std::min(turn.at_once, v.rows - first);
        const Status status = try_matvec_batch(
            matrix, View<const float>(v.data + first * v.cols, count, v.cols),
            View<float>(y.data + first * y.cols, count, y.cols), turn.budget, {.threads = threads},
            std::span(reports).subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count)));
        if (!status) return status;
    }
    return {};
}

nb::object turned(const EffortMatrix& matrix, nb::handle x, bool is_error, double value, std::int64_t prompt,
                  int threads, bool is_recorded) {
    Handed v("x"), y("y");
    v.gradient = is_recorded ? Gradient::noted : Gradient::ignored;
    if (!v.take(x.ptr(), false) || v.is_far() || v.wants_gradient || v.operand.type != Type::f32 ||
        v.operand.cols() != matrix.inputs() || !follows(v) || (is_recorded && is_watched()))
        return nb::borrow(Py_NotImplemented);
    std::int64_t shape[most_dims], rows = 1;
    for (int d = 0; d < v.dims() - 1; ++d) rows *= shape[d] = v.operand.shape[d];
    shape[v.dims() - 1] = matrix.outputs();
    nb::object made = nb::steal(y.make(v, shape, v.dims()));
    if (!made.is_valid()) throw nb::python_error();
    std::vector<EffortReport> reports(static_cast<std::size_t>(rows));
    const Status status =
        multiply(matrix, View<const float>(static_cast<const float*>(v.operand.data), rows, matrix.inputs()),
                 View<float>(static_cast<float*>(y.operand.data), rows, matrix.outputs()),
                 Turn(rows, is_error, value, prompt), threads, reports);
    if (!status) throw Error(status, explain_effort(status, matrix));
    std::int64_t read = 0;
    for (const EffortReport& report : reports) read += report.bytes_read;
    return nb::make_tuple(made, read);
}

}  // namespace

void bind_turned(nb::module_& module) {
    module.def("turned", &turned, "matrix"_a, "x"_a, "is_error"_a, "value"_a, "prompt"_a, "threads"_a, "is_recorded"_a,
               words);
}

}  // namespace tw::python
