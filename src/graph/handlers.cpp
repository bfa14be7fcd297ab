// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// One product as an operation of a compiled graph, by XLA's foreign function interface. Operands are dense and
// row-major, and may be stored transposed; dimensions before the last two are a batch. The result may be wider than the
// operands: sums of a part of k are. A third operand, where there is one, is what the product is added to. On CUDA the
// product joins XLA's own stream.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "tilewright/batch.hpp"
#include "xla/ffi/api/ffi.h"

namespace {

namespace ffi = xla::ffi;

bool type_of_buffer(ffi::DataType from, tw::Type& type) {
    switch (from) {
        case ffi::F64: type = tw::Type::f64; return true;
        case ffi::F32: type = tw::Type::f32; return true;
        case ffi::F16: type = tw::Type::f16; return true;
        case ffi::BF16: type = tw::Type::bf16; return true;
        case ffi::C64: type = tw::Type::c64; return true;
        case ffi::C128: type = tw::Type::c128; return true;
        default: return false;
    }
}

/// A batch of matrices one after another.
struct Batch {
    tw::Matrix first;
    std::int64_t size = 1;

    template <class Buffer>
    bool read(Buffer& buffer, bool transposed) {
        const auto shape = buffer.dimensions();
        if (shape.size() < 2 || !type_of_buffer(buffer.element_type(), first.type)) return false;
        const std::int64_t rows = shape[shape.size() - 2], cols = shape[shape.size() - 1];
        for (std::size_t d = 0; d + 2 < shape.size(); ++d) size *= shape[d];
        first = {buffer.untyped_data(), first.type, rows, cols, cols, 1};
        if (transposed) first = first.transposed();
        return true;
    }

    /// In elements, from one matrix to the next; one alone is everybody's.
    std::int64_t step() const { return size == 1 ? 0 : first.rows * first.cols; }
};

ffi::Error matmul(void* stream, ffi::AnyBuffer a, ffi::AnyBuffer b, ffi::RemainingArgs others,
                  ffi::Result<ffi::AnyBuffer> c, std::string_view algorithm, std::string_view accuracy,
                  bool transpose_a, bool transpose_b, bool reproducible, std::int64_t slabs) {
    Batch left, right, out;
    if (!left.read(a, transpose_a) || !right.read(b, transpose_b) || !out.read(*c, false))
        return ffi::Error(ffi::ErrorCode::kInvalidArgument,
                          "tilewright.matmul: expected matrices of float64, float32, float16, bfloat16, complex64 or "
                          "complex128");
    if ((left.size != out.size && left.size != 1) || (right.size != out.size && right.size != 1))
        return ffi::Error(ffi::ErrorCode::kInvalidArgument,
                          "tilewright.matmul: the batches of the operands are not the result's");
    tw::Options options{.reproducible = reproducible,
                        .slabs = static_cast<int>(std::clamp<std::int64_t>(slabs, -1, INT32_MAX)),
                        .stream = stream,
                        .kernel = algorithm};
    if (others.size() > 0) {
        Batch added;
        auto other = others.get<ffi::AnyBuffer>(0);
        if (!other.has_value() || !added.read(*other, false) || added.size != 1)
            return ffi::Error(ffi::ErrorCode::kInvalidArgument,
                              "tilewright.matmul: expected a matrix for the product to be added to");
        options.epilogue.residual = added.first;
    }
    if (!accuracy.empty() && !tw::parse_accuracy(accuracy, options.accuracy))
        return ffi::Error(ffi::ErrorCode::kInvalidArgument,
                          "tilewright.matmul: no such accuracy: " + std::string(accuracy));
    const tw::Batch batch{.size = out.size, .a_step = left.step(), .b_step = right.step(), .c_step = out.step()};
    if (const tw::Status status = tw::try_multiply_batch(left.first, right.first, out.first, batch, options); !status)
        return ffi::Error(ffi::ErrorCode::kInternal, tw::explain(status, left.first, right.first, out.first, options));
    return ffi::Error::Success();
}

ffi::Error on_cpu(ffi::AnyBuffer a, ffi::AnyBuffer b, ffi::RemainingArgs others, ffi::Result<ffi::AnyBuffer> c,
                  std::string_view algorithm, std::string_view accuracy, bool transpose_a, bool transpose_b,
                  bool reproducible, std::int64_t slabs) {
    return matmul(nullptr, a, b, others, c, algorithm, accuracy, transpose_a, transpose_b, reproducible, slabs);
}

/// What either handler takes, in the order of matmul's parameters.
template <class Binding>
auto operands_and_attributes(Binding binding) {
    return std::move(binding)
        .template Arg<ffi::AnyBuffer>()
        .template Arg<ffi::AnyBuffer>()
        .RemainingArgs()
        .template Ret<ffi::AnyBuffer>()
        .template Attr<std::string_view>("algorithm")
        .template Attr<std::string_view>("accuracy")
        .template Attr<bool>("transpose_a")
        .template Attr<bool>("transpose_b")
        .template Attr<bool>("reproducible")
        .template Attr<std::int64_t>("slabs");
}

}  // namespace

#pragma GCC visibility push(default)
XLA_FFI_DEFINE_HANDLER_SYMBOL(tilewright_matmul_cpu, on_cpu, operands_and_attributes(ffi::Ffi::Bind()));

// The stream is a pointer to this file: no CUDA header is needed, and the kernels are opened on first use.
XLA_FFI_DEFINE_HANDLER_SYMBOL(tilewright_matmul_cuda, matmul,
                              operands_and_attributes(ffi::Ffi::Bind().Ctx<ffi::PlatformStream<void*>>()));
#pragma GCC visibility pop
