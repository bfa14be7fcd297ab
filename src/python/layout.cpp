// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "tilewright/draw.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/operators.h>
#include <nanobind/stl/string.h>

#include "python/matmul.hpp"

namespace tw::python {

namespace nb = nanobind;
using namespace nb::literals;

namespace {

constexpr std::int64_t most_cells = 65536;  // of a drawing: more are no picture, and gigabytes of text

std::string spelled(const Layout& l) {
    return "Layout(" + std::to_string(l.rows) + ", " + std::to_string(l.cols) +
           ", row_step=" + std::to_string(l.row_step) + ", col_step=" + std::to_string(l.col_step) +
           ", offset=" + std::to_string(l.offset) + ")";
}

}  // namespace

void bind_layout(nb::module_& module) {
    nb::class_<Layout>(module, "Layout",
                       "Where element (i, j) lies: at offset + i * row_step + j * col_step.\n\n"
                       ">>> from tilewright import Layout\n"
                       ">>> Layout.row_major(2, 6)(1, 1)\n"
                       "7\n")
        .def(
            "__init__",
            [](Layout* self, std::int64_t rows, std::int64_t cols, std::int64_t row_step, std::int64_t col_step,
               std::int64_t offset) { new (self) Layout{rows, cols, row_step, col_step, offset}; },
            "rows"_a, "cols"_a, "row_step"_a, "col_step"_a = 1, "offset"_a = 0)
        .def_static(
            "row_major", [](std::int64_t rows, std::int64_t cols) { return row_major(rows, cols); }, "rows"_a, "cols"_a,
            "Rows one after another.")
        .def_static(
            "col_major", [](std::int64_t rows, std::int64_t cols) { return col_major(rows, cols); }, "rows"_a, "cols"_a,
            "Columns one after another.")
        .def_ro("rows", &Layout::rows)
        .def_ro("cols", &Layout::cols)
        .def_ro("row_step", &Layout::row_step)
        .def_ro("col_step", &Layout::col_step)
        .def_ro("offset", &Layout::offset)
        .def("__call__", &Layout::operator(), "i"_a, "j"_a, "The offset of element (i, j).")
        .def("transposed", &Layout::transposed, "The same elements with rows and columns exchanged.")
        .def(
            "tile",
            [](const Layout& l, std::int64_t rows, std::int64_t cols, std::int64_t i, std::int64_t j) {
                if (rows < 1 || cols < 1) throw nb::value_error("tile: expected at least one row and one column");
                return l.tile(rows, cols, i, j);
            },
            "rows"_a, "cols"_a, "i"_a, "j"_a,
            "Tile (i, j) of those that are rows x cols; at a ragged edge it is what is left.\n\n"
            ">>> from tilewright import Layout\n"
            ">>> Layout.row_major(4, 6).tile(2, 2, 0, 1)\n"
            "Layout(2, 2, row_step=6, col_step=1, offset=2)\n")
        .def(
            "vectorize",
            [](const Layout& l, std::int64_t rows, std::int64_t cols) {
                if (rows < 1 || cols < 1) throw nb::value_error("vectorize: expected at least one row and one column");
                return l.vectorize(rows, cols);
            },
            "rows"_a, "cols"_a, "The first elements of the vectors of rows x cols that fit whole.")
        .def(
            "distribute",
            [](const Layout& l, const Layout& threads, std::int64_t id) {
                if (threads.size() < 1) throw nb::value_error("distribute: expected a layout of at least one thread");
                return l.distribute(threads, id);
            },
            "threads"_a, "id"_a,
            "What thread `id` of a layout of threads gets: every threads.rows-th row, columns alike.")
        .def(nb::self == nb::self)
        .def("__hash__",
             [](const Layout& l) { return nb::hash(nb::make_tuple(l.rows, l.cols, l.row_step, l.col_step, l.offset)); })
        .def("__str__",
             [](const Layout& l) { return l.cols > 0 && l.rows > most_cells / l.cols ? spelled(l) : draw(l); })
        .def("__repr__", &spelled);
}

}  // namespace tw::python
