// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// One product or a batch of them. The Python side (tilewright/product.py) has found the arrays, their dtypes and their
// stream; here they become matrices, and the interpreter is let go while they are multiplied.
#include "python/matmul.hpp"

#include <nanobind/stl/complex.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <complex>
#include <optional>
#include <string>

#include "python/arrays.hpp"
#include "python/product.hpp"
#include "tilewright/plan.hpp"

namespace tw::python {
namespace {

namespace nb = nanobind;
using namespace nb::literals;

Accuracy accuracy_named(const std::string& name) {
    Accuracy accuracy;
    if (!parse_accuracy(name, accuracy)) {
        const std::string sentence =
            "accuracy: expected fp64, fp32, fp32_elementwise, tf32, bf16, fp16 or a positive number; it is '" + name +
            "'";
        throw nb::value_error(sentence.c_str());
    }
    return accuracy;
}

Activation activation_named(const std::string& name) {
    if (name.empty() || name == "none") return Activation::none;
    if (name == "relu") return Activation::relu;
    if (name == "gelu") return Activation::gelu;
    if (name == "silu") return Activation::silu;
    const std::string sentence = "activation: expected none, relu, gelu or silu; it is '" + name + "'";
    throw nb::value_error(sentence.c_str());
}

void matmul(const Array& a_array, const Array& b_array, const WritableArray& c_array, const std::string& a_dtype,
            const std::string& b_dtype, const std::string& c_dtype, std::complex<double> alpha,
            std::complex<double> beta, const std::string& accuracy, const std::string& kernel,
            const std::string& device, std::uintptr_t stream, int threads, bool reproducible, int slabs, int verify,
            double scale, const std::string& activation, std::optional<Array> bias, const std::string& bias_dtype,
            std::optional<Array> residual, const std::string& residual_dtype) {
    const Operand a("a", a_array, a_dtype), b("b", b_array, b_dtype), c("out", Array(c_array), c_dtype);
    Options options{.alpha = alpha.real(),
                    .alpha_imag = alpha.imag(),
                    .beta = beta.real(),
                    .beta_imag = beta.imag(),
                    .accuracy = accuracy_named(accuracy),
                    .reproducible = reproducible,
                    .slabs = slabs,
                    .verify = static_cast<Verify::Level>(verify),
                    .device = device,
                    .stream = reinterpret_cast<void*>(stream),
                    .threads = threads,
                    .kernel = kernel};
    options.epilogue.scale = scale;
    options.epilogue.activation = activation_named(activation);
    std::optional<Operand> row, addend;
    if (bias) {
        row.emplace("bias", *bias, bias_dtype);
        if (row->batch_dims > 0 || row->rows() != 1)
            throw nb::value_error("bias: expected a vector, one value for each column of the result");
        if (row->cols() > 1 && row->steps[1] != 1)
            throw nb::value_error("bias: expected values that are neighbours in memory");
        options.epilogue.bias = row->data;
        options.epilogue.bias_type = row->type;
        options.epilogue.bias_size = row->cols();
    }
    if (residual) addend.emplace("residual", *residual, residual_dtype);
    nb::gil_scoped_release others_may_run;
    multiply_operands(a, b, c, addend ? &*addend : nullptr, options);
}

std::string kernel_for(std::int64_t m, std::int64_t n, std::int64_t k, const std::string& dtype,
                       const std::string& accuracy, const std::string& kernel, const std::string& device,
                       bool reproducible, int slabs) {
    const Type type = dtype == "float64"      ? Type::f64
                      : dtype == "float16"    ? Type::f16
                      : dtype == "bfloat16"   ? Type::bf16
                      : dtype == "complex64"  ? Type::c64
                      : dtype == "complex128" ? Type::c128
                                              : Type::f32;
    const Problem problem{.m = m,
                          .n = n,
                          .k = k,
                          .in = type,
                          .out = type,
                          .place = device.starts_with("cuda") ? Place::cuda : Place::host,
                          .accuracy = accuracy.empty() ? Accuracy() : accuracy_named(accuracy)};
    Plan made;
    const Options options{
        .accuracy = problem.accuracy, .reproducible = reproducible, .slabs = slabs, .device = device, .kernel = kernel};
    const Status status = try_plan(problem, options, made);
    if (!status) throw nb::value_error(status.text);
    return made.kernel_name();
}

}  // namespace

void bind_matmul(nb::module_& module) {
    module.def("matmul", &matmul, "a"_a, "b"_a, "out"_a, "a_dtype"_a, "b_dtype"_a, "out_dtype"_a, "alpha"_a, "beta"_a,
               "accuracy"_a, "kernel"_a, "device"_a, "stream"_a, "threads"_a, "reproducible"_a, "slabs"_a, "verify"_a,
               "scale"_a, "activation"_a, "bias"_a.none(), "bias_dtype"_a, "residual"_a.none(), "residual_dtype"_a,
               "What tilewright.matmul calls once the arrays, their dtypes and their stream are known.");
    module.def("kernel_for", &kernel_for, "m"_a, "n"_a, "k"_a, "dtype"_a = "float32", "accuracy"_a = "",
               "kernel"_a = "", "device"_a = "", "reproducible"_a = false, "slabs"_a = 0,
               "The name of the kernel that would do this product; ValueError says why there is none.");
}

}  // namespace tw::python
