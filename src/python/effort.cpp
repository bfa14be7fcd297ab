// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Matrices with an effort dial. The Python side (tilewright/effort.py) has found dtypes and shapes, and hands vectors
// over as contiguous rows of float32, of the host's memory or a CUDA device's.
#include "tilewright/effort.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <vector>

#include "python/arrays.hpp"
#include "python/matmul.hpp"

namespace tw::python {
namespace {

namespace nb = nanobind;
using namespace nb::literals;

using Rows = nb::ndarray<const float, nb::ndim<2>, nb::c_contig>;
using WritableRows = nb::ndarray<float, nb::ndim<2>, nb::c_contig>;
using Chosen = nb::ndarray<const int, nb::ndim<1>, nb::c_contig>;

EffortLayout layout_named(const std::string& name) {
    for (const EffortLayout layout : {EffortLayout::buckets, EffortLayout::tiers, EffortLayout::planes})
        if (name == name_of(layout)) return layout;
    const std::string sentence = "layout: expected buckets, tiers or planes; it is '" + name + "'";
    throw nb::value_error(sentence.c_str());
}

/// Weights of two dimensions are one matrix; of three, a batch of experts.
EffortMatrix built(const Array& weights, const std::string& dtype, const std::string& layout, int bucket,
                   bool truncating, DenseCopy dense, int planes, int threads) {
    const Operand all("weights", weights, dtype);
    const EffortBuild how{.layout = layout_named(layout),
                          .bucket = bucket,
                          .truncating = truncating,
                          .dense = dense,
                          .threads = threads,
                          .planes = planes};
    if (all.batch_dims > 1) throw nb::value_error("weights: expected outputs x inputs, or experts x outputs x inputs");
    std::vector<Matrix> experts;
    const std::int64_t count = all.batch_dims == 0 ? 1 : all.shape[0];
    for (std::int64_t place = 0; place < count; ++place) experts.push_back(all.at(&place, all.batch_dims));
    nb::gil_scoped_release others_may_run;
    return build_effort(experts, how);
}

EffortMatrix loaded(const std::string& path, int planes, bool keeps_dense, bool mapped) {
    return load_effort(path, {.planes = planes, .keeps_dense = keeps_dense, .mapped = mapped});
}

std::vector<EffortReport> products(const EffortMatrix& matrix, const Rows& v, const WritableRows& y, bool is_error,
                                   double value, const std::vector<int>& chosen, DenseSwitch dense, int threads,
                                   const std::string& device, std::uintptr_t stream, const Chosen& far_chosen) {
    const View<const float> from(v.data(), static_cast<std::int64_t>(v.shape(0)),
                                 static_cast<std::int64_t>(v.shape(1)));
    const View<float> into(y.data(), static_cast<std::int64_t>(y.shape(0)), static_cast<std::int64_t>(y.shape(1)));
    const Budget budget = is_error ? Budget::error(value) : Budget::effort(value);
    const EffortOptions options{
        .dense = dense, .threads = threads, .device = device, .stream = reinterpret_cast<void*>(stream)};
    std::vector<EffortReport> reports(y.shape(0));
    const std::span<const int> experts =
        far_chosen.is_valid() ? std::span(far_chosen.data(), far_chosen.size()) : std::span<const int>(chosen);
    Status status;
    {
        nb::gil_scoped_release others_may_run;
        status = experts.empty() ? try_matvec_batch(matrix, from, into, budget, options, reports)
                                 : try_matvec_experts(matrix, experts, from, into, budget, options, reports);
    }
    if (!status) throw Error(status, explain_effort(status, matrix));
    return reports;
}

void place(const EffortMatrix& matrix, const std::string& device) {
    if (const Status status = try_place_effort(matrix, device); !status)
        throw Error(status, explain_effort(status, matrix));
}

}  // namespace

void bind_effort(nb::module_& module) {
    nb::enum_<DenseCopy>(module, "DenseCopy")
        .value("automatic", DenseCopy::automatic)
        .value("kept", DenseCopy::kept)
        .value("absent", DenseCopy::absent);
    nb::enum_<DenseSwitch>(module, "DenseSwitch")
        .value("at_full", DenseSwitch::at_full)
        .value("when_quicker", DenseSwitch::when_quicker)
        .value("never", DenseSwitch::never);

    nb::class_<EffortReport>(module, "EffortReport", "What one product with an effort dial did.")
        .def_ro("rows_read", &EffortReport::rows_read)
        .def_ro("rows", &EffortReport::rows)
        .def_ro("bytes_read", &EffortReport::bytes_read)
        .def_ro("bytes", &EffortReport::bytes)
        .def_ro("cutoff", &EffortReport::cutoff)
        .def_ro("estimated_error", &EffortReport::estimated_error)
        .def_ro("dense", &EffortReport::dense)
        .def_prop_ro("kernels", [](const EffortReport& report) { return std::string(report.kernels); })
        .def("__repr__", [](const EffortReport& report) {
            return "EffortReport(rows_read=" + std::to_string(report.rows_read) + " of " + std::to_string(report.rows) +
                   ", bytes_read=" + std::to_string(report.bytes_read) +
                   ", estimated_error=" + std::to_string(report.estimated_error) + ")";
        });

    nb::class_<EffortMatrix>(module, "EffortMatrix", "What tilewright.EffortMatrix holds.")
        .def_prop_ro("outputs", &EffortMatrix::outputs)
        .def_prop_ro("inputs", &EffortMatrix::inputs)
        .def_prop_ro("experts", &EffortMatrix::experts)
        .def_prop_ro("layout", [](const EffortMatrix& matrix) { return std::string(name_of(matrix.layout())); })
        .def_prop_ro("planes", &EffortMatrix::planes)
        .def_prop_ro("has_dense", &EffortMatrix::has_dense)
        .def_prop_ro("rows", &EffortMatrix::rows)
        .def_prop_ro("bytes", &EffortMatrix::bytes)
        .def_prop_ro("bytes_held", &EffortMatrix::bytes_held)
        .def_prop_ro("fp16_bytes", &EffortMatrix::fp16_bytes)
        .def("save", &EffortMatrix::save, "path"_a, nb::call_guard<nb::gil_scoped_release>())
        .def("products", &products, "v"_a, "y"_a, "is_error"_a, "value"_a, "chosen"_a, "dense"_a, "threads"_a,
             "device"_a, "stream"_a, "far_chosen"_a.none() = nb::none())
        .def("place", &place, "device"_a, nb::call_guard<nb::gil_scoped_release>());
    module.def("build_effort", &built, "weights"_a, "dtype"_a, "layout"_a, "bucket"_a, "truncating"_a, "dense"_a,
               "planes"_a, "threads"_a);
    module.def("load_effort", &loaded, "path"_a, "planes"_a, "keeps_dense"_a, "mapped"_a,
               nb::call_guard<nb::gil_scoped_release>());
}

}  // namespace tw::python
