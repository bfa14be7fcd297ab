// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// One product or a batch of them. The Python side (tilewright/product.py) has found the arrays, their dtypes and their
// stream; here they become matrices, and the interpreter is let go while they are multiplied.
#include "python/matmul.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <optional>
#include <string>
#include <vector>

#include "python/arrays.hpp"
#include "tilewright/batch.hpp"
#include "tilewright/plan.hpp"

namespace tw::python {
namespace {

namespace nb = nanobind;
using namespace nb::literals;

Accuracy accuracy_named(const std::string& name) {
    Accuracy accuracy;
    if (!name.empty() && !parse_accuracy(name, accuracy)) {
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

/// A batch goes with the result's when it has no more dimensions and each is as long, or 1.
void check_batch(const Operand& operand, const Operand& c) {
    const int fewer = c.batch_dims - operand.batch_dims;
    bool fits = fewer >= 0;
    for (int d = 0; fits && d < operand.batch_dims; ++d)
        fits = operand.shape[d] == 1 || operand.shape[d] == c.shape[fewer + d];
    if (fits) return;
    const std::string sentence =
        std::string(operand.name) + ": expected the result's batch, or one that can be broadcast to it";
    throw nb::value_error(sentence.c_str());
}

/// Where the products of a batch begin in each operand, last dimension fastest.
struct Starts {
    std::vector<void*> a, b, c, residual;

    Starts(const Operand& a_of, const Operand& b_of, const Operand& c_of, const Operand* residual_of) {
        std::int64_t place[16] = {};
        for (int d = 0; d < c_of.batch_dims; ++d)
            if (c_of.shape[d] == 0) return;
        do {
            const auto start = [&](const Operand& operand) { return operand.at(place, c_of.batch_dims).data; };
            a.push_back(start(a_of)), b.push_back(start(b_of)), c.push_back(start(c_of));
            if (residual_of) residual.push_back(start(*residual_of));
        } while (next(c_of, place));
    }

    std::int64_t size() const { return static_cast<std::int64_t>(c.size()); }

    /// In elements, from each product's residual to the next one's; false when they do not lie evenly.
    bool residual_step(Type type, std::int64_t& step) const {
        if (residual.size() < 2) return true;
        const auto bytes = [&](std::size_t i) {
            return static_cast<char*>(residual[i]) - static_cast<char*>(residual[i - 1]);
        };
        step = bytes(1) / static_cast<std::int64_t>(size_of(type));
        for (std::size_t i = 2; i < residual.size(); ++i)
            if (bytes(i) != bytes(1)) return false;
        return true;
    }

private:
    static bool next(const Operand& batch, std::int64_t* place) {
        for (int d = batch.batch_dims - 1; d >= 0; --d) {
            if (++place[d] < batch.shape[d]) return true;
            place[d] = 0;
        }
        return false;
    }
};

/// Products `first` to `first + size` of a batch.
void multiply_some(const Operand& a, const Operand& b, const Operand& c, const Starts& starts, std::int64_t first,
                   std::int64_t size, std::int64_t residual_step, Options options) {
    Batch batch{.size = size,
                .residual_step = residual_step,
                .a = starts.a.data() + first,
                .b = starts.b.data() + first,
                .c = starts.c.data() + first};
    if (!starts.residual.empty()) options.epilogue.residual.data = starts.residual[static_cast<std::size_t>(first)];
    const Matrix am = a.matrix(*batch.a), bm = b.matrix(*batch.b), cm = c.matrix(*batch.c);
    check(try_multiply_batch(am, bm, cm, batch, options), am, bm, cm, options);
}

void matmul(const Array& a_array, const Array& b_array, const WritableArray& c_array, const std::string& a_dtype,
            const std::string& b_dtype, const std::string& c_dtype, double alpha, double beta,
            const std::string& accuracy, const std::string& kernel, const std::string& device, std::uintptr_t stream,
            int threads, bool reproducible, bool verify, double scale, const std::string& activation,
            std::optional<Array> bias, const std::string& bias_dtype, std::optional<Array> residual,
            const std::string& residual_dtype) {
    const Operand a("a", a_array, a_dtype), b("b", b_array, b_dtype), c("out", Array(c_array), c_dtype);
    Options options{.alpha = alpha,
                    .beta = beta,
                    .accuracy = accuracy_named(accuracy),
                    .reproducible = reproducible,
                    .verify = verify,
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
    for (const Operand* operand : {&a, &b}) check_batch(*operand, c);
    if (addend) check_batch(*addend, c);

    nb::gil_scoped_release others_may_run;
    const Starts starts(a, b, c, addend ? &*addend : nullptr);
    if (starts.size() == 0) return;
    if (addend) options.epilogue.residual = addend->matrix(starts.residual.front());
    if (starts.size() == 1) {
        multiply(a.matrix(starts.a.front()), b.matrix(starts.b.front()), c.matrix(starts.c.front()), options);
        return;
    }
    std::int64_t step = 0;
    if (!addend || starts.residual_step(addend->type, step))
        return multiply_some(a, b, c, starts, 0, starts.size(), step, options);
    for (std::int64_t i = 0; i < starts.size(); ++i) multiply_some(a, b, c, starts, i, 1, 0, options);
}

std::string kernel_for(std::int64_t m, std::int64_t n, std::int64_t k, const std::string& dtype,
                       const std::string& accuracy, const std::string& kernel, const std::string& device) {
    const Type type = dtype == "float64"    ? Type::f64
                      : dtype == "float16"  ? Type::f16
                      : dtype == "bfloat16" ? Type::bf16
                                            : Type::f32;
    const Problem problem{.m = m,
                          .n = n,
                          .k = k,
                          .in = type,
                          .out = type,
                          .place = device.starts_with("cuda") ? Place::cuda : Place::host,
                          .accuracy = accuracy_named(accuracy)};
    Plan made;
    const Status status = try_plan(problem, {.accuracy = problem.accuracy, .device = device, .kernel = kernel}, made);
    if (!status) throw nb::value_error(status.text);
    return made.kernel_name();
}

}  // namespace

void bind_errors(nb::module_&) {
    nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
        try {
            std::rethrow_exception(thrown);
        } catch (const Error& error) {
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
    });
}

void bind_matmul(nb::module_& module) {
    module.def("matmul", &matmul, "a"_a, "b"_a, "out"_a, "a_dtype"_a, "b_dtype"_a, "out_dtype"_a, "alpha"_a, "beta"_a,
               "accuracy"_a, "kernel"_a, "device"_a, "stream"_a, "threads"_a, "reproducible"_a, "verify"_a, "scale"_a,
               "activation"_a, "bias"_a.none(), "bias_dtype"_a, "residual"_a.none(), "residual_dtype"_a,
               "What tilewright.matmul calls once the arrays, their dtypes and their stream are known.");
    module.def("kernel_for", &kernel_for, "m"_a, "n"_a, "k"_a, "dtype"_a = "float32", "accuracy"_a = "",
               "kernel"_a = "", "device"_a = "",
               "The name of the kernel that would do this product; ValueError says why there is none.");
}

}  // namespace tw::python
