// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Apple's own product, as a peer: MPSMatrixMultiplication, sought when it is first asked for and never linked.
#include <dlfcn.h>

#include "backend/metal/on_mac/device.hpp"

namespace tw::metal {
namespace {

constexpr const char* framework =
    "/System/Library/Frameworks/MetalPerformanceShaders.framework/MetalPerformanceShaders";
constexpr unsigned mps_float = 0x10000000;  // MPSDataTypeFloatBit, to which the number of bits is added

constexpr Status not_there{Code::no_device, Argument::options, "MetalPerformanceShaders is not on this system"};
constexpr Status no_such_type{Code::unsupported, Argument::a, "MPS multiplies f32 and f16 whose rows are contiguous"};
constexpr Status foreign_memory{Code::bad_argument, Argument::none, "an operand is not in memory allocated by Metal"};
constexpr Status not_made{Code::device_failed, Argument::none, "MPS would not make a product of this shape"};

/// The classes of the framework, once it is loaded.
struct Classes {
    Object product = nullptr, matrix = nullptr, descriptor = nullptr;
};

Classes find_classes() {
    if (!objc_getClass("MPSMatrixMultiplication")) dlopen(framework, RTLD_NOW | RTLD_GLOBAL);
    const Classes found{objc_getClass("MPSMatrixMultiplication"), objc_getClass("MPSMatrix"),
                        objc_getClass("MPSMatrixDescriptor")};
    return found.product && found.matrix && found.descriptor ? found : Classes{};
}

bool is_taken(const Matrix& m) noexcept {
    return (m.type == Type::f32 || m.type == Type::f16) && m.col_step == 1 && m.row_step >= m.cols;
}

}  // namespace

const char* Device::why_no_mps() {
    if (!is_there()) return why_not();
    const Pool pool;
    return find_classes().product ? "" : not_there.text;
}

Status Device::multiply_by_mps(const Matrix& a, const Matrix& b, const Matrix& c) {
    const std::lock_guard lock(mutex_);
    const Pool pool;
    const Selectors& s = selectors();
    const Classes mps = is_there() ? find_classes() : Classes{};
    if (!mps.product) return not_there;
    if (!is_taken(a) || !is_taken(b) || !is_taken(c) || a.type != c.type || b.type != c.type) return no_such_type;

    Object matrices[3] = {}, product = nullptr;
    Status status;
    const Matrix* operands[] = {&a, &b, &c};
    for (int i = 0; i < 3 && status; ++i) {
        const Matrix& m = *operands[i];
        const std::size_t size = size_of(m.type);
        Object buffer = nullptr;
        unsigned long offset = 0;
        if (!find(m.data, buffer, offset)) {
            status = foreign_memory;
            break;
        }
        const auto whole = [](auto x) { return static_cast<unsigned long>(x); };
        Object described =
            s.describe_matrix.to<Object>(mps.descriptor, whole(m.rows), whole(m.cols), whole(m.row_step) * size,
                                         mps_float | static_cast<unsigned>(8 * size));
        matrices[i] = s.init_matrix.to<Object>(s.alloc.to<Object>(mps.matrix), buffer, offset, described);
        if (!matrices[i]) status = not_made;
    }
    if (status) {
        product = s.init_product.to<Object>(s.alloc.to<Object>(mps.product), device_, false, false,
                                            static_cast<unsigned long>(c.rows), static_cast<unsigned long>(c.cols),
                                            static_cast<unsigned long>(a.cols), 1.0, 0.0);
        if (!product) status = not_made;
    }
    if (status) {
        Object commands = s.command_buffer.to<Object>(queue_);
        s.encode_product.to<void>(product, commands, matrices[0], matrices[1], matrices[2]);
        status = commit(commands);
    }
    for (Object made : {matrices[0], matrices[1], matrices[2], product})
        if (made) s.release.to<void>(made);
    return status;
}

}  // namespace tw::metal
